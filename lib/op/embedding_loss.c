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

static bool has_loss(const struct bt_graph *g, enum bt_opcode op)
{
	return g->loss >= 0 && g->nodes[g->loss].op == op;
}

bool bt_op_groups(const struct bt_graph *g)
{
	return has_loss(g, BT_OP_CHOICE_LOSS) ||
	       has_loss(g, BT_OP_EMBEDDING_LOSS);
}

bool bt_op_compares_all(const struct bt_graph *g, enum bt_embedding_loss loss)
{
	return has_loss(g, BT_OP_EMBEDDING_LOSS) &&
	       loss != BT_EMBEDDING_COSINE; /* a sum over pairs */
}
