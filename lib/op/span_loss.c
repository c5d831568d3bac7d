/* SPDX-License-Identifier: MIT */
/* The loss over the tokens of a sequence that begin and end an answer. */
#include "op/ops.h"

int bt_op_span_loss(struct bt_graph *g, int logits)
{
	if (g->failed)
		return -1;
	if (g->nodes[logits].rows != BT_PER_TOKEN || g->nodes[logits].cols != 2)
		return bt_graph_misfit(g,
		                       "%s of %d outputs: expected two of each "
		                       "token",
		                       bt_opcode_name(BT_OP_SPAN_LOSS),
		                       g->nodes[logits].cols);
	return bt_graph_add(g, &(struct bt_node){.op = BT_OP_SPAN_LOSS,
	                                         .rows = BT_PER_TOKEN,
	                                         .cols = 1,
	                                         .in = {logits},
	                                         .n_in = 1});
}
