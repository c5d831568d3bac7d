/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_adapt(struct bt_graph *g, int x, int n, const int *change,
                const int *col, float scale, enum bt_activation act)
{
	struct bt_node node = {.op = BT_OP_ADAPT, .in = {x}, .n_in = 1 + n};
	int k;

	if (g->failed)
		return -1;
	node.rows = g->nodes[x].rows;
	node.cols = g->nodes[x].cols;
	node.u.adapt.act = act;
	node.u.adapt.scale = scale;
	for (k = 0; k < n && k < BT_ADAPT_MAX; k++) {
		if (g->nodes[change[k]].rows != node.rows || col[k] < 0 ||
		    col[k] > node.cols - g->nodes[change[k]].cols)
			return bt_graph_misfit(
			    g, "a change of %d columns, from %d on, of %d",
			    g->nodes[change[k]].cols, col[k], node.cols);
		node.in[1 + k] = change[k];
		node.u.adapt.col[k] = col[k];
	}
	if (k < n)
		return bt_graph_misfit(g, "%d changes of one value", n);
	return bt_graph_add(g, &node);
}
