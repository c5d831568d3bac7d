/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_softmax_loss(struct bt_graph *g, int logits)
{
	struct bt_node *n;

	if (g->failed)
		return -1;
	if (g->nodes[logits].rows != BT_PER_TEXT || g->nodes[logits].cols < 2)
		return bt_graph_misfit(g, "softmax over %d classes",
		                       g->nodes[logits].cols);
	n = bt_graph_node(g, BT_OP_SOFTMAX_LOSS, BT_PER_TEXT, 1);
	if (n == NULL)
		return -1;
	n->in[0] = logits;
	n->n_in = 1;
	return g->n_nodes - 1;
}
