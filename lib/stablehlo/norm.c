/* SPDX-License-Identifier: MIT */
/* residual_norm, norm, and embed, which ends in the same norm. */
#include "stablehlo/emit_int.h"

/* The mean of each row of x, everywhere in it. */
static int row_mean(struct bt_hlo *b, int x)
{
	int y = bt_hlo_reduce(b, "add", x, 1);

	y = bt_hlo_with(b, "multiply", y, 1.0 / (double)bt_hlo_dim(b, x, 1));
	return y;
}

int bt_hlo_norm(struct bt_hlo_emit *e, int x, const struct bt_norm_args *a)
{
	struct bt_hlo *b = &e->b;
	int y, r, z = x;

	if (!a->rms) {
		y = bt_hlo_along(b, row_mean(b, x), x, 0);
		z = bt_hlo_binary(b, "subtract", x, y);
	}
	r = row_mean(b, bt_hlo_binary(b, "multiply", z, z));
	r = bt_hlo_with(b, "add", r, (double)a->eps);
	r = bt_hlo_unary(b, "rsqrt", r);
	y = bt_hlo_binary(b, "multiply", z, bt_hlo_along(b, r, x, 0));
	r = bt_hlo_along(b, bt_hlo_param(e, a->gamma), x, 1);
	y = bt_hlo_binary(b, "multiply", y, r);
	if (a->beta < 0)
		return y;
	r = bt_hlo_along(b, bt_hlo_param(e, a->beta), x, 1);
	return bt_hlo_binary(b, "add", y, r);
}

static void residual_norm(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	int x = bt_hlo_whole(e, n->in[0]);

	x = bt_hlo_binary(&e->b, "add", x, bt_hlo_whole(e, n->in[1]));
	bt_hlo_set(e, node, bt_hlo_norm(e, x, &n->u.norm));
}

const struct bt_hlo_op bt_hlo_op_residual_norm = {residual_norm};

static void norm(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	bt_hlo_set(e, node,
	           bt_hlo_norm(e, bt_hlo_whole(e, n->in[0]), &n->u.norm));
}

const struct bt_hlo_op bt_hlo_op_norm = {norm};

/* x and the rows of a table that an argument of the batch numbers. */
static int add_rows(struct bt_hlo_emit *e, int x, int table,
                    enum bt_hlo_source at)
{
	struct bt_hlo *b = &e->b;
	int rows = bt_hlo_input(e, at), y = bt_hlo_param(e, table);

	return bt_hlo_binary(b, "add", x, bt_hlo_gather(b, y, rows));
}

static void embed(struct bt_hlo_emit *e, int node)
{
	const struct bt_embed_args *a = &e->g->nodes[node].u.embed;
	const struct bt_norm_args norm = {
	    .gamma = a->gamma, .beta = a->beta, .eps = a->eps};
	int x = bt_hlo_param(e, a->word);

	x = bt_hlo_gather(&e->b, x, bt_hlo_input(e, BT_HLO_ARG_IDS));
	if (a->position >= 0)
		x = add_rows(e, x, a->position, BT_HLO_ARG_POSITIONS);
	if (a->type >= 0)
		x = add_rows(e, x, a->type, BT_HLO_ARG_TYPES);
	if (a->gamma >= 0)
		x = bt_hlo_norm(e, x, &norm);
	bt_hlo_set(e, node, x);
}

const struct bt_hlo_op bt_hlo_op_embed = {embed};
