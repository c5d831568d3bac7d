/* SPDX-License-Identifier: MIT */
/* Losses over the classes of a sequence, and what leads to one of them. */
#include "op/ops.h"

/* cols = 0: as many as x has. */
static int over_classes(struct bt_graph *g, enum bt_opcode op, int x, int cols)
{

	if (g->failed)
		return -1;
	if ((op != BT_OP_SOFTMAX_LOSS && g->nodes[x].rows != BT_PER_SEQUENCE) ||
	    g->nodes[x].cols < 2)
		return bt_graph_misfit(g, "%s over %d classes",
		                       bt_opcode_name(op), g->nodes[x].cols);
	return bt_graph_add(
	    g, &(struct bt_node){.op = op,
	                         .rows = g->nodes[x].rows,
	                         .cols = cols != 0 ? cols : g->nodes[x].cols,
	                         .in = {x},
	                         .n_in = 1});
}

int bt_op_softmax_loss(struct bt_graph *g, int logits)
{
	return over_classes(g, BT_OP_SOFTMAX_LOSS, logits, 1);
}

int bt_op_next_loss(struct bt_graph *g, int logits)
{
	int node = over_classes(g, BT_OP_SOFTMAX_LOSS, logits, 1);

	if (node >= 0)
		g->nodes[node].u.loss.next = true;
	return node;
}

int bt_op_log_normalize(struct bt_graph *g, int x)
{
	return over_classes(g, BT_OP_LOG_NORMALIZE, x, 0);
}

int bt_op_log_loss(struct bt_graph *g, int x)
{
	return over_classes(g, BT_OP_LOG_LOSS, x, 1);
}
