/* SPDX-License-Identifier: MIT */
/*
 * Losses and their gradients. Each row has a weight, the scale included, which
 * is 0 where a row is of no text or has no label: such rows are finite and
 * give nothing.
 */
#include "op/ops.h"
#include "stablehlo/emit_int.h"

void bt_hlo_add_loss(struct bt_hlo_emit *e, int x)
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

/* 1 at the class of each row. */
static int classes_of(struct bt_hlo_emit *e, bool next, int like)
{
	struct bt_hlo *b = &e->b;
	int y =
	    bt_hlo_input(e, next ? BT_HLO_ARG_NEXT_LABELS : BT_HLO_ARG_LABELS);
	struct bt_hlo_shape s = bt_hlo_shape_of(b, like);

	s.type = BT_HLO_I32;
	y = bt_hlo_along(b, y, like, 0);
	y = bt_hlo_compare(b, "EQ", y, bt_hlo_iota(b, s, 1));
	return bt_hlo_convert(b, y, BT_HLO_F32);
}

/* The weights of classes, in all rows. */
static int class_weights(struct bt_hlo_emit *e, int like)
{
	int64_t n = bt_hlo_dim(&e->b, like, 1);
	int w = bt_hlo_floats(&e->b, e->o->class_weight, n);

	return bt_hlo_along(&e->b, w, like, 1);
}

/* What is wanted of the classes of each row, smoothed, times their weights. */
static int wanted_of(struct bt_hlo_emit *e, int node, int like)
{
	struct bt_hlo *b = &e->b;
	bool next = e->g->nodes[node].op == BT_OP_SOFTMAX_LOSS &&
	            e->g->nodes[node].u.loss.next;
	struct bt_hlo_shape s = bt_hlo_shape_of(b, like);
	double smoothing = next ? 0 : (double)e->o->smoothing;
	int y = classes_of(e, next, like);

	if (smoothing > 0) {
		y = bt_hlo_with(b, "multiply", y, 1 - smoothing);
		y = bt_hlo_with(b, "add", y, smoothing / (double)s.dim[1]);
	}
	if (next || e->o->class_weight == NULL)
		return y;
	return bt_hlo_binary(b, "multiply", y, class_weights(e, y));
}

/* -x y */
static int minus_product(struct bt_hlo *b, int x, int y)
{
	return bt_hlo_unary(b, "negate", bt_hlo_binary(b, "multiply", x, y));
}

int bt_hlo_log_softmax(struct bt_hlo *b, int x)
{
	int y = bt_hlo_reduce(b, "maximum", x, 1);

	x = bt_hlo_binary(b, "subtract", x, bt_hlo_along(b, y, x, 0));
	y = bt_hlo_reduce(b, "add", bt_hlo_unary(b, "exponential", x), 1);
	y = bt_hlo_unary(b, "log", y);
	return bt_hlo_binary(b, "subtract", x, bt_hlo_along(b, y, x, 0));
}

/* z log(z), 0 where z is. */
static int z_log_z(struct bt_hlo *b, int z)
{
	int none = bt_hlo_splat(b, bt_hlo_shape_of(b, z), 0);
	int y = bt_hlo_binary(b, "multiply", z, bt_hlo_unary(b, "log", z));

	return bt_hlo_select(b, bt_hlo_compare(b, "GT", z, none), y, none);
}

/* The share of the loss that a teacher has, and its temperature. */
static double taught(const struct bt_hlo_emit *e)
{
	return e->o->temperature > 0 ? (double)e->o->teacher_weight : 0;
}

static double heat(const struct bt_hlo_emit *e)
{
	return (double)e->o->temperature;
}

/* The teacher's part of the loss, and of the gradient that is returned: y is
 * its loss, with the slope d, of logits at the temperature. */
static int teach(struct bt_hlo_emit *e, int w, int y, int d)
{
	struct bt_hlo *b = &e->b;
	double a = taught(e), t = heat(e);

	y = bt_hlo_binary(b, "multiply", w, y);
	bt_hlo_add_loss(e, bt_hlo_with(b, "multiply", y, a * t * t));
	d = bt_hlo_binary(b, "multiply", w, d);
	return bt_hlo_with(b, "multiply", d, a * t);
}

/* The weights w of rows times those of their classes, in all columns of x. */
static int with_class(struct bt_hlo_emit *e, int x, int w)
{
	struct bt_hlo *b = &e->b;
	int y;

	if (e->o->class_weight == NULL)
		return w;
	y = classes_of(e, false, x);
	y = bt_hlo_binary(b, "multiply", y, class_weights(e, y));
	y = bt_hlo_along(b, bt_hlo_reduce(b, "add", y, 1), x, 0);
	return bt_hlo_binary(b, "multiply", w, y);
}

/* Of classes of which the teacher has the probabilities z: z log(z / p). */
static int teach_classes(struct bt_hlo_emit *e, int x, int w)
{
	struct bt_hlo *b = &e->b;
	int z = bt_hlo_input(e, BT_HLO_ARG_TEACHER), p, y;

	w = with_class(e, x, w);
	p = bt_hlo_log_softmax(b, bt_hlo_with(b, "multiply", x, 1 / heat(e)));
	y = bt_hlo_binary(b, "subtract", z_log_z(b, z),
	                  bt_hlo_binary(b, "multiply", z, p));
	p = bt_hlo_unary(b, "exponential", p);
	return teach(e, w, y, bt_hlo_binary(b, "subtract", p, z));
}

/* How far both passes of a text are apart: adds that to the loss, and gives the
 * gradient. Both have the same weight w. */
static int draw_together(struct bt_hlo_emit *e, int x, int w)
{
	struct bt_hlo *b = &e->b;
	double a = (double)e->o->r_drop;
	int other = bt_hlo_input(e, BT_HLO_ARG_OTHERS), p, r, ratio, kl, y;

	other = bt_hlo_rows_named(e, other, bt_hlo_dim(b, x, 0));
	w = with_class(e, x, w);
	ratio = bt_hlo_log_softmax(b, x);
	p = bt_hlo_unary(b, "exponential", ratio);
	r = bt_hlo_dot_tn(b, other, p);
	ratio =
	    bt_hlo_binary(b, "subtract", ratio, bt_hlo_dot_tn(b, other, ratio));
	kl = bt_hlo_reduce(b, "add", bt_hlo_binary(b, "multiply", p, ratio), 1);
	y = bt_hlo_binary(b, "subtract", p, r);
	y = bt_hlo_binary(b, "multiply", y, ratio);
	y = bt_hlo_binary(b, "multiply", w, y);
	bt_hlo_add_loss(e, bt_hlo_with(b, "multiply", y, a / 2));
	y = bt_hlo_binary(b, "subtract", ratio, bt_hlo_along(b, kl, x, 0));
	y = bt_hlo_binary(b, "multiply", p, bt_hlo_with(b, "add", y, 1));
	y = bt_hlo_binary(b, "subtract", y, r);
	y = bt_hlo_binary(b, "multiply", w, y);
	return bt_hlo_with(b, "multiply", y, a);
}

/* Of labels, which the teacher has with the probabilities z: softplus(x) - z x
 * less its least. */
static int teach_labels(struct bt_hlo_emit *e, int x, int w)
{
	struct bt_hlo *b = &e->b;
	int z = bt_hlo_input(e, BT_HLO_ARG_TEACHER), y, rest;

	rest = bt_hlo_splat(b, bt_hlo_shape_of(b, z), 1);
	rest = z_log_z(b, bt_hlo_binary(b, "subtract", rest, z));
	rest = bt_hlo_binary(b, "add", rest, z_log_z(b, z));
	x = bt_hlo_with(b, "multiply", x, 1 / heat(e));
	y = bt_hlo_binary(b, "subtract", bt_hlo_activate(e, BT_ACT_SOFTPLUS, x),
	                  bt_hlo_binary(b, "multiply", z, x));
	y = bt_hlo_binary(b, "add", y, rest);
	x = bt_hlo_unary(b, "logistic", x);
	return teach(e, w, y, bt_hlo_binary(b, "subtract", x, z));
}

/* Of numbers: (x - z)^2. */
static int teach_numbers(struct bt_hlo_emit *e, int x, int w)
{
	struct bt_hlo *b = &e->b;
	int z = bt_hlo_input(e, BT_HLO_ARG_TEACHER);

	x = bt_hlo_with(b, "multiply", x, 1 / heat(e));
	x = bt_hlo_binary(b, "subtract", x, z);
	return teach(e, w, bt_hlo_binary(b, "multiply", x, x),
	             bt_hlo_with(b, "multiply", x, 2));
}

/* The weights w of rows in the labels' part of the loss. */
static int rest_of(struct bt_hlo_emit *e, int w)
{
	return taught(e) > 0 ? bt_hlo_with(&e->b, "multiply", w, 1 - taught(e))
	                     : w;
}

/* Of logarithms p of probabilities: the loss is that of p by q. */
static void cross_entropy(struct bt_hlo_emit *e, int node, bool softmax)
{
	struct bt_hlo *b = &e->b;
	int x = logits_of(e, node), w = weights_of(e, node, x);
	int q = wanted_of(e, node, x),
	    p = softmax ? bt_hlo_log_softmax(b, x) : x;
	int dx = BT_HLO_NONE;

	if (taught(e) > 0 && softmax && !e->g->nodes[node].u.loss.next) {
		dx = teach_classes(e, x, w);
		w = rest_of(e, w);
	} else if (e->o->r_drop > 0 && softmax &&
	           !e->g->nodes[node].u.loss.next) {
		dx = draw_together(e, x, w);
	}
	bt_hlo_add_loss(
	    e, bt_hlo_binary(b, "multiply", w, minus_product(b, p, q)));
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
	p = bt_hlo_binary(b, "multiply", w, p);
	e->outputs[node].saved[0] = bt_hlo_sum(b, dx, p);
}

/* The gradient by the logits is there. */
void bt_hlo_loss_back(struct bt_hlo_emit *e, int node)
{
	bt_hlo_give(e, e->g->nodes[node].in[0], e->outputs[node].saved[0]);
}

static void softmax_loss(struct bt_hlo_emit *e, int node)
{
	cross_entropy(e, node, true);
}

const struct bt_hlo_op bt_hlo_op_softmax_loss = {softmax_loss,
                                                 bt_hlo_loss_back};

static void log_loss(struct bt_hlo_emit *e, int node)
{
	cross_entropy(e, node, false);
}

const struct bt_hlo_op bt_hlo_op_log_loss = {log_loss, bt_hlo_loss_back};

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
	int dx = taught(e) > 0 ? teach_numbers(e, x, w) : BT_HLO_NONE;

	w = rest_of(e, w);
	x = bt_hlo_binary(b, "subtract", x,
	                  bt_hlo_input(e, BT_HLO_ARG_TARGETS));
	y = bt_hlo_binary(b, "multiply", w, x);
	bt_hlo_add_loss(e, bt_hlo_binary(b, "multiply", x, y));
	e->outputs[node].saved[0] =
	    bt_hlo_sum(b, dx, bt_hlo_with(b, "multiply", y, 2));
}

const struct bt_hlo_op bt_hlo_op_square_loss = {square_loss, bt_hlo_loss_back};

/* With weights p of the positives and a = 1 + (p - 1) y: a softplus(x) - p y x,
 * whose slope is a logistic(x) - p y. */
static void sigmoid_loss(struct bt_hlo_emit *e, int node)
{
	struct bt_hlo *b = &e->b;
	int x = logits_of(e, node), w = share_of(e, node, x), z;
	int y = bt_hlo_input(e, BT_HLO_ARG_TARGETS), a, py = y;
	int dx = taught(e) > 0 ? teach_labels(e, x, w) : BT_HLO_NONE;

	w = rest_of(e, w);
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
	bt_hlo_add_loss(e, bt_hlo_binary(b, "multiply", w, z));
	z = bt_hlo_binary(b, "multiply", a, bt_hlo_unary(b, "logistic", x));
	z = bt_hlo_binary(b, "subtract", z, py);
	z = bt_hlo_binary(b, "multiply", w, z);
	e->outputs[node].saved[0] = bt_hlo_sum(b, dx, z);
}

const struct bt_hlo_op bt_hlo_op_sigmoid_loss = {sigmoid_loss,
                                                 bt_hlo_loss_back};

int bt_hlo_log_softmax_among(struct bt_hlo *b, int x, int same)
{
	static const int queries[] = {0, 1}, keys[] = {0, 2};
	struct bt_hlo_shape s = bt_hlo_shape_of(b, same);
	int y, most, none;

	s.type = BT_HLO_F32;
	none = bt_hlo_splat(b, s, BT_HLO_LEAST);
	y = bt_hlo_broadcast(b, x, s, keys);
	y = bt_hlo_select(b, same, y, none);
	most = bt_hlo_reduce(b, "maximum", y, 2);
	y = bt_hlo_binary(b, "subtract", y,
	                  bt_hlo_broadcast(b, most, s, queries));
	y = bt_hlo_reduce(b, "add", bt_hlo_unary(b, "exponential", y), 2);
	y = bt_hlo_binary(b, "add", most, bt_hlo_unary(b, "log", y));
	return bt_hlo_binary(b, "subtract", x, y);
}

int bt_hlo_loss_of_right(struct bt_hlo_emit *e, int p, int y, int w)
{
	struct bt_hlo *b = &e->b;

	bt_hlo_add_loss(
	    e, bt_hlo_binary(b, "multiply", w, minus_product(b, p, y)));
	p = bt_hlo_unary(b, "exponential", p);
	p = bt_hlo_binary(b, "subtract", p, y);
	return bt_hlo_binary(b, "multiply", w, p);
}

/* The logarithms of the softmax over the tokens of each text, of column c of x,
 * [tokens, columns]: as a column. Each token sums up its text's, as attention
 * does. */
static int span_column(struct bt_hlo_emit *e, int x, int c)
{
	struct bt_hlo *b = &e->b;
	const struct bt_hlo_size *z = &e->o->size;
	const int64_t rows[] = {z->rows, z->length};
	const int64_t column[] = {bt_hlo_tokens(e), 1};
	int same = bt_hlo_same_text(e);

	x = bt_hlo_reshape(b, bt_hlo_slice(b, x, 1, c, c + 1), 2, rows);
	x = bt_hlo_log_softmax_among(b, x, same);
	return bt_hlo_reshape(b, x, 2, column);
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
	e->outputs[node].saved[0] = bt_hlo_loss_of_right(e, x, y, w);
}

const struct bt_hlo_op bt_hlo_op_span_loss = {span_loss, bt_hlo_loss_back};
