/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_dropout(struct bt_graph *g, int x, float dropout)
{
	if (g->failed)
		return -1;
	return bt_graph_add(g, &(struct bt_node){.op = BT_OP_DROPOUT,
	                                         .rows = g->nodes[x].rows,
	                                         .cols = g->nodes[x].cols,
	                                         .in = {x},
	                                         .n_in = 1,
	                                         .u.drop.dropout = dropout});
}
