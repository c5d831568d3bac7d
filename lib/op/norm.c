/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_norm(struct bt_graph *g, int x, int gamma, int beta, float eps)
{
	struct bt_node *n;
	int cols;

	if (g->failed)
		return -1;
	cols = g->nodes[x].cols;
	if (g->params[gamma].cols != cols ||
	    (beta >= 0 && g->params[beta].cols != cols))
		return bt_graph_misfit(g, "'%s' does not fit its input",
		                       g->params[gamma].name);
	n = bt_graph_node(g, BT_OP_NORM, g->nodes[x].rows, cols);
	if (n == NULL)
		return -1;
	n->in[0] = x;
	n->n_in = 1;
	n->u.norm.gamma = gamma;
	n->u.norm.beta = beta;
	n->u.norm.eps = eps;
	return g->n_nodes - 1;
}
