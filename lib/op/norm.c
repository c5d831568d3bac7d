/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

static int norm(struct bt_graph *g, int x, int gamma, int beta, float eps,
                bool rms)
{
	int cols;

	if (g->failed)
		return -1;
	cols = g->nodes[x].cols;
	if (g->params[gamma].cols != cols ||
	    (beta >= 0 && g->params[beta].cols != cols))
		return bt_graph_misfit(g, "'%s' does not fit its input",
		                       g->params[gamma].name);
	return bt_graph_add(
	    g, &(struct bt_node){.op = BT_OP_NORM,
	                         .rows = g->nodes[x].rows,
	                         .cols = cols,
	                         .in = {x},
	                         .n_in = 1,
	                         .u.norm = {gamma, beta, eps, 0, rms}});
}

int bt_op_norm(struct bt_graph *g, int x, int gamma, int beta, float eps)
{
	return norm(g, x, gamma, beta, eps, false);
}

int bt_op_rms_norm(struct bt_graph *g, int x, int gamma, float eps)
{
	return norm(g, x, gamma, -1, eps, true);
}
