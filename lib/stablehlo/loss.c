/* SPDX-License-Identifier: MIT */
/*
 * Losses and their gradients. Each row has a weight, the scale included, which
 * is 0 where a row is of no text or has no label: such rows are finite and
 * give nothing.
 */
#include "op/ops.h"
#include "stablehlo/emit_int.h"

/* Adds the sum of x, [rows, columns], to the loss. */
static void add_loss(struct bt_hlo_emit *e, int x)
{
	struct bt_hlo *b = &e->b;
	const int64_t one = 1;

	x = bt_hlo_reduce(b, "add", bt_hlo_reduce(b, "add", x, 1), 0);
	e->loss = bt_hlo_sum(b, e->loss, bt_hlo_reshape(b, x, 1, &one));
}

/* The logits, and the weights of their rows in all columns. */
static int logits_of(struct bt_hlo_emit *e, int node)
{
	return bt_hlo_whole(e, e->g->nodes[node].in[0]);
}

static int weights_of(struct bt_hlo_emit *e, int node, int like)
{
	bool next = e->g->nodes[node].op == BT_OP_SOFTMAX_LOSS &&
	            e->g->nodes[node].u.loss.next;
	int w = bt_hlo_input(e, next ? BT_HLO_ARG_NEXT_WEIGHTS
	                             : BT_HLO_ARG_WEIGHTS);

	return bt_hlo_along(&e->b, w, like, 0);
}

/* What is wanted of the classes of each row, smoothed, times their weights. */
static int wanted_of(struct bt_hlo_emit *e, int node, int like)
{
	struct bt_hlo *b = &e->b;
	bool next = e->g->nodes[node].op == BT_OP_SOFTMAX_LOSS &&
	            e->g->nodes[node].u.loss.next;
	int y =
	    bt_hlo_input(e, next ? BT_HLO_ARG_NEXT_LABELS : BT_HLO_ARG_LABELS);
	struct bt_hlo_shape s = bt_hlo_shape_of(b, like);
	double smoothing = next ? 0 : (double)e->o->smoothing;
	int w;

	s.type = BT_HLO_I32;
	y = bt_hlo_along(b, y, like, 0);
	y = bt_hlo_compare(b, "EQ", y, bt_hlo_iota(b, s, 1));
	y = bt_hlo_convert(b, y, BT_HLO_F32);
	if (smoothing > 0) {
		y = bt_hlo_with(b, "multiply", y, 1 - smoothing);
		y = bt_hlo_with(b, "add", y, smoothing / (double)s.dim[1]);
	}
	if (next || e->o->class_weight == NULL)
		return y;
	w = bt_hlo_floats(b, e->o->class_weight, s.dim[1]);
	return bt_hlo_binary(b, "multiply", y, bt_hlo_along(b, w, y, 1));
}

/* -x y */
static int minus_product(struct bt_hlo *b, int x, int y)
{
	return bt_hlo_unary(b, "negate", bt_hlo_binary(b, "multiply", x, y));
}

/* The logarithms of the softmax of x's rows. */
static int log_softmax(struct bt_hlo *b, int x)
{
	int y = bt_hlo_reduce(b, "maximum", x, 1);

	x = bt_hlo_binary(b, "subtract", x, bt_hlo_along(b, y, x, 0));
	y = bt_hlo_reduce(b, "add", bt_hlo_unary(b, "exponential", x), 1);
	y = bt_hlo_unary(b, "log", y);
	return bt_hlo_binary(b, "subtract", x, bt_hlo_along(b, y, x, 0));
}

/* Of logarithms p of probabilities: the loss is that of p by q. */
static void cross_entropy(struct bt_hlo_emit *e, int node, bool softmax)
{
	struct bt_hlo *b = &e->b;
	int x = logits_of(e, node), w = weights_of(e, node, x);
	int q = wanted_of(e, node, x), p = softmax ? log_softmax(b, x) : x;

	add_loss(e, bt_hlo_binary(b, "multiply", w, minus_product(b, p, q)));
	if (softmax) {
		p = bt_hlo_unary(b, "exponential", p);
		if (e->o->class_weight != NULL)
			p = bt_hlo_binary(
			    b, "multiply", p,
			    bt_hlo_along(b, bt_hlo_reduce(b, "add", q, 1), p,
			                 0));
		p = bt_hlo_binary(b, "subtract", p, q);
	} else {
		p = bt_hlo_unary(b, "negate", q);
	}
	e->outputs[node].saved[0] = bt_hlo_binary(b, "multiply", w, p);
}

/* The gradient by the logits is there. */
static void loss_back(struct bt_hlo_emit *e, int node)
{
	bt_hlo_give(e, e->g->nodes[node].in[0], e->outputs[node].saved[0]);
}

static void softmax_loss(struct bt_hlo_emit *e, int node)
{
	cross_entropy(e, node, true);
}

const struct bt_hlo_op bt_hlo_op_softmax_loss = {softmax_loss, loss_back};

static void log_loss(struct bt_hlo_emit *e, int node)
{
	cross_entropy(e, node, false);
}

const struct bt_hlo_op bt_hlo_op_log_loss = {log_loss, loss_back};

/* The weights of numbers, of which a row's share one. */
static int share_of(struct bt_hlo_emit *e, int node, int like)
{
	return bt_hlo_with(&e->b, "multiply", weights_of(e, node, like),
	                   1.0 / (double)bt_hlo_dim(&e->b, like, 1));
}

static void square_loss(struct bt_hlo_emit *e, int node)
{
	struct bt_hlo *b = &e->b;
	int x = logits_of(e, node), w = share_of(e, node, x), y;

	x = bt_hlo_binary(b, "subtract", x,
	                  bt_hlo_input(e, BT_HLO_ARG_TARGETS));
	y = bt_hlo_binary(b, "multiply", w, x);
	add_loss(e, bt_hlo_binary(b, "multiply", x, y));
	e->outputs[node].saved[0] = bt_hlo_with(b, "multiply", y, 2);
}

const struct bt_hlo_op bt_hlo_op_square_loss = {square_loss, loss_back};

/* With weights p of the positives and a = 1 + (p - 1) y: a softplus(x) - p y x,
 * whose slope is a logistic(x) - p y. */
static void sigmoid_loss(struct bt_hlo_emit *e, int node)
{
	struct bt_hlo *b = &e->b;
	int x = logits_of(e, node), w = share_of(e, node, x), z;
	int y = bt_hlo_input(e, BT_HLO_ARG_TARGETS), a, py = y;

	a = bt_hlo_splat(b, bt_hlo_shape_of(b, x), 1);
	if (e->o->pos_weight != NULL) {
		z = bt_hlo_floats(b, e->o->pos_weight, bt_hlo_dim(b, x, 1));
		py = bt_hlo_binary(b, "multiply", bt_hlo_along(b, z, x, 1), y);
		a = bt_hlo_binary(b, "add", a,
		                  bt_hlo_binary(b, "subtract", py, y));
	}
	z = bt_hlo_activate(e, BT_ACT_SOFTPLUS, x);
	z = bt_hlo_binary(b, "multiply", a, z);
	y = bt_hlo_binary(b, "multiply", py, x);
	z = bt_hlo_binary(b, "subtract", z, y);
	add_loss(e, bt_hlo_binary(b, "multiply", w, z));
	z = bt_hlo_binary(b, "multiply", a, bt_hlo_unary(b, "logistic", x));
	z = bt_hlo_binary(b, "subtract", z, py);
	e->outputs[node].saved[0] = bt_hlo_binary(b, "multiply", w, z);
}

const struct bt_hlo_op bt_hlo_op_sigmoid_loss = {sigmoid_loss, loss_back};

/* The logarithms of the softmax over the tokens of each text, of column c of x,
 * [tokens, columns]: as a column. Each token sums up its text's, as attention
 * does. */
static int span_column(struct bt_hlo_emit *e, int x, int c)
{
	struct bt_hlo *b = &e->b;
	const struct bt_hlo_size *z = &e->o->size;
	const int64_t rows[] = {z->rows, z->length};
	const int64_t column[] = {bt_hlo_tokens(e), 1};
	static const int queries[] = {0, 1}, keys[] = {0, 2};
	int same = bt_hlo_same_text(e), y, most, none;
	struct bt_hlo_shape s = bt_hlo_shape_of(b, same);

	s.type = BT_HLO_F32;
	x = bt_hlo_reshape(b, bt_hlo_slice(b, x, 1, c, c + 1), 2, rows);
	none = bt_hlo_splat(b, s, BT_HLO_LEAST);
	y = bt_hlo_broadcast(b, x, s, keys);
	y = bt_hlo_select(b, same, y, none);
	most = bt_hlo_reduce(b, "maximum", y, 2);
	y = bt_hlo_binary(b, "subtract", y,
	                  bt_hlo_broadcast(b, most, s, queries));
	y = bt_hlo_reduce(b, "add", bt_hlo_unary(b, "exponential", y), 2);
	y = bt_hlo_binary(b, "add", most, bt_hlo_unary(b, "log", y));
	return bt_hlo_reshape(b, bt_hlo_binary(b, "subtract", x, y), 2, column);
}

/* Each token has its text's weight, and targets are 1 at both ends. */
static void span_loss(struct bt_hlo_emit *e, int node)
{
	struct bt_hlo *b = &e->b;
	int x = logits_of(e, node), w = share_of(e, node, x), p[2], y;

	p[0] = span_column(e, x, 0);
	p[1] = span_column(e, x, 1);
	x = bt_hlo_concat(b, p, 2, 1);
	y = bt_hlo_input(e, BT_HLO_ARG_TARGETS);
	add_loss(e, bt_hlo_binary(b, "multiply", w, minus_product(b, x, y)));
	x = bt_hlo_unary(b, "exponential", x);
	x = bt_hlo_binary(b, "subtract", x, y);
	e->outputs[node].saved[0] = bt_hlo_binary(b, "multiply", w, x);
}

const struct bt_hlo_op bt_hlo_op_span_loss = {span_loss, loss_back};
