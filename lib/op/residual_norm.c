/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_residual_norm(struct bt_graph *g, int residual, int x, int gamma,
                        int beta, float eps, float dropout)
{
	struct bt_node *n;
	int cols;

	if (g->failed)
		return -1;
	cols = g->nodes[x].cols;
	if (g->nodes[residual].cols != cols ||
	    g->nodes[residual].rows != g->nodes[x].rows ||
	    g->params[gamma].cols != cols || g->params[beta].cols != cols)
		return bt_graph_misfit(g, "'%s' does not fit its inputs",
		                       g->params[gamma].name);
	n = bt_graph_node(g, BT_OP_RESIDUAL_NORM, g->nodes[x].rows, cols);
	if (n == NULL)
		return -1;
	n->in[0] = residual;
	n->in[1] = x;
	n->n_in = 2;
	n->u.norm.gamma = gamma;
	n->u.norm.beta = beta;
	n->u.norm.eps = eps;
	n->u.norm.dropout = dropout;
	return g->n_nodes - 1;
}
