/* SPDX-License-Identifier: MIT */
/*
 * The losses over texts that belong together: of the choices of a question, and
 * of embeddings. Slots without a text have the weight 0.
 */
#include "op/ops.h"
#include "stablehlo/emit_int.h"

/* Each slot sums up those of its question. */
static void choice_loss(struct bt_hlo_emit *e, int node)
{
	struct bt_hlo *b = &e->b;
	const int64_t n = e->o->size.texts, row[] = {1, n}, column[] = {n, 1};
	int x = bt_hlo_whole(e, e->g->nodes[node].in[0]), same, w, y;

	x = bt_hlo_reshape(b, x, 2, row);
	y = bt_hlo_input(e, BT_HLO_ARG_GROUPS);
	same = bt_hlo_same(b, bt_hlo_reshape(b, y, 2, row));
	x = bt_hlo_log_softmax_among(b, x, same);
	x = bt_hlo_reshape(b, x, 2, column);
	y = bt_hlo_input(e, BT_HLO_ARG_TARGETS);
	w = bt_hlo_along(b, bt_hlo_input(e, BT_HLO_ARG_WEIGHTS), x, 0);
	e->outputs[node].saved[0] = bt_hlo_loss_of_right(e, x, y, w);
}

const struct bt_hlo_op bt_hlo_op_choice_loss = {choice_loss, bt_hlo_loss_back};

/* Texts that are compared: a row and a column of each, f32 where nothing else
 * is said. */
struct compared {
	struct bt_hlo_emit *e;
	int64_t n;
	int numbers;  /* [n, n] i32 of columns */
	int pairs;    /* [n] i32: the argument */
	int is_pair;  /* [n, n] bool: of an anchor's row its text 1's column */
	int pair;     /* the same as 1 and 0 */
	int weight;   /* [n] of anchors, else 0 */
	int target;   /* [n] of their pairs; classes; or BT_HLO_NONE */
	int competes; /* [n, n] bool, of a ranking; or BT_HLO_NONE */
	int unit, scale; /* [n, columns] of length 1; [n] 1 / the length */
};

/* A vector of what [n, n] has in all columns of a row; in all rows of a column.
 */
static int of_row(const struct compared *c, int x)
{
	return bt_hlo_along(&c->e->b, x, c->numbers, 0);
}

static int of_column(const struct compared *c, int x)
{
	return bt_hlo_along(&c->e->b, x, c->numbers, 1);
}

/* Whether the text of a row, x being what equal ones share, is another than
 * that of a column. */
static int differs(const struct compared *c, int x)
{
	int row = of_row(c, x);
	int column = of_column(c, bt_hlo_input(c->e, BT_HLO_ARG_EQUAL));

	return bt_hlo_compare(&c->e->b, "NE", row, column);
}

/* All texts but anchors, and none that has the tokens of the anchor or of its
 * text 1, or its class; and this one. */
static int competing(const struct compared *c)
{
	struct bt_hlo *b = &c->e->b;
	int equal = bt_hlo_input(c->e, BT_HLO_ARG_EQUAL), x, y, other;

	x = bt_hlo_compare_with(b, "GE", equal, 0);
	y = bt_hlo_compare_with(b, "LT", c->pairs, 0);
	other = of_column(c, bt_hlo_binary(b, "and", x, y));
	other = bt_hlo_binary(b, "and", other, differs(c, equal));
	x = bt_hlo_with(b, "maximum", c->pairs, 0);
	x = bt_hlo_gather(b, equal, x);
	other = bt_hlo_binary(b, "and", other, differs(c, x));
	if (c->target != BT_HLO_NONE) {
		x = bt_hlo_compare(b, "NE", of_row(c, c->target),
		                   of_column(c, c->target));
		other = bt_hlo_binary(b, "and", other, x);
	}
	return bt_hlo_binary(b, "or", c->is_pair, other);
}

/* Whether all texts compete with an anchor's text 1. */
static bool ranks(const struct bt_hlo_emit *e)
{
	return e->o->embedding_loss == BT_EMBEDDING_RANKING ||
	       e->o->embedding_loss == BT_EMBEDDING_CLASSES;
}

static struct compared begin(struct bt_hlo_emit *e)
{
	struct bt_hlo *b = &e->b;
	struct compared c = {.e = e, .n = e->o->size.compared};

	c.target = c.competes = BT_HLO_NONE;
	c.numbers = bt_hlo_iota(b, bt_hlo_matrix(BT_HLO_I32, c.n, c.n), 1);
	c.pairs = bt_hlo_input(e, BT_HLO_ARG_PAIRS);
	c.is_pair = bt_hlo_compare(b, "EQ", of_row(&c, c.pairs), c.numbers);
	c.pair = bt_hlo_convert(b, c.is_pair, BT_HLO_F32);
	c.weight = bt_hlo_input(e, BT_HLO_ARG_WEIGHTS);
	if (e->o->embedding_loss != BT_EMBEDDING_RANKING)
		c.target = bt_hlo_reshape(
		    b, bt_hlo_input(e, BT_HLO_ARG_TARGETS), 1, &c.n);
	if (ranks(e))
		c.competes = competing(&c);
	return c;
}

/* Of all devices' texts, each with its own rows among zeros, the sum. */
static int of_all(struct bt_hlo_emit *e, int x)
{
	struct bt_hlo *b = &e->b;
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);
	int none;

	if (e->o->size.compared == e->o->size.texts)
		return x;
	s.dim[0] = e->o->size.compared;
	none = bt_hlo_splat(b, s, 0);
	x = bt_hlo_scatter(b, "add", none, bt_hlo_input(e, BT_HLO_ARG_OWN), x,
	                   true);
	return bt_hlo_all_reduce(b, x, e->o->replicas);
}

/* The rows of the device's own. */
static int of_own(struct bt_hlo_emit *e, int x)
{
	if (e->o->size.compared == e->o->size.texts)
		return x;
	return bt_hlo_gather(&e->b, x, bt_hlo_input(e, BT_HLO_ARG_OWN));
}

static void normalize(struct compared *c, int x)
{
	struct bt_hlo *b = &c->e->b;
	int y = bt_hlo_reduce(b, "add", bt_hlo_binary(b, "multiply", x, x), 1);
	int one = bt_hlo_splat(b, bt_hlo_shape_of(b, y), 1);

	y = bt_hlo_unary(b, "sqrt", y);
	y = bt_hlo_with(b, "maximum", y, 1e-12);
	c->scale = bt_hlo_binary(b, "divide", one, y);
	y = bt_hlo_along(b, c->scale, x, 0);
	c->unit = bt_hlo_binary(b, "multiply", x, y);
}

/* Each of these adds to the loss and returns the gradient, by all cosines, [n,
 * n], or by those of pairs, [n]. */
static int rank(const struct compared *c, int cosine)
{
	struct bt_hlo *b = &c->e->b;
	int x = bt_hlo_with(b, "multiply", cosine, BT_EMBEDDING_SCALE), y;

	y = bt_hlo_splat(b, bt_hlo_shape_of(b, x), BT_HLO_LEAST);
	x = bt_hlo_select(b, c->competes, x, y);
	x = bt_hlo_log_softmax(b, x);
	y = bt_hlo_loss_of_right(c->e, x, c->pair, of_row(c, c->weight));
	return bt_hlo_with(b, "multiply", y, BT_EMBEDDING_SCALE);
}

/* Anchors whose pair is to have the smaller cosine, by rows, than another, by
 * columns. */
static int is_below(const struct compared *c)
{
	struct bt_hlo *b = &c->e->b;
	int anchor = bt_hlo_compare_with(b, "GE", c->pairs, 0), x, y, z;

	x = of_row(c, c->target);
	x = bt_hlo_compare(b, "LT", x, of_column(c, c->target));
	y = of_row(c, anchor);
	z = of_column(c, anchor);
	return bt_hlo_binary(b, "and", x, bt_hlo_binary(b, "and", y, z));
}

/* The logarithm of a sum over all pairs of pairs, and 1, is that of a softmax
 * over as many and 0. */
static int order(const struct compared *c, int cosine)
{
	struct bt_hlo *b = &c->e->b;
	const int64_t n = c->n, row[] = {1, n * n}, all[] = {n, n};
	const int64_t one[] = {1, 1};
	int x[2], y, weight, none;

	cosine = bt_hlo_with(b, "multiply", cosine, BT_EMBEDDING_SCALE);
	y = of_row(c, cosine);
	y = bt_hlo_binary(b, "subtract", y, of_column(c, cosine));
	none = bt_hlo_splat(b, bt_hlo_shape_of(b, y), BT_HLO_LEAST);
	y = bt_hlo_select(b, is_below(c), y, none);
	x[0] = bt_hlo_reshape(b, y, 2, row);
	x[1] = bt_hlo_splat(b, bt_hlo_matrix(BT_HLO_F32, 1, 1), 0);
	y = bt_hlo_log_softmax(b, bt_hlo_concat(b, x, 2, 1));
	weight = bt_hlo_reduce(b, "add", c->weight, 0);
	weight = bt_hlo_reshape(b, weight, 2, one);
	x[1] =
	    bt_hlo_unary(b, "negate", bt_hlo_slice(b, y, 1, n * n, n * n + 1));
	bt_hlo_add_loss(c->e, bt_hlo_binary(b, "multiply", weight, x[1]));
	y = bt_hlo_unary(b, "exponential", bt_hlo_slice(b, y, 1, 0, n * n));
	y = bt_hlo_reshape(b, y, 2, all);
	x[0] = bt_hlo_reduce(b, "add", y, 1);
	x[1] = bt_hlo_reduce(b, "add", y, 0);
	y = bt_hlo_binary(b, "subtract", x[0], x[1]);
	y = bt_hlo_with(b, "multiply", y, BT_EMBEDDING_SCALE);
	weight = bt_hlo_reshape(b, weight, 1, one);
	return bt_hlo_binary(b, "multiply", y, bt_hlo_along(b, weight, y, 0));
}

static int fit(const struct compared *c, int cosine)
{
	struct bt_hlo *b = &c->e->b;
	const int64_t column[] = {c->n, 1};
	int x = bt_hlo_binary(b, "subtract", cosine, c->target);
	int y = bt_hlo_binary(b, "multiply", c->weight, x);

	x = bt_hlo_binary(b, "multiply", x, y);
	bt_hlo_add_loss(c->e, bt_hlo_reshape(b, x, 2, column));
	return bt_hlo_with(b, "multiply", y, 2);
}

/* The gradient by x, [n, columns], with that by the cosines of its rows. */
static int by_rows(const struct compared *c, int slope)
{
	struct bt_hlo *b = &c->e->b;
	int dn = bt_hlo_dot_nn(b, slope, c->unit), y;

	dn = bt_hlo_binary(b, "add", dn, bt_hlo_dot_tn(b, slope, c->unit));
	y = bt_hlo_binary(b, "multiply", c->unit, dn);
	y = bt_hlo_along(b, bt_hlo_reduce(b, "add", y, 1), dn, 0);
	y = bt_hlo_binary(b, "multiply", c->unit, y);
	y = bt_hlo_binary(b, "subtract", dn, y);
	return bt_hlo_binary(b, "multiply", y, bt_hlo_along(b, c->scale, y, 0));
}

/* The loss of x, [n, columns], and its gradient. */
static int compare(struct compared *c, int x)
{
	static const struct bt_hlo_product cosines = {
	    .sums = 1, .x_sum = {1}, .y_sum = {1}};
	struct bt_hlo *b = &c->e->b;
	int y;

	normalize(c, x);
	y = bt_hlo_dot(b, c->unit, c->unit, cosines);
	if (ranks(c->e))
		return by_rows(c, rank(c, y));
	y = bt_hlo_binary(b, "multiply", y, c->pair);
	y = bt_hlo_reduce(b, "add", y, 1);
	y = c->e->o->embedding_loss == BT_EMBEDDING_COSENT ? order(c, y)
	                                                   : fit(c, y);
	y = bt_hlo_binary(b, "multiply", c->pair, of_row(c, y));
	return by_rows(c, y);
}

/* Each device compares all texts, and adds its share of what all of them have
 * added. */
static void embedding_loss(struct bt_hlo_emit *e, int node)
{
	const struct bt_matryoshka *m = &e->o->matryoshka;
	struct bt_hlo *b = &e->b;
	int x = of_all(e, bt_hlo_whole(e, e->g->nodes[node].in[0])), sum, dx;
	int64_t cols = bt_hlo_dim(b, x, 1), dim;
	struct compared c;
	size_t i;

	c = begin(e);
	sum = compare(&c, x);
	for (i = 0; i < m->n; i++) {
		dim = (int64_t)m->dim[i];
		dx = compare(&c, bt_hlo_slice(b, x, 1, 0, dim));
		dx = bt_hlo_pad(b, dx, 1, 0, cols - dim);
		sum = bt_hlo_binary(b, "add", sum, dx);
	}
	e->outputs[node].saved[0] = of_own(e, sum);
	if (e->o->replicas > 1)
		e->loss =
		    bt_hlo_with(b, "multiply", e->loss, 1.0 / e->o->replicas);
}

const struct bt_hlo_op bt_hlo_op_embedding_loss = {embedding_loss,
                                                   bt_hlo_loss_back};
