/* SPDX-License-Identifier: MIT */
/* Rows for texts out of those of their tokens. What stands in rows of texts
 * that the batch does not have is finite and means nothing. */
#include "op/ops.h"
#include "stablehlo/emit_int.h"

#define LEAST (-3.4028234663852886e38) /* of f32 */

static void take(struct bt_hlo_emit *e, int node, enum bt_hlo_source which)
{
	int x = bt_hlo_whole(e, e->g->nodes[node].in[0]);

	bt_hlo_set(e, node, bt_hlo_gather(&e->b, x, bt_hlo_input(e, which)));
}

static void first(struct bt_hlo_emit *e, int node)
{
	take(e, node, BT_HLO_ARG_FIRST);
}

const struct bt_hlo_op bt_hlo_op_first = {first};

static void selected(struct bt_hlo_emit *e, int node)
{
	take(e, node, BT_HLO_ARG_SELECTED);
}

const struct bt_hlo_op bt_hlo_op_select = {selected};

/* [texts, tokens]: 1 where the token is of the text. */
static int tokens_of_texts(struct bt_hlo_emit *e)
{
	struct bt_hlo *b = &e->b;
	struct bt_hlo_shape s =
	    bt_hlo_matrix(BT_HLO_I32, e->o->size.texts, bt_hlo_tokens(e));
	int text, token, along = 1;

	if (e->texts != BT_HLO_NONE)
		return e->texts;
	text = bt_hlo_iota(b, s, 0);
	token = bt_hlo_broadcast(b, bt_hlo_input(e, BT_HLO_ARG_SEGMENTS), s,
	                         &along);
	e->texts = bt_hlo_compare(b, "EQ", text, token);
	e->texts = bt_hlo_convert(b, e->texts, BT_HLO_F32);
	return e->texts;
}

/* A sum of rows is a product, which is the same on every run: sums by scatters
 * are not, on some devices. */
static void mean(struct bt_hlo_emit *e, int node)
{
	struct bt_hlo *b = &e->b;
	int x = bt_hlo_whole(e, e->g->nodes[node].in[0]);
	int texts = tokens_of_texts(e), n;

	x = bt_hlo_dot_nn(b, texts, x);
	n = bt_hlo_reduce(b, "add", texts, 1);
	n = bt_hlo_with(b, "maximum", n, 1);
	x = bt_hlo_binary(b, "divide", x, bt_hlo_along(b, n, x, 0));
	bt_hlo_set(e, node, x);
}

const struct bt_hlo_op bt_hlo_op_mean = {mean};

static void max(struct bt_hlo_emit *e, int node)
{
	struct bt_hlo *b = &e->b;
	int x = bt_hlo_whole(e, e->g->nodes[node].in[0]), y, none;
	int at = bt_hlo_input(e, BT_HLO_ARG_SEGMENTS);
	struct bt_hlo_shape s =
	    bt_hlo_matrix(BT_HLO_F32, e->o->size.texts, e->g->nodes[node].cols);

	y = bt_hlo_scatter(b, "maximum", bt_hlo_splat(b, s, LEAST), at, x);
	none = bt_hlo_compare_with(b, "EQ", y, LEAST);
	bt_hlo_set(e, node, bt_hlo_select(b, none, bt_hlo_splat(b, s, 0), y));
}

const struct bt_hlo_op bt_hlo_op_max = {max};

/* The numbers of all tokens of all texts, [texts * length]. */
static int all_tokens(struct bt_hlo_emit *e, int length)
{
	struct bt_hlo *b = &e->b;
	struct bt_hlo_shape s =
	    bt_hlo_matrix(BT_HLO_I32, e->o->size.texts, length);
	const int64_t n = s.dim[0] * length;
	int x = bt_hlo_input(e, BT_HLO_ARG_FIRST), along = 0;

	x = bt_hlo_broadcast(b, x, s, &along);
	x = bt_hlo_binary(b, "add", x, bt_hlo_iota(b, s, 1));
	x = bt_hlo_with(b, "minimum", x, (double)(bt_hlo_tokens(e) - 1));
	return bt_hlo_reshape(b, x, 1, &n);
}

static void flatten(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	const int64_t dims[] = {e->o->size.texts, n->cols};
	int x = bt_hlo_whole(e, n->in[0]);
	int at = all_tokens(e, n->u.flatten.length);

	x = bt_hlo_gather(&e->b, x, at);
	bt_hlo_set(e, node, bt_hlo_reshape(&e->b, x, 2, dims));
}

const struct bt_hlo_op bt_hlo_op_flatten = {flatten};

static void log_normalize(struct bt_hlo_emit *e, int node)
{
	struct bt_hlo *b = &e->b;
	int x = bt_hlo_whole(e, e->g->nodes[node].in[0]), sum, some, y;

	sum = bt_hlo_along(b, bt_hlo_reduce(b, "add", x, 1), x, 0);
	some = bt_hlo_compare_with(b, "GT", sum, 0);
	y = bt_hlo_binary(b, "divide", x, sum);
	x = bt_hlo_splat(b, bt_hlo_shape_of(b, x), 0);
	y = bt_hlo_select(b, some, y, x);
	y = bt_hlo_with(b, "maximum", y, BT_KERAS_EPSILON);
	y = bt_hlo_with(b, "minimum", y, (double)(float)(1 - BT_KERAS_EPSILON));
	bt_hlo_set(e, node, bt_hlo_unary(b, "log", y));
}

const struct bt_hlo_op bt_hlo_op_log_normalize = {log_normalize};
