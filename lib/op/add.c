/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_add(struct bt_graph *g, int residual, int x, float dropout)
{
	const struct bt_node *a, *b;

	if (g->failed)
		return -1;
	a = &g->nodes[residual];
	b = &g->nodes[x];
	if (a->cols != b->cols || a->rows != b->rows || residual == x)
		return bt_graph_misfit(g, "a sum of %d and %d columns", a->cols,
		                       b->cols);
	return bt_graph_add(g, &(struct bt_node){.op = BT_OP_ADD,
	                                         .rows = b->rows,
	                                         .cols = b->cols,
	                                         .in = {residual, x},
	                                         .n_in = 2,
	                                         .u.drop.dropout = dropout});
}
