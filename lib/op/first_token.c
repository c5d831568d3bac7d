/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_first(struct bt_graph *g, int x)
{
	struct bt_node *n;

	if (g->failed)
		return -1;
	if (g->nodes[x].rows != BT_PER_TOKEN)
		return bt_graph_misfit(g,
		                       "first tokens of a value per sequence");
	n = bt_graph_node(g, BT_OP_FIRST, BT_PER_SEQUENCE, g->nodes[x].cols);
	if (n == NULL)
		return -1;
	n->in[0] = x;
	n->n_in = 1;
	return g->n_nodes - 1;
}
