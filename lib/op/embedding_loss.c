/* SPDX-License-Identifier: MIT */
/* The loss of embeddings of texts that belong together. */
#include "op/ops.h"

int bt_op_embedding_loss(struct bt_graph *g, int embeddings)
{
	if (g->failed)
		return -1;
	if (g->nodes[embeddings].rows != BT_PER_SEQUENCE)
		return bt_graph_misfit(g, "%s of rows that are not texts'",
		                       bt_opcode_name(BT_OP_EMBEDDING_LOSS));
	return bt_graph_add(g, &(struct bt_node){.op = BT_OP_EMBEDDING_LOSS,
	                                         .rows = BT_PER_SEQUENCE,
	                                         .cols = 1,
	                                         .in = {embeddings},
	                                         .n_in = 1});
}
