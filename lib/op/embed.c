/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

/* Whether a parameter is a table, or is left out. */
static bool fits(const struct bt_graph *g, int p, int cols)
{
	return p < 0 || (p < g->n_params && g->params[p].rank == 2 &&
	                 g->params[p].cols == cols);
}

int bt_op_embed(struct bt_graph *g, const struct bt_embed_args *a)
{
	int cols;

	if (g->failed)
		return -1;
	cols = a->word >= 0 ? g->params[a->word].cols : 0;
	if (cols == 0 || !fits(g, a->word, cols) ||
	    !fits(g, a->position, cols) || !fits(g, a->type, cols) ||
	    (a->gamma >= 0 ? g->params[a->gamma].cols != cols
	                   : a->dropout > 0 || a->beta >= 0) ||
	    (a->beta >= 0 && g->params[a->beta].cols != cols))
		return bt_graph_misfit(g, "embedding tables differ in width");
	return bt_graph_add(g, &(struct bt_node){.op = BT_OP_EMBED,
	                                         .rows = BT_PER_TOKEN,
	                                         .cols = cols,
	                                         .u.embed = *a});
}
