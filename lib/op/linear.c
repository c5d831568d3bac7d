/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

/* Rows of `parts` parameters from `first` on, or -1 where they do not stand
 * one behind the other or differ in width. */
static int stacked_rows(const struct bt_graph *g, int first, int parts,
                        int cols)
{
	const struct bt_param *p = &g->params[first];
	size_t end = p->offset;
	int i, rows = 0;

	for (i = 0; i < parts; i++, p++) {
		if (first + i >= g->n_params || p->cols != cols ||
		    p->offset != end)
			return -1;
		rows += p->rows;
		end += bt_param_size(p);
	}
	return rows;
}

int bt_op_linear(struct bt_graph *g, int x, int weight, int bias, int parts,
                 enum bt_activation act)
{

	int rows, cols;

	if (g->failed)
		return -1;
	rows = stacked_rows(g, weight, parts, g->nodes[x].cols);
	if (rows < 0)
		return bt_graph_misfit(
		    g, "'%s' does not fit an input of %d columns",
		    g->params[weight].name, g->nodes[x].cols);
	cols =
	    bias < 0 ? 0 : stacked_rows(g, bias, parts, g->params[bias].cols);
	if (cols < 0 || (bias >= 0 && g->params[bias].cols * parts != rows))
		return bt_graph_misfit(g, "'%s' does not fit its weight",
		                       g->params[bias].name);
	return bt_graph_add(
	    g, &(struct bt_node){.op = BT_OP_LINEAR,
	                         .rows = g->nodes[x].rows,
	                         .cols = rows,
	                         .in = {x},
	                         .n_in = 1,
	                         .u.linear = {weight, bias, parts, act}});
}
