/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

int bt_op_glu(struct bt_graph *g, int x, enum bt_activation act, bool gate_last)
{

	if (g->failed)
		return -1;
	if (g->nodes[x].cols % 2 != 0)
		return bt_graph_misfit(g, "halves of %d columns",
		                       g->nodes[x].cols);
	return bt_graph_add(g, &(struct bt_node){.op = BT_OP_GLU,
	                                         .rows = g->nodes[x].rows,
	                                         .cols = g->nodes[x].cols / 2,
	                                         .in = {x},
	                                         .n_in = 1,
	                                         .u.glu.act = act,
	                                         .u.glu.gate_last = gate_last});
}
