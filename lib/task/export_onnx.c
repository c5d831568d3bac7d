/* SPDX-License-Identifier: MIT */
/*
 * The operators of op/ops.h in those of ONNX. Where our values have a row for
 * each token there is [batch, sequence, columns], where they have one for each
 * text [batch, 1, columns]. A node that makes several things at once, as
 * queries, keys and values, is one value for each.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt/onnx.h"
#include "op/ops.h"
#include "task/export_int.h"

#define PARTS 3
#define NONE BT_ONNX_NONE
#define MASKED (-3.4028234663852886e38f) /* the least float */

struct value {
	int part[PARTS];
	int cols[PARTS];
	int n;
};

struct translation {
	struct bt_onnx *o;
	const struct bt_graph *g;
	const float **at; /* of each parameter */
	struct value *values;
	int ids, mask, types; /* inputs */
	int bias;             /* made of mask: added to scores; or NONE */
	struct bt_error *err;
};

static int op2(struct translation *t, const char *op, int a, int b)
{
	return bt_onnx_op(t->o, op, a, b, NONE);
}

static int op1(struct translation *t, const char *op, int a)
{
	return op2(t, op, a, NONE);
}

static int array(struct translation *t, int param, bool transposed)
{
	const struct bt_param *p = &t->g->params[param];

	return bt_onnx_floats(t->o, p->name, t->at[param],
	                      p->rank == 1 ? 0 : p->rows, p->cols, transposed);
}

static int ints(struct translation *t, int n, int64_t a, int64_t b, int64_t c,
                int64_t d)
{
	const int64_t v[] = {a, b, c, d};

	return bt_onnx_ints(t->o, v, n);
}

static int one_int(struct translation *t, int64_t a)
{
	return ints(t, 1, a, 0, 0, 0);
}

static int cast(struct translation *t, int x, enum bt_onnx_type to)
{
	bt_onnx_set_int(t->o, "to", to);
	return op1(t, "Cast", x);
}

static int permute(struct translation *t, int x, int64_t a, int64_t b,
                   int64_t c, int64_t d)
{
	const int64_t perm[] = {a, b, c, d};

	bt_onnx_set_ints(t->o, "perm", perm, 4);
	return op1(t, "Transpose", x);
}

static int slice(struct translation *t, int x, int64_t axis, int64_t start,
                 int64_t end)
{
	const int in[] = {x, one_int(t, start), one_int(t, end),
	                  one_int(t, axis)};

	return bt_onnx_op_of(t->o, "Slice", in, 4);
}

/* 0, 1, ... for each token of a text. */
static int range(struct translation *t)
{
	int shape = op1(t, "Shape", t->ids);
	int n = op2(t, "Gather", shape, bt_onnx_int(t->o, 1));

	return bt_onnx_op(t->o, "Range", bt_onnx_int(t->o, 0), n,
	                  bt_onnx_int(t->o, 1));
}

/* The value of a node as one. */
static int whole(struct translation *t, int node)
{
	const struct value *v = &t->values[node];

	if (v->n == 1)
		return v->part[0];
	bt_onnx_set_int(t->o, "axis", -1);
	return bt_onnx_op_of(t->o, "Concat", v->part, v->n);
}

/* So many columns of a node from the first on: one of its parts, or cut out. */
static int columns(struct translation *t, int node, int first, int n)
{
	const struct value *v = &t->values[node];
	int i, at = 0;

	for (i = 0; i < v->n; at += v->cols[i++])
		if (at == first && v->cols[i] == n)
			return v->part[i];
	return slice(t, whole(t, node), -1, first, first + n);
}

static int norm(struct translation *t, int x, int gamma, int beta, float eps)
{
	bt_onnx_set_int(t->o, "axis", -1);
	bt_onnx_set_float(t->o, "epsilon", eps);
	return bt_onnx_op(t->o, "LayerNormalization", x, array(t, gamma, false),
	                  beta < 0 ? NONE : array(t, beta, false));
}

static int positions(struct translation *t, const struct bt_node *n)
{
	int first = n->u.embed.position0, x, m;

	if (first == 0)
		return range(t);
	if (n->u.embed.pad < 0)
		return op2(t, "Add", range(t), bt_onnx_int(t->o, first));
	m = op2(t, "Equal", t->ids, bt_onnx_int(t->o, n->u.embed.pad));
	m = cast(t, op1(t, "Not", m), BT_ONNX_INT64);
	x = op2(t, "Mul", op2(t, "CumSum", m, bt_onnx_int(t->o, 1)), m);
	return op2(t, "Add", x, bt_onnx_int(t->o, first - 1));
}

static int embed(struct translation *t, const struct bt_node *n)
{
	int type = n->u.embed.type;
	int x = op2(t, "Gather", array(t, n->u.embed.word, false), t->ids);
	int p;

	if (n->u.embed.position >= 0) {
		p = op2(t, "Gather", array(t, n->u.embed.position, false),
		        positions(t, n));
		x = op2(t, "Add", x, p);
	}
	if (type >= 0) {
		p = array(t, type, false);
		if (t->g->params[type].rows > 1)
			p = op2(t, "Gather", p, t->types);
		x = op2(t, "Add", x, p);
	}
	return norm(t, x, n->u.embed.gamma, n->u.embed.beta, n->u.embed.eps);
}

/* x Phi(x) = x (1 + erf(x / sqrt 2)) / 2 */
static int gelu(struct translation *t, int x)
{
	int y = op2(t, "Div", x, bt_onnx_float(t->o, sqrtf(2)));

	y = op2(t, "Add", op1(t, "Erf", y), bt_onnx_float(t->o, 1));
	return op2(t, "Mul", op2(t, "Mul", x, y), bt_onnx_float(t->o, 0.5f));
}

/* x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2 */
static int gelu_tanh(struct translation *t, int x)
{
	int y = op2(t, "Mul", op2(t, "Mul", x, x), x);

	y = op2(t, "Mul", y, bt_onnx_float(t->o, 0.044715f));
	y = op2(t, "Mul", op2(t, "Add", x, y),
	        bt_onnx_float(t->o, 0.7978845608028654f));
	y = op2(t, "Add", op1(t, "Tanh", y), bt_onnx_float(t->o, 1));
	return op2(t, "Mul", op2(t, "Mul", x, y), bt_onnx_float(t->o, 0.5f));
}

static int activate(struct translation *t, enum bt_activation act, int x)
{
	switch (act) {
	case BT_ACT_NONE:
		return x;
	case BT_ACT_GELU:
		return gelu(t, x);
	case BT_ACT_GELU_TANH:
		return gelu_tanh(t, x);
	case BT_ACT_RELU:
		return op1(t, "Relu", x);
	case BT_ACT_TANH:
		return op1(t, "Tanh", x);
	case BT_ACT_SOFTPLUS:
		return op1(t, "Softplus", x);
	default:
		bt_error_set(t->err, BT_EFORMAT,
		             "the activation %s cannot be said in ONNX",
		             bt_activation_name(act));
		return NONE;
	}
}

static void linear(struct translation *t, const struct bt_node *n,
                   struct value *v)
{
	int in = whole(t, n->in[0]), i, w, x;

	for (i = 0; i < n->u.linear.parts; i++) {
		w = n->u.linear.weight + i;
		x = op2(t, "MatMul", in, array(t, w, true));
		if (n->u.linear.bias >= 0)
			x = op2(t, "Add", x,
			        array(t, n->u.linear.bias + i, false));
		v->part[i] = activate(t, n->u.linear.act, x);
		v->cols[i] = t->g->params[w].rows;
	}
	v->n = n->u.linear.parts;
}

/* [batch, sequence]: 0 for tokens, and for padding the least float. */
static int masked(struct translation *t)
{
	int x = cast(t, t->mask, BT_ONNX_FLOAT);

	x = op2(t, "Sub", bt_onnx_float(t->o, 1), x);
	return op2(t, "Mul", x, bt_onnx_float(t->o, MASKED));
}

/* What takes padding out of a softmax. */
static int mask_bias(struct translation *t)
{
	if (t->bias == NONE)
		t->bias =
		    op2(t, "Unsqueeze", masked(t), ints(t, 2, 1, 2, 0, 0));
	return t->bias;
}

static int sum_over(struct translation *t, int x, int64_t axis)
{
	return op2(t, "ReduceSum", x, one_int(t, axis));
}

static int mean(struct translation *t, int x)
{
	int m =
	    op2(t, "Unsqueeze", cast(t, t->mask, BT_ONNX_FLOAT), one_int(t, 2));

	return op2(t, "Div", sum_over(t, op2(t, "Mul", x, m), 1),
	           sum_over(t, m, 1));
}

static int greatest(struct translation *t, int x)
{
	static const int64_t tokens = 1;

	x = op2(t, "Add", x, op2(t, "Unsqueeze", masked(t), one_int(t, 2)));
	bt_onnx_set_ints(t->o, "axes", &tokens, 1);
	return op1(t, "ReduceMax", x);
}

/* log of the shares of a row's sum, which are held off 0 and 1. */
static int log_share(struct translation *t, int x)
{
	const float e = (float)BT_SHARE_LEAST;
	int s = sum_over(t, x, -1), zero = bt_onnx_float(t->o, 0);

	x = bt_onnx_op(t->o, "Where", op2(t, "Greater", s, zero),
	               op2(t, "Div", x, s), zero);
	x = bt_onnx_op(t->o, "Clip", x, bt_onnx_float(t->o, e),
	               bt_onnx_float(t->o, 1 - e));
	return op1(t, "Log", x);
}

/* How far each token stands behind each query. */
static int distances(struct translation *t, const struct bt_node *n)
{
	int x = range(t), y = op2(t, "Unsqueeze", x, one_int(t, 1));

	if (n->rows == BT_PER_TEXT)
		y = slice(t, y, 0, 0, 1);
	return op2(t, "Sub", x, y);
}

/* What takes out of a softmax the tokens that are too far. */
static int window(struct translation *t, const struct bt_node *n)
{
	int far = op2(t, "Greater", op1(t, "Abs", distances(t, n)),
	              bt_onnx_int(t->o, n->u.attention.window));

	return bt_onnx_op(t->o, "Where", far, bt_onnx_float(t->o, MASKED),
	                  bt_onnx_float(t->o, 0));
}

/* The angle by which each token's columns c and c + d/2 are turned. */
static int angles(struct translation *t, const struct bt_node *n)
{
	int half = n->u.attention.head_dim / 2, x, y;

	x = bt_onnx_op(t->o, "Range", bt_onnx_int(t->o, 0),
	               bt_onnx_int(t->o, half), bt_onnx_int(t->o, 1));
	x = op2(t, "Div", cast(t, x, BT_ONNX_FLOAT),
	        bt_onnx_float(t->o, (float)half));
	x = op2(t, "Pow", bt_onnx_float(t->o, n->u.attention.theta), x);
	y = cast(t, range(t), BT_ONNX_FLOAT);
	return op2(t, "Div", op2(t, "Unsqueeze", y, one_int(t, 1)), x);
}

/* x: [batch, heads, sequence, d] */
static int rotate(struct translation *t, const struct bt_node *n, int x)
{
	int half = n->u.attention.head_dim / 2;
	int a = slice(t, x, 3, 0, half), b = slice(t, x, 3, half, 2 * half);
	int angle = angles(t, n), c = op1(t, "Cos", angle);
	int s = op1(t, "Sin", angle);
	int left = op2(t, "Sub", op2(t, "Mul", a, c), op2(t, "Mul", b, s));
	int right = op2(t, "Add", op2(t, "Mul", b, c), op2(t, "Mul", a, s));

	bt_onnx_set_int(t->o, "axis", -1);
	return op2(t, "Concat", left, right);
}

/* Rows of R for the distances of all pairs, by a table of buckets. */
static int relative(struct translation *t, const struct bt_node *n)
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
	x = op2(t, "Add", distances(t, n), bt_onnx_int(t->o, most));
	x = op2(t, "Gather", bt_onnx_ints(t->o, bucket, 2 * most), x);
	free(bucket);
	x = op2(t, "Gather", array(t, n->u.attention.relative, false), x);
	x = op2(t, "Unsqueeze", x, one_int(t, 0));
	return permute(t, x, 0, 3, 1, 2);
}

/* [batch, heads, rows, d] */
static int heads(struct translation *t, const struct bt_node *n, int x)
{
	int shape =
	    ints(t, 4, 0, 0, n->u.attention.heads, n->u.attention.head_dim);

	x = op2(t, "Reshape", x, shape);
	return permute(t, x, 0, 2, 1, 3);
}

static int attention(struct translation *t, const struct bt_node *n)
{
	int d = n->u.attention.head_dim, h = n->u.attention.heads;
	int kv = n->u.attention.kv;
	int q = columns(t, n->in[0], n->u.attention.q_col, h * d);
	int k = columns(t, kv, n->u.attention.k_col, h * d);
	int v = columns(t, kv, n->u.attention.v_col, h * d), s;

	if (n->u.attention.places >= 0)
		return bt_error_set(t->err, BT_EFORMAT,
		                    "attention by places cannot be said in "
		                    "ONNX here");
	q = heads(t, n, q);
	k = heads(t, n, k);
	v = heads(t, n, v);
	if (n->u.attention.theta > 0) {
		if (n->rows == BT_PER_TOKEN) /* the first token's angle is 0 */
			q = rotate(t, n, q);
		k = rotate(t, n, k);
	}
	s = op2(t, "MatMul", q, permute(t, k, 0, 1, 3, 2));
	s = op2(t, "Mul", s, bt_onnx_float(t->o, 1 / sqrtf((float)d)));
	if (n->u.attention.relative >= 0)
		s = op2(t, "Add", s, relative(t, n));
	if (n->u.attention.window > 0)
		s = op2(t, "Add", s, window(t, n));
	s = op2(t, "Add", s, mask_bias(t));
	bt_onnx_set_int(t->o, "axis", -1);
	s = op1(t, "Softmax", s);
	s = permute(t, op2(t, "MatMul", s, v), 0, 2, 1, 3);
	return op2(t, "Reshape", s, ints(t, 3, 0, 0, h * d, 0));
}

/* act(A) * B of a value's halves. */
static int gated(struct translation *t, const struct bt_node *n)
{
	int a = columns(t, n->in[0], 0, n->cols);
	int b = columns(t, n->in[0], n->cols, n->cols);

	return op2(t, "Mul", activate(t, n->u.gated.act, a), b);
}

static int pass_on(struct translation *t, const struct bt_node *n)
{
	switch (n->op) {
	case BT_OP_EMBED:
		return embed(t, n);
	case BT_OP_ATTENTION:
		return attention(t, n);
	case BT_OP_RESIDUAL_NORM:
		return norm(
		    t, op2(t, "Add", whole(t, n->in[0]), whole(t, n->in[1])),
		    n->u.norm.gamma, n->u.norm.beta, n->u.norm.eps);
	case BT_OP_NORM:
		return norm(t, whole(t, n->in[0]), n->u.norm.gamma,
		            n->u.norm.beta, n->u.norm.eps);
	case BT_OP_ADD:
		return op2(t, "Add", whole(t, n->in[0]), whole(t, n->in[1]));
	case BT_OP_GATED:
		return gated(t, n);
	case BT_OP_FIRST:
		return slice(t, whole(t, n->in[0]), 1, 0, 1);
	case BT_OP_MEAN:
		return mean(t, whole(t, n->in[0]));
	case BT_OP_MAX:
		return greatest(t, whole(t, n->in[0]));
	case BT_OP_FLATTEN:
		return op2(t, "Reshape", whole(t, n->in[0]),
		           ints(t, 3, 0, 1, n->cols, 0));
	case BT_OP_LOG_SHARE:
		return log_share(t, whole(t, n->in[0]));
	case BT_OP_DROPOUT:
		return whole(t, n->in[0]);
	default:
		bt_error_set(t->err, BT_EFORMAT,
		             "the operator %s cannot be said in ONNX",
		             bt_opcode_name(n->op));
		return NONE;
	}
}

/* All nodes that the answer needs, up to the last. */
static int translate(struct translation *t, int last)
{
	const struct bt_node *n;
	struct value *v;
	int i;

	for (i = 0; i <= last && t->err->code == BT_OK; i++) {
		n = &t->g->nodes[i];
		v = &t->values[i];
		if (n->op == BT_OP_LINEAR) {
			linear(t, n, v);
			continue;
		}
		v->n = 1;
		v->part[0] = pass_on(t, n);
		v->cols[0] = n->cols;
	}
	return t->err->code;
}

/* Whether an operator looks at the segments of tokens. */
static bool has_types(const struct bt_graph *g)
{
	int i;

	for (i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].op == BT_OP_EMBED &&
		    g->nodes[i].u.embed.type >= 0 &&
		    g->params[g->nodes[i].u.embed.type].rows > 1)
			return true;
	return false;
}

static void make_inputs(struct translation *t)
{
	static const char *const dims[] = {"batch", "sequence"};

	t->ids = bt_onnx_input(t->o, "input_ids", BT_ONNX_INT64, dims, 2);
	t->mask = bt_onnx_input(t->o, "attention_mask", BT_ONNX_INT64, dims, 2);
	t->types = !has_types(t->g) ? NONE
	                            : bt_onnx_input(t->o, "token_type_ids",
	                                            BT_ONNX_INT64, dims, 2);
}

static void make_output(struct translation *t, int node, bool classifier)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *dims[] = {"batch", "sequence", NULL};
	int x = whole(t, node);

	bt_buf_printf(&b, "%d", t->g->nodes[node].cols);
	dims[2] = bt_buf_str(&b) != NULL ? bt_buf_str(&b) : "columns";
	if (classifier) {
		bt_onnx_set_name(t->o, "logits");
		x = op2(t, "Squeeze", x, one_int(t, 1));
		dims[1] = dims[2];
		bt_onnx_output(t->o, x, BT_ONNX_FLOAT, dims, 2);
	} else {
		bt_onnx_set_name(t->o, "last_hidden_state");
		x = op1(t, "Identity", x);
		bt_onnx_output(t->o, x, BT_ONNX_FLOAT, dims, 3);
	}
	bt_buf_clear(&b);
}

int bt_export_translate(const struct bt_export_graph *e, const char *path,
                        struct bt_error *err)
{
	struct translation t = {.g = e->graph, .at = e->at, .bias = NONE};
	int r;

	t.err = err;
	t.o = bt_onnx_new(e->name);
	t.values = bt_array0((size_t)t.g->n_nodes + 1, sizeof(*t.values));
	if (t.o == NULL || t.values == NULL) {
		r = bt_error_nomem(err, "exporting a model");
	} else {
		make_inputs(&t);
		r = translate(&t, e->last);
		if (r == BT_OK) {
			make_output(&t, e->last, e->classifier);
			r = bt_onnx_save(t.o, path, err);
		}
	}
	bt_onnx_free(t.o);
	free(t.values);
	return r;
}
