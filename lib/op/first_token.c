/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_first(struct bt_graph *g, int x)
{
	if (g->failed)
		return -1;
	if (g->nodes[x].rows != BT_PER_TOKEN)
		return bt_graph_misfit(g,
		                       "first tokens of a value per sequence");
	return bt_graph_add(g, &(struct bt_node){.op = BT_OP_FIRST,
	                                         .rows = BT_PER_SEQUENCE,
	                                         .cols = g->nodes[x].cols,
	                                         .in = {x},
	                                         .n_in = 1});
}
