/* SPDX-License-Identifier: MIT */
/* The loss over the choices of a question. */
#include "op/ops.h"

int bt_op_choice_loss(struct bt_graph *g, int scores)
{
	if (g->failed)
		return -1;
	if (g->nodes[scores].rows != BT_PER_SEQUENCE ||
	    g->nodes[scores].cols != 1)
		return bt_graph_misfit(g,
		                       "%s of %d outputs: expected one of each "
		                       "text",
		                       bt_opcode_name(BT_OP_CHOICE_LOSS),
		                       g->nodes[scores].cols);
	return bt_graph_add(g, &(struct bt_node){.op = BT_OP_CHOICE_LOSS,
	                                         .rows = BT_PER_SEQUENCE,
	                                         .cols = 1,
	                                         .in = {scores},
	                                         .n_in = 1});
}
