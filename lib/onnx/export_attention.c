/* SPDX-License-Identifier: MIT */
/*
 * Attention in ONNX: scores are [batch, heads, queries, keys], to which come
 * what rotations, distances, windows and padding make of them.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "onnx/export_ops_int.h"
#include "op/ops.h"

/* Tokens that two of a text may be apart: more never are. */
#define FAR (1 << 17)

/* What takes padding out of a softmax. */
static int mask_bias(struct bt_translation *t)
{
	int x;

	if (t->bias == NONE) {
		x = bt_export_mask(t);
		t->bias = op2(t, "Unsqueeze", x, ints(t, 2, 1, 2, 0, 0));
	}
	return t->bias;
}

/* How far each token stands behind each query. */
static int distances(struct bt_translation *t, const struct bt_node *n)
{
	int x = range(t), y = op2(t, "Unsqueeze", x, one_int(t, 1));

	if (n->rows == BT_PER_SEQUENCE)
		y = slice(t, y, 0, 0, 1);
	return op2(t, "Sub", x, y);
}

/* What takes out of a softmax the tokens that are too far. */
static int window(struct bt_translation *t, const struct bt_node *n)
{
	int x = op1(t, "Abs", distances(t, n));
	int far =
	    op2(t, "Greater", x, bt_onnx_int(t->o, n->u.attention.window));

	x = bt_onnx_float(t->o, MASKED);
	return bt_onnx_op(t->o, "Where", far, x, bt_onnx_float(t->o, 0));
}

/* The angle by which each token's columns c and c + d/2 are turned. */
static int angles(struct bt_translation *t, const struct bt_node *n)
{
	int half = n->u.attention.head_dim / 2, x, c;
	float *rates = bt_array((size_t)half, sizeof(*rates));

	if (rates == NULL) {
		bt_error_nomem(t->err, "exporting a model");
		return NONE;
	}
	for (c = 0; c < half; c++)
		rates[c] = bt_rope_rate(&n->u.attention.rope, c, 2 * half);
	x = cast(t, range(t), BT_ONNX_FLOAT);
	x = op2(t, "Unsqueeze", x, one_int(t, 1));
	x = op2(t, "Mul", x, bt_onnx_few_floats(t->o, rates, half));
	free(rates);
	return x;
}

/* Of an angle, by the rope's scale. */
static int scaled(struct bt_translation *t, const struct bt_node *n,
                  const char *op, int angle)
{
	float scale = n->u.attention.rope.scale;
	int x = op1(t, op, angle);

	return scale < 1 || scale > 1
	           ? op2(t, "Mul", x, bt_onnx_float(t->o, scale))
	           : x;
}

/* The first (which: 0) or the second of each two columns that are rotated. */
static int rotated_columns(struct bt_translation *t, const struct bt_node *n,
                           int x, int which)
{
	int half = n->u.attention.head_dim / 2, in[] = {x, 0, 0, 0, 0};

	if (!n->u.attention.neighbours)
		return slice(t, x, 3, which * half, (which + 1) * half);
	in[1] = one_int(t, which);
	in[2] = one_int(t, 2 * half);
	in[3] = one_int(t, 3);
	in[4] = one_int(t, 2);
	return bt_onnx_op_of(t->o, "Slice", in, 5);
}

/* x: [batch, heads, sequence, d]. Neighbours stand apart then, in queries and
 * in keys, which their products do not show. */
static int rotate(struct bt_translation *t, const struct bt_node *n, int x)
{
	int a = rotated_columns(t, n, x, 0), b = rotated_columns(t, n, x, 1);
	int angle = angles(t, n), c = scaled(t, n, "Cos", angle);
	int s = scaled(t, n, "Sin", angle);
	int left = op2(t, "Mul", a, c), right = op2(t, "Mul", b, c);

	left = op2(t, "Sub", left, op2(t, "Mul", b, s));
	right = op2(t, "Add", right, op2(t, "Mul", a, s));
	bt_onnx_set_int(t->o, "axis", -1);
	return op2(t, "Concat", left, right);
}

/* Rows of R for the distances of all pairs, by a table of buckets. */
static int relative(struct bt_translation *t, const struct bt_node *n)
{
	const struct bt_node *first = &t->g->nodes[0];
	int most = t->g->params[first->u.embed.position].rows, i, x;
	int64_t *bucket = bt_array(2 * (size_t)most, sizeof(*bucket));

	if (bucket == NULL) {
		bt_error_nomem(t->err, "exporting a model");
		return NONE;
	}
	for (i = 0; i < 2 * most; i++)
		bucket[i] = bt_relative_bucket(i - most);
	x = distances(t, n);
	x = op2(t, "Add", x, bt_onnx_int(t->o, most));
	x = op2(t, "Gather", bt_onnx_ints(t->o, bucket, 2 * most), x);
	free(bucket);
	x = op2(t, "Gather", array(t, n->u.attention.relative_bias, false), x);
	x = op2(t, "Unsqueeze", x, one_int(t, 0));
	return permute(t, x, 0, 3, 1, 2);
}

/* Columns of n heads, or all where each head has its own, and these as [batch,
 * n heads, rows, d]. */
static int columns(struct bt_translation *t, const struct bt_node *of, int node,
                   int col, int n)
{
	int d = of->u.attention.head_dim, step = of->u.attention.head_step;

	return bt_export_columns(t, node, step == d ? col : 0, n * step);
}

static int heads(struct bt_translation *t, const struct bt_node *of, int n,
                 int col, int x)
{
	int d = of->u.attention.head_dim, step = of->u.attention.head_step;

	x = op2(t, "Reshape", x, ints(t, 4, 0, 0, n, step));
	if (step > d)
		x = slice(t, x, 3, col, col + d);
	return permute(t, x, 0, 2, 1, 3);
}

/* Keys or values, each as often as it has heads: by its number. */
static int spread(struct bt_translation *t, const struct bt_node *n, int x)
{
	int h = n->u.attention.heads, each = h / n->u.attention.kv_heads, i;
	int64_t *of;

	if (each == 1)
		return x;
	of = bt_array((size_t)h, sizeof(*of));
	if (of == NULL) {
		bt_error_nomem(t->err, "exporting a model");
		return NONE;
	}
	for (i = 0; i < h; i++)
		of[i] = i / each;
	bt_onnx_set_int(t->o, "axis", 1);
	x = op2(t, "Gather", x, bt_onnx_ints(t->o, of, h));
	free(of);
	return x;
}

/* How far apart a query and a key must be for the place to stay the same from
 * there on; or as far as a table goes. */
static int farthest(const struct bt_relative_args *p)
{
	int before = bt_relative_position_row(p, -FAR), n = 1;
	int behind = bt_relative_position_row(p, FAR);

	while (n < FAR && (bt_relative_position_row(p, n) != behind ||
	                   bt_relative_position_row(p, -n) != before))
		n++;
	return n;
}

/* The row of places for all pairs, [1, 1, queries, keys]. */
static int place_rows(struct bt_translation *t, const struct bt_node *n)
{
	const struct bt_node *table = t->g->nodes; /* a graph has one */
	const struct bt_relative_args *p;
	int far, i, x, low;
	int64_t *rows;

	while (table->op != BT_OP_RELATIVE_POSITIONS)
		table++;
	p = &table->u.relative_positions;
	far = farthest(p);
	rows = bt_array(2 * (size_t)far + 1, sizeof(*rows));
	if (rows == NULL) {
		bt_error_nomem(t->err, "exporting a model");
		return NONE;
	}
	for (i = -far; i <= far; i++)
		rows[far - i] = bt_relative_position_row(p, i);
	x = distances(t, n);
	low = bt_onnx_int(t->o, -far);
	x = bt_onnx_op(t->o, "Clip", x, low, bt_onnx_int(t->o, far));
	x = op2(t, "Add", x, bt_onnx_int(t->o, far));
	x = op2(t, "Gather", bt_onnx_ints(t->o, rows, 2 * far + 1), x);
	free(rows);
	return op2(t, "Unsqueeze", x, ints(t, 2, 0, 1, 0, 0));
}

/* Those for each text and head, [batch, heads, queries, keys], made once for
 * all layers. */
static int places(struct bt_translation *t, const struct bt_node *n)
{
	int *made = &t->places[n->rows == BT_PER_SEQUENCE], shape[2], rows;

	if (*made != NONE)
		return *made;
	rows = place_rows(t, n);
	shape[0] = slice(t, op1(t, "Shape", t->ids), 0, 0, 1);
	shape[1] = ints(t, 3, n->u.attention.heads, 1, 1, 0);
	bt_onnx_set_int(t->o, "axis", 0);
	*made = op2(t, "Expand", rows, bt_onnx_op_of(t->o, "Concat", shape, 2));
	return *made;
}

/* Products of x, queries or keys, with all rows of places' columns from first
 * on: [batch, heads, rows of x, places]. */
static int with_places(struct bt_translation *t, const struct bt_node *n, int x,
                       int first)
{
	int h = n->u.attention.heads, d = n->u.attention.head_dim;
	int p = bt_export_columns(t, n->u.attention.relative_positions, first,
	                          h * d);

	p = op2(t, "Reshape", p, ints(t, 4, 1, -1, h, d));
	return op2(t, "MatMul", x, permute(t, p, 0, 2, 3, 1));
}

/* What GatherElements takes of x along its last dimension. */
static int gather_last(struct bt_translation *t, int x, int at)
{
	bt_onnx_set_int(t->o, "axis", -1);
	return op2(t, "GatherElements", x, at);
}

/* Adds to scores the products of queries and keys with places. */
static int placed(struct bt_translation *t, const struct bt_node *n, int s,
                  int q, int k)
{
	int at = places(t, n), x;

	if (n->u.attention.rel_k_col >= 0) {
		x = with_places(t, n, q, n->u.attention.rel_k_col);
		s = op2(t, "Add", s, gather_last(t, x, at));
	}
	if (n->u.attention.rel_q_col >= 0) {
		x = with_places(t, n, k, n->u.attention.rel_q_col);
		x = gather_last(t, x, permute(t, at, 0, 1, 3, 2));
		s = op2(t, "Add", s, permute(t, x, 0, 1, 3, 2));
	}
	return s;
}

int bt_export_attention(struct bt_translation *t, const struct bt_node *n)
{
	int d = n->u.attention.head_dim, h = n->u.attention.heads;
	int kv = n->u.attention.kv, m = n->u.attention.kv_heads, products = 1;
	int q = columns(t, n, n->in[0], n->u.attention.q_col, h);
	int k = columns(t, n, kv, n->u.attention.k_col, m);
	int v = columns(t, n, kv, n->u.attention.v_col, m), s;

	q = heads(t, n, h, n->u.attention.q_col, q);
	k = heads(t, n, m, n->u.attention.k_col, k);
	v = spread(t, n, heads(t, n, m, n->u.attention.v_col, v));
	if (n->u.attention.rope.theta > 0) {
		if (n->rows == BT_PER_TOKEN) /* the first token's angle is 0 */
			q = rotate(t, n, q);
		k = rotate(t, n, k);
	}
	k = spread(t, n, k);
	s = op2(t, "MatMul", q, permute(t, k, 0, 1, 3, 2));
	if (n->u.attention.relative_positions >= 0) {
		s = placed(t, n, s, q, k);
		products += (n->u.attention.rel_k_col >= 0) +
		            (n->u.attention.rel_q_col >= 0);
	}
	s = op2(t, "Mul", s,
	        bt_onnx_float(t->o, 1 / sqrtf((float)d * (float)products)));
	if (n->u.attention.relative_bias >= 0)
		s = op2(t, "Add", s, relative(t, n));
	if (n->u.attention.window > 0)
		s = op2(t, "Add", s, window(t, n));
	s = op2(t, "Add", s, mask_bias(t));
	bt_onnx_set_int(t->o, "axis", -1);
	s = op1(t, "Softmax", s);
	s = permute(t, op2(t, "MatMul", s, v), 0, 2, 1, 3);
	return op2(t, "Reshape", s, ints(t, 3, 0, 0, h * d, 0));
}
