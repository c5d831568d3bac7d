/* SPDX-License-Identifier: MIT */
#include "base/mem.h"
#include "op/ops.h"

#define MAX_COLS ((size_t)1 << 27) /* of a row */

int bt_op_flatten(struct bt_graph *g, int x, int length)
{

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
	return bt_graph_add(g, &(struct bt_node){.op = BT_OP_FLATTEN,
	                                         .rows = BT_PER_SEQUENCE,
	                                         .cols = (int)cols,
	                                         .in = {x},
	                                         .n_in = 1,
	                                         .u.flatten.length = length});
}
