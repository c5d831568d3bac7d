/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_add(struct bt_graph *g, int residual, int x, float dropout)
{
	struct bt_node *n;

	if (g->failed)
		return -1;
	if (g->nodes[residual].cols != g->nodes[x].cols ||
	    g->nodes[residual].rows != g->nodes[x].rows || residual == x)
		return bt_graph_misfit(g, "a sum of %d and %d columns",
		                       g->nodes[residual].cols,
		                       g->nodes[x].cols);
	n = bt_graph_node(g, BT_OP_ADD, g->nodes[x].rows, g->nodes[x].cols);
	if (n == NULL)
		return -1;
	n->in[0] = residual;
	n->in[1] = x;
	n->n_in = 2;
	n->u.drop.dropout = dropout;
	return g->n_nodes - 1;
}
