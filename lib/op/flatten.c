/* SPDX-License-Identifier: MIT */
#include "base/mem.h"
#include "op/ops.h"

#define MAX_COLS ((size_t)1 << 27) /* of a row */

int bt_op_flatten(struct bt_graph *g, int x, int length)
{
	struct bt_node *n;
	size_t cols;

	if (g->failed)
		return -1;
	if (g->nodes[x].rows != BT_PER_TOKEN)
		return bt_graph_misfit(g, "flatten of a value per sequence");
	if (length < 1 ||
	    !bt_size_mul((size_t)length, (size_t)g->nodes[x].cols, &cols) ||
	    cols > MAX_COLS)
		return bt_graph_misfit(g, "flatten of %d tokens of %d columns",
		                       length, g->nodes[x].cols);
	n = bt_graph_node(g, BT_OP_FLATTEN, BT_PER_SEQUENCE, (int)cols);
	if (n == NULL)
		return -1;
	n->in[0] = x;
	n->n_in = 1;
	n->u.flatten.length = length;
	return g->n_nodes - 1;
}
