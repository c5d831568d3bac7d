/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_glu(struct bt_graph *g, int x, enum bt_activation act)
{
	struct bt_node *n;

	if (g->failed)
		return -1;
	if (g->nodes[x].cols % 2 != 0)
		return bt_graph_misfit(g, "halves of %d columns",
		                       g->nodes[x].cols);
	n = bt_graph_node(g, BT_OP_GLU, g->nodes[x].rows, g->nodes[x].cols / 2);
	if (n == NULL)
		return -1;
	n->in[0] = x;
	n->n_in = 1;
	n->u.glu.act = act;
	return g->n_nodes - 1;
}
