/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_dropout(struct bt_graph *g, int x, float dropout)
{
	struct bt_node *n;

	if (g->failed)
		return -1;
	n = bt_graph_node(g, BT_OP_DROPOUT, g->nodes[x].rows, g->nodes[x].cols);
	if (n == NULL)
		return -1;
	n->in[0] = x;
	n->n_in = 1;
	n->u.drop.dropout = dropout;
	return g->n_nodes - 1;
}
