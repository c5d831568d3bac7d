/* SPDX-License-Identifier: MIT */
/* Rows for texts out of those of their tokens. What stands in rows of texts
 * that the batch does not have is finite and means nothing. */
#include "op/ops.h"
#include "stablehlo/emit_int.h"

static void take(struct bt_hlo_emit *e, int node, enum bt_hlo_source which)
{
	int x = bt_hlo_whole(e, e->g->nodes[node].in[0]);

	bt_hlo_set(e, node, bt_hlo_gather(&e->b, x, bt_hlo_input(e, which)));
}

int bt_hlo_for_tokens(struct bt_hlo_emit *e, int x)
{
	int at = bt_hlo_input(e, BT_HLO_ARG_SEGMENTS);

	return bt_hlo_gather(&e->b, x, bt_hlo_with(&e->b, "maximum", at, 0));
}

int bt_hlo_for_first(struct bt_hlo_emit *e, int x)
{
	struct bt_hlo *b = &e->b;
	int place = bt_hlo_input(e, BT_HLO_ARG_PLACES), y, none;

	place = bt_hlo_compare_with(b, "EQ", place, 0);
	y = bt_hlo_input(e, BT_HLO_ARG_SEGMENTS);
	y = bt_hlo_compare_with(b, "GE", y, 0); /* no padding */
	y = bt_hlo_binary(b, "and", place, y);
	x = bt_hlo_for_tokens(e, x);
	none = bt_hlo_splat(b, bt_hlo_shape_of(b, x), 0);
	return bt_hlo_select(b, bt_hlo_along(b, y, x, 0), x, none);
}

static void first(struct bt_hlo_emit *e, int node)
{
	take(e, node, BT_HLO_ARG_FIRST);
}

static void first_back(struct bt_hlo_emit *e, int node)
{
	bt_hlo_give(e, e->g->nodes[node].in[0],
	            bt_hlo_for_first(e, bt_hlo_given(e, node)));
}

const struct bt_hlo_op bt_hlo_op_first = {first, first_back};

static void selected(struct bt_hlo_emit *e, int node)
{
	take(e, node, BT_HLO_ARG_SELECTED);
}

/* Rows of x, at their places among as many rows of zeros as a node has. */
static void put_back(struct bt_hlo_emit *e, int node, int at, int x)
{
	struct bt_hlo *b = &e->b;
	struct bt_hlo_shape s =
	    bt_hlo_matrix(BT_HLO_F32, bt_hlo_tokens(e), e->g->nodes[node].cols);

	x = bt_hlo_scatter(b, "add", bt_hlo_splat(b, s, 0), at, x, false);
	bt_hlo_give(e, node, x);
}

/* Tokens that the batch does not have add zeros to the first token. */
static void selected_back(struct bt_hlo_emit *e, int node)
{
	put_back(e, e->g->nodes[node].in[0],
	         bt_hlo_input(e, BT_HLO_ARG_SELECTED), bt_hlo_given(e, node));
}

const struct bt_hlo_op bt_hlo_op_select = {selected, selected_back};

int bt_hlo_rows_named(struct bt_hlo_emit *e, int at, int64_t rows)
{
	struct bt_hlo *b = &e->b;
	struct bt_hlo_shape s =
	    bt_hlo_matrix(BT_HLO_I32, rows, bt_hlo_dim(b, at, 0));
	int row = bt_hlo_iota(b, s, 0), along = 1;

	at = bt_hlo_broadcast(b, at, s, &along);
	return bt_hlo_convert(b, bt_hlo_compare(b, "EQ", row, at), BT_HLO_F32);
}

/* [texts, tokens]: 1 where the token is of the text, f32. */
static int tokens_of_texts(struct bt_hlo_emit *e)
{
	int at = bt_hlo_input(e, BT_HLO_ARG_SEGMENTS);

	if (e->texts == BT_HLO_NONE)
		e->texts = bt_hlo_rows_named(e, at, e->o->size.texts);
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
	n = bt_hlo_along(b, n, x, 0);
	e->outputs[node].saved[0] = n;
	bt_hlo_set(e, node, bt_hlo_binary(b, "divide", x, n));
}

static void mean_back(struct bt_hlo_emit *e, int node)
{
	struct bt_hlo *b = &e->b;
	int texts = tokens_of_texts(e), dy = bt_hlo_given(e, node);

	dy = bt_hlo_binary(b, "divide", dy, e->outputs[node].saved[0]);
	bt_hlo_give(e, e->g->nodes[node].in[0], bt_hlo_dot_tn(b, texts, dy));
}

const struct bt_hlo_op bt_hlo_op_mean = {mean, mean_back};

static void max(struct bt_hlo_emit *e, int node)
{
	struct bt_hlo *b = &e->b;
	int x = bt_hlo_whole(e, e->g->nodes[node].in[0]), y, none;
	int at = bt_hlo_input(e, BT_HLO_ARG_SEGMENTS);
	struct bt_hlo_shape s =
	    bt_hlo_matrix(BT_HLO_F32, e->o->size.texts, e->g->nodes[node].cols);

	y = bt_hlo_scatter(b, "maximum", bt_hlo_splat(b, s, BT_HLO_LEAST), at,
	                   x, false);
	none = bt_hlo_compare_with(b, "EQ", y, BT_HLO_LEAST);
	bt_hlo_set(e, node, bt_hlo_select(b, none, bt_hlo_splat(b, s, 0), y));
}

/* The first token that has the largest value of a column takes all: the least
 * number, of those that have it, is found for each text. */
static void max_back(struct bt_hlo_emit *e, int node)
{
	struct bt_hlo *b = &e->b;
	int x = bt_hlo_whole(e, e->g->nodes[node].in[0]), number, y, z;
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x), t = s;
	int at = bt_hlo_input(e, BT_HLO_ARG_SEGMENTS);

	s.type = t.type = BT_HLO_I32;
	t.dim[0] = e->o->size.texts;
	number = bt_hlo_iota(b, s, 0);
	y = bt_hlo_for_tokens(e, bt_hlo_whole(e, node));
	y = bt_hlo_compare(b, "EQ", x, y);
	z = bt_hlo_splat(b, s, (double)s.dim[0]);
	y = bt_hlo_select(b, y, number, z);
	z = bt_hlo_splat(b, t, (double)s.dim[0]);
	y = bt_hlo_for_tokens(e, bt_hlo_scatter(b, "minimum", z, at, y, false));
	y = bt_hlo_compare(b, "EQ", number, y);
	z = bt_hlo_for_tokens(e, bt_hlo_given(e, node));
	bt_hlo_give(
	    e, e->g->nodes[node].in[0],
	    bt_hlo_select(b, y, z, bt_hlo_splat(b, bt_hlo_shape_of(b, x), 0)));
}

const struct bt_hlo_op bt_hlo_op_max = {max, max_back};

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

static void flatten_back(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	int length = n->u.flatten.length, at = all_tokens(e, length);
	const int64_t dims[] = {(int64_t)e->o->size.texts * length,
	                        n->cols / length};

	put_back(e, n->in[0], at,
	         bt_hlo_reshape(&e->b, bt_hlo_given(e, node), 2, dims));
}

const struct bt_hlo_op bt_hlo_op_flatten = {flatten, flatten_back};

static void log_normalize(struct bt_hlo_emit *e, int node)
{
	struct bt_hlo *b = &e->b;
	int x = bt_hlo_whole(e, e->g->nodes[node].in[0]), sum, some, y;

	sum = bt_hlo_along(b, bt_hlo_reduce(b, "add", x, 1), x, 0);
	some = bt_hlo_compare_with(b, "GT", sum, 0);
	y = bt_hlo_binary(b, "divide", x, sum);
	x = bt_hlo_splat(b, bt_hlo_shape_of(b, x), 0);
	y = bt_hlo_select(b, some, y, x);
	e->outputs[node].saved[0] = y;
	y = bt_hlo_with(b, "maximum", y, BT_KERAS_EPSILON);
	y = bt_hlo_with(b, "minimum", y, (double)(float)(1 - BT_KERAS_EPSILON));
	bt_hlo_set(e, node, bt_hlo_unary(b, "log", y));
}

/* With D = dY where the share was within its bounds, else 0: D / X - sum(D) /
 * S; 0 where S is not above 0. */
static void log_normalize_back(struct bt_hlo_emit *e, int node)
{
	struct bt_hlo *b = &e->b;
	int in = e->g->nodes[node].in[0], x = bt_hlo_whole(e, in), sum, y, z;
	int share = e->outputs[node].saved[0], dy = bt_hlo_given(e, node);
	int zeros = bt_hlo_splat(b, bt_hlo_shape_of(b, x), 0);
	int ones = bt_hlo_splat(b, bt_hlo_shape_of(b, x), 1);

	y = bt_hlo_compare_with(b, "GE", share, BT_KERAS_EPSILON);
	z = bt_hlo_compare_with(b, "LE", share,
	                        (double)(float)(1 - BT_KERAS_EPSILON));
	y = bt_hlo_binary(b, "and", y, z);
	dy = bt_hlo_select(b, y, dy, zeros);
	z = bt_hlo_select(b, y, x, ones);
	z = bt_hlo_binary(b, "divide", dy, z);
	sum = bt_hlo_along(b, bt_hlo_reduce(b, "add", x, 1), x, 0);
	y = bt_hlo_compare_with(b, "GT", sum, 0);
	sum = bt_hlo_select(b, y, sum, ones);
	dy = bt_hlo_along(b, bt_hlo_reduce(b, "add", dy, 1), x, 0);
	dy = bt_hlo_binary(b, "divide", dy, sum);
	dy = bt_hlo_binary(b, "subtract", z, dy);
	bt_hlo_give(e, in, bt_hlo_select(b, y, dy, zeros));
}

const struct bt_hlo_op bt_hlo_op_log_normalize = {log_normalize,
                                                  log_normalize_back};
