/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_square_loss(struct bt_graph *g, int x)
{
	struct bt_node *n;

	if (g->failed)
		return -1;
	if (g->nodes[x].rows != BT_PER_TEXT || g->nodes[x].cols != 1)
		return bt_graph_misfit(g, "square_loss of %d numbers",
		                       g->nodes[x].cols);
	n = bt_graph_node(g, BT_OP_SQUARE_LOSS, BT_PER_TEXT, 1);
	if (n == NULL)
		return -1;
	n->in[0] = x;
	n->n_in = 1;
	return g->n_nodes - 1;
}
