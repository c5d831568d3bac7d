/* SPDX-License-Identifier: MIT */
/* Losses that compare each of a sequence's numbers with a target of its own. */
#include "op/ops.h"

static int of_each(struct bt_graph *g, enum bt_opcode op, int x)
{

	if (g->failed)
		return -1;
	if (g->nodes[x].rows != BT_PER_SEQUENCE)
		return bt_graph_misfit(g, "%s of %d numbers of a token",
		                       bt_opcode_name(op), g->nodes[x].cols);
	return bt_graph_add(g, &(struct bt_node){.op = op,
	                                         .rows = BT_PER_SEQUENCE,
	                                         .cols = 1,
	                                         .in = {x},
	                                         .n_in = 1});
}

int bt_op_square_loss(struct bt_graph *g, int x)
{
	return of_each(g, BT_OP_SQUARE_LOSS, x);
}

int bt_op_sigmoid_loss(struct bt_graph *g, int logits)
{
	return of_each(g, BT_OP_SIGMOID_LOSS, logits);
}
