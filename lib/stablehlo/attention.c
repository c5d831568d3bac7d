/* SPDX-License-Identifier: MIT */
/*
 * Attention in rows of a fixed length: scores are [rows, heads, queries, keys],
 * and tokens see those of their own text only. Padding sees padding, so that no
 * row of scores is empty.
 *
 * Where there is one query a text, every token takes its text's, and the rows
 * of the texts' first tokens are taken in the end: what the other rows cost is
 * little beside the products of a layer.
 */
#include <math.h>
#include <string.h>

#include "op/ops.h"
#include "stablehlo/attention_int.h"

/* Pairs of the same text that are no more than the window apart. */
static int near(struct bt_hlo_emit *e, int window)
{
	struct bt_hlo *b = &e->b;
	int64_t length = e->o->size.length;
	struct bt_hlo_shape s = bt_hlo_matrix(BT_HLO_I32, length, length);
	static const int map[] = {1, 2};
	int x, i = 0;

	if (window == 0 || window >= length)
		return bt_hlo_same_text(e);
	while (i < 3 && e->near[i].window != 0 && e->near[i].window != window)
		i++;
	if (e->near[i].window == window)
		return e->near[i].mask;
	x = bt_hlo_iota(b, s, 0);
	x = bt_hlo_binary(b, "subtract", x, bt_hlo_iota(b, s, 1));
	x = bt_hlo_compare_with(b, "LE", bt_hlo_unary(b, "abs", x), window);
	x = bt_hlo_broadcast(b, x, bt_hlo_shape_of(b, bt_hlo_same_text(e)),
	                     map);
	x = bt_hlo_binary(b, "and", bt_hlo_same_text(e), x);
	e->near[i].window = window;
	e->near[i].mask = x;
	return x;
}

/* The angles' cosines and sines, [rows, length, d / 2], of tokens' numbers in
 * their texts. Angles are rounded to f32 as the published models were trained.
 */
static int rotary(struct bt_hlo_emit *e, const struct bt_node *n)
{
	struct bt_hlo *b = &e->b;
	int d = n->u.attention.head_dim, half = d / 2, i = 0, c, x, y;
	const struct bt_rope *rope = &n->u.attention.rope;
	float rate[1024];
	const int64_t dims[] = {e->o->size.rows, e->o->size.length, half};
	struct bt_hlo_shape s =
	    bt_hlo_matrix(BT_HLO_F32, bt_hlo_tokens(e), half);
	static const int rows = 0, columns = 1;

	while (i < 3 && e->rotary[i].width != 0 &&
	       (e->rotary[i].width != d ||
	        memcmp(&e->rotary[i].rope, rope, sizeof(*rope)) != 0))
		i++;
	if (e->rotary[i].width == d &&
	    memcmp(&e->rotary[i].rope, rope, sizeof(*rope)) == 0)
		return i;
	if (half > 1024) {
		bt_hlo_fail(b, BT_EARG, "heads of %d columns are too wide", d);
		return 0;
	}
	for (c = 0; c < half; c++)
		rate[c] = bt_rope_rate(rope, c, d);
	x = bt_hlo_convert(b, bt_hlo_input(e, BT_HLO_ARG_PLACES), BT_HLO_F32);
	x = bt_hlo_broadcast(b, x, s, &rows);
	y = bt_hlo_floats(b, rate, half);
	y = bt_hlo_broadcast(b, y, s, &columns);
	x = bt_hlo_binary(b, "multiply", x, y);
	x = bt_hlo_reshape(b, x, 3, dims);
	e->rotary[i].rope = *rope;
	e->rotary[i].width = d;
	e->rotary[i].cosine = bt_hlo_unary(b, "cosine", x);
	e->rotary[i].sine = bt_hlo_unary(b, "sine", x);
	if (rope->scale < 1 || rope->scale > 1) {
		x = bt_hlo_with(b, "multiply", e->rotary[i].cosine,
		                rope->scale);
		e->rotary[i].cosine = x;
		x = bt_hlo_with(b, "multiply", e->rotary[i].sine, rope->scale);
		e->rotary[i].sine = x;
	}
	return i;
}

/* x, [rows, length, heads, d], with the second of each two neighbours behind
 * all first ones, as products of two such do not show; and back. */
static int apart(struct bt_hlo *b, int x, int half)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);
	const int64_t pairs[] = {s.dim[0], s.dim[1], s.dim[2], half, 2};
	static const int turn[] = {0, 1, 2, 4, 3};

	x = bt_hlo_reshape(b, x, 5, pairs);
	return bt_hlo_reshape(b, bt_hlo_transpose(b, x, turn), 4, s.dim);
}

static int together(struct bt_hlo *b, int x, int half)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);
	const int64_t halves[] = {s.dim[0], s.dim[1], s.dim[2], 2, half};
	static const int turn[] = {0, 1, 2, 4, 3};

	x = bt_hlo_reshape(b, x, 5, halves);
	return bt_hlo_reshape(b, bt_hlo_transpose(b, x, turn), 4, s.dim);
}

/* By angles, of columns c and c + d/2. */
static int rotate_halves(struct bt_hlo_emit *e, const struct bt_node *n, int x,
                         bool back)
{
	struct bt_hlo *b = &e->b;
	int half = n->u.attention.head_dim / 2, i = rotary(e, n);
	static const int map[] = {0, 1, 3};
	int left = bt_hlo_slice(b, x, 3, 0, half);
	int right = bt_hlo_slice(b, x, 3, half, 2L * half), y[2];
	struct bt_hlo_shape s = bt_hlo_shape_of(b, left);
	int cosine = bt_hlo_broadcast(b, e->rotary[i].cosine, s, map);
	int sine = bt_hlo_broadcast(b, e->rotary[i].sine, s, map);

	if (back)
		sine = bt_hlo_unary(b, "negate", sine);
	y[0] = bt_hlo_binary(b, "multiply", left, cosine);
	y[1] = bt_hlo_binary(b, "multiply", right, sine);
	y[0] = bt_hlo_binary(b, "subtract", y[0], y[1]);
	right = bt_hlo_binary(b, "multiply", right, cosine);
	left = bt_hlo_binary(b, "multiply", left, sine);
	y[1] = bt_hlo_binary(b, "add", right, left);
	return bt_hlo_concat(b, y, 2, 3);
}

int bt_hlo_rotate(struct bt_hlo_emit *e, const struct bt_node *n, int x,
                  bool back)
{
	int half = n->u.attention.head_dim / 2;

	if (n->u.attention.neighbours && !back)
		x = apart(&e->b, x, half);
	x = rotate_halves(e, n, x, back);
	return n->u.attention.neighbours && back ? together(&e->b, x, half) : x;
}

/* Columns of a node as heads, [rows, length, heads, d]; of a node that has a
 * row for each text, that of each token's text. */
static int heads(struct bt_hlo_emit *e, const struct bt_node *n, int node,
                 int column, int h)
{
	struct bt_hlo *b = &e->b;
	int d = n->u.attention.head_dim, step = n->u.attention.head_step;
	const int64_t dims[] = {e->o->size.rows, e->o->size.length, h, step};
	int x = bt_hlo_columns(e, node, step == d ? column : 0, h * step);

	if (e->g->nodes[node].rows == BT_PER_SEQUENCE)
		x = bt_hlo_for_tokens(e, x);
	x = bt_hlo_reshape(b, x, 4, dims);
	return step == d ? x : bt_hlo_slice(b, x, 3, column, column + d);
}

/* The same of keys or values, each once for every head that shares it. */
static int shared_heads(struct bt_hlo_emit *e, const struct bt_node *n,
                        int column)
{
	struct bt_hlo *b = &e->b;
	const struct bt_attention_args *a = &n->u.attention;
	int groups = a->kv_heads, x = heads(e, n, a->kv, column, groups);
	static const int map[] = {0, 1, 2, 4};
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);
	const int64_t dims[] = {s.dim[0], s.dim[1], a->heads, s.dim[3]};

	if (groups == a->heads)
		return x;
	s.rank = 5;
	s.dim[4] = s.dim[3];
	s.dim[3] = a->heads / groups;
	return bt_hlo_reshape(b, bt_hlo_broadcast(b, x, s, map), 4, dims);
}

/* The softmax of scores' last dimension. */
static int softmax(struct bt_hlo *b, int s)
{
	struct bt_hlo_shape shape = bt_hlo_shape_of(b, s);
	static const int map[] = {0, 1, 2};
	int x = bt_hlo_reduce(b, "maximum", s, 3);

	x = bt_hlo_broadcast(b, x, shape, map);
	s = bt_hlo_unary(b, "exponential", bt_hlo_binary(b, "subtract", s, x));
	x = bt_hlo_reduce(b, "add", s, 3);
	x = bt_hlo_broadcast(b, x, shape, map);
	return bt_hlo_binary(b, "divide", s, x);
}

/* Probabilities as the passes read them: of bf16 in half the room. */
static int kept(struct bt_hlo_emit *e, int s)
{
	return e->o->bf16 ? bt_hlo_once(&e->b, bt_hlo_operand(e, s)) : s;
}

double bt_hlo_score_scale(const struct bt_attention_args *a)
{
	int products = 1;

	if (a->relative_positions >= 0)
		products += (a->rel_k_col >= 0) + (a->rel_q_col >= 0);
	return 1 / sqrt((double)a->head_dim * products);
}

static int scores(struct bt_hlo_emit *e, const struct bt_node *n, int q, int k)
{
	static const struct bt_hlo_product qk = {2,      1,   {0, 2},
	                                         {0, 2}, {3}, {3}};
	static const int map[] = {0, 2, 3};
	const struct bt_attention_args *a = &n->u.attention;
	struct bt_hlo *b = &e->b;
	int s = bt_hlo_inner_dot(e, q, k, qk), x, mask;

	if (a->relative_positions >= 0)
		s = bt_hlo_add_relative(e, n, s, q, k);
	s = bt_hlo_with(b, "multiply", s, bt_hlo_score_scale(a));
	if (a->relative_bias >= 0)
		s = bt_hlo_add_bias(e, n, s);
	mask = near(e, a->window);
	mask = bt_hlo_broadcast(b, mask, bt_hlo_shape_of(b, s), map);
	x = bt_hlo_splat(b, bt_hlo_shape_of(b, s), BT_HLO_LEAST);
	return bt_hlo_select(b, mask, s, x);
}

void bt_hlo_attention(struct bt_hlo_emit *e, int node)
{
	static const struct bt_hlo_product pv = {2,      1,   {0, 1},
	                                         {0, 2}, {3}, {1}};
	static const int back[] = {0, 2, 1, 3};
	const struct bt_node *n = &e->g->nodes[node];
	const struct bt_attention_args *a = &n->u.attention;
	const int64_t dims[] = {bt_hlo_tokens(e), n->cols};
	struct bt_hlo *b = &e->b;
	int q = heads(e, n, a->q, a->q_col, a->heads);
	int k = shared_heads(e, n, a->k_col);
	int v = shared_heads(e, n, a->v_col), s;

	if (a->rope.theta > 0) {
		q = bt_hlo_rotate(e, n, q, false);
		k = bt_hlo_rotate(e, n, k, false);
	}
	q = bt_hlo_operand(e, q);
	k = bt_hlo_operand(e, k);
	v = bt_hlo_operand(e, v);
	s = kept(e, softmax(b, scores(e, n, q, k)));
	memcpy(e->outputs[node].saved, (const int[]){q, k, v, s},
	       4 * sizeof(int));
	s = bt_hlo_convert(b, s, BT_HLO_F32);
	s = bt_hlo_drop_pairs(e, node, s);
	s = bt_hlo_inner_dot(e, bt_hlo_operand(e, s), v, pv);
	s = bt_hlo_reshape(b, bt_hlo_transpose(b, s, back), 2, dims);
	if (n->rows == BT_PER_SEQUENCE)
		s = bt_hlo_gather(b, s, bt_hlo_input(e, BT_HLO_ARG_FIRST));
	bt_hlo_set(e, node, s);
}
