/* SPDX-License-Identifier: MIT */
/* mean and max over the tokens of a sequence. */
#include "op/ops.h"

static int reduce(struct bt_graph *g, enum bt_opcode op, int x)
{

	if (g->failed)
		return -1;
	if (g->nodes[x].rows != BT_PER_TOKEN)
		return bt_graph_misfit(g,
		                       "%s over tokens of a value per sequence",
		                       bt_opcode_name(op));
	return bt_graph_add(g, &(struct bt_node){.op = op,
	                                         .rows = BT_PER_SEQUENCE,
	                                         .cols = g->nodes[x].cols,
	                                         .in = {x},
	                                         .n_in = 1});
}

int bt_op_mean(struct bt_graph *g, int x)
{
	return reduce(g, BT_OP_MEAN, x);
}

int bt_op_max(struct bt_graph *g, int x)
{
	return reduce(g, BT_OP_MAX, x);
}
