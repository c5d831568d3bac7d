/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

static bool is_table(const struct bt_graph *g, int p, int cols)
{
	return p < g->n_params && g->params[p].rank == 2 &&
	       g->params[p].cols == cols;
}

/* What may be left out, and is -1 then. */
static bool may_be_table(const struct bt_graph *g, int p, int cols)
{
	return p < 0 || is_table(g, p, cols);
}

int bt_op_embed(struct bt_graph *g, const struct bt_embed_args *a)
{
	struct bt_node *n;
	int cols;

	if (g->failed)
		return -1;
	cols = a->word >= 0 ? g->params[a->word].cols : 0;
	if (cols == 0 || !is_table(g, a->word, cols) ||
	    !may_be_table(g, a->position, cols) ||
	    !may_be_table(g, a->type, cols) ||
	    g->params[a->gamma].cols != cols ||
	    (a->beta >= 0 && g->params[a->beta].cols != cols))
		return bt_graph_misfit(g, "embedding tables differ in width");
	n = bt_graph_node(g, BT_OP_EMBED, BT_PER_TOKEN, cols);
	if (n == NULL)
		return -1;
	n->u.embed.word = a->word;
	n->u.embed.position = a->position;
	n->u.embed.type = a->type;
	n->u.embed.gamma = a->gamma;
	n->u.embed.beta = a->beta;
	n->u.embed.pad = a->pad;
	n->u.embed.position0 = a->position0;
	n->u.embed.eps = a->eps;
	n->u.embed.dropout = a->dropout;
	return g->n_nodes - 1;
}
