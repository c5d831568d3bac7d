/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_select(struct bt_graph *g, int x)
{
	if (g->failed)
		return -1;
	if (g->nodes[x].rows != BT_PER_TOKEN)
		return bt_graph_misfit(g, "tokens of a value that has none");
	return bt_graph_add(g, &(struct bt_node){.op = BT_OP_SELECT,
	                                         .rows = BT_PER_SELECTED,
	                                         .cols = g->nodes[x].cols,
	                                         .in = {x},
	                                         .n_in = 1});
}
