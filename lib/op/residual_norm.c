/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_residual_norm(struct bt_graph *g, int residual, int x, int gamma,
                        int beta, float eps, float dropout)
{

	int cols;

	if (g->failed)
		return -1;
	cols = g->nodes[x].cols;
	if (g->nodes[residual].cols != cols ||
	    g->nodes[residual].rows != g->nodes[x].rows ||
	    g->params[gamma].cols != cols || g->params[beta].cols != cols)
		return bt_graph_misfit(g, "'%s' does not fit its inputs",
		                       g->params[gamma].name);
	return bt_graph_add(
	    g, &(struct bt_node){.op = BT_OP_RESIDUAL_NORM,
	                         .rows = g->nodes[x].rows,
	                         .cols = cols,
	                         .in = {residual, x},
	                         .n_in = 2,
	                         .u.norm = {gamma, beta, eps, dropout, false}});
}
