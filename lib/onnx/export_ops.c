/* SPDX-License-Identifier: MIT */
/*
 * The operators of op/ops.h in those of ONNX. Where our values have a row for
 * each token there is [batch, sequence, columns], where they have one for each
 * text [batch, 1, columns]. A node that makes several things at once, as
 * queries, keys and values, is one value for each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "onnx/export_ops_int.h"
#include "op/ops.h"

static int sum_over(struct bt_translation *t, int x, int64_t axis)
{
	return op2(t, "ReduceSum", x, one_int(t, axis));
}

static int norm(struct bt_translation *t, int x, int gamma, int beta, float eps)
{
	int g = array(t, gamma, false);
	int b = beta < 0 ? NONE : array(t, beta, false);

	bt_onnx_set_int(t->o, "axis", -1);
	bt_onnx_set_float(t->o, "epsilon", eps);
	return bt_onnx_op(t->o, "LayerNormalization", x, g, b);
}

/* x / sqrt(mean(x^2) + eps) * gamma */
static int rms_norm(struct bt_translation *t, int x, const struct bt_node *n)
{
	int y = sum_over(t, op2(t, "Mul", x, x), -1);

	y = op2(t, "Div", y, bt_onnx_float(t->o, (float)n->cols));
	y = op2(t, "Add", y, bt_onnx_float(t->o, n->u.norm.eps));
	y = op2(t, "Div", x, op1(t, "Sqrt", y));
	return op2(t, "Mul", y, array(t, n->u.norm.gamma, false));
}

static int positions(struct bt_translation *t, const struct bt_node *n)
{
	int first = n->u.embed.position0, x, m;

	if (first == 0)
		return range(t);
	if (n->u.embed.pad < 0) {
		x = range(t);
		return op2(t, "Add", x, bt_onnx_int(t->o, first));
	}
	m = op2(t, "Equal", t->ids, bt_onnx_int(t->o, n->u.embed.pad));
	m = cast(t, op1(t, "Not", m), BT_ONNX_INT64);
	x = op2(t, "Mul", op2(t, "CumSum", m, bt_onnx_int(t->o, 1)), m);
	return op2(t, "Add", x, bt_onnx_int(t->o, first - 1));
}

static int embed(struct bt_translation *t, const struct bt_node *n)
{
	int type = n->u.embed.type;
	int x = op2(t, "Gather", array(t, n->u.embed.word, false), t->ids);
	int p;

	if (n->u.embed.position >= 0) {
		p = array(t, n->u.embed.position, false);
		p = op2(t, "Gather", p, positions(t, n));
		x = op2(t, "Add", x, p);
	}
	if (type >= 0) {
		p = array(t, type, false);
		if (t->g->params[type].rows > 1)
			p = op2(t, "Gather", p, t->types);
		x = op2(t, "Add", x, p);
	}
	if (n->u.embed.gamma < 0)
		return x;
	return norm(t, x, n->u.embed.gamma, n->u.embed.beta, n->u.embed.eps);
}

/* x Phi(x) = x (1 + erf(x / sqrt 2)) / 2 */
static int gelu(struct bt_translation *t, int x)
{
	int y = op2(t, "Div", x, bt_onnx_float(t->o, sqrtf(2)));

	y = op1(t, "Erf", y);
	y = op2(t, "Add", y, bt_onnx_float(t->o, 1));
	y = op2(t, "Mul", x, y);
	return op2(t, "Mul", y, bt_onnx_float(t->o, 0.5f));
}

/* x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2 */
static int gelu_tanh(struct bt_translation *t, int x)
{
	int y = op2(t, "Mul", op2(t, "Mul", x, x), x);

	y = op2(t, "Mul", y, bt_onnx_float(t->o, 0.044715f));
	y = op2(t, "Add", x, y);
	y = op2(t, "Mul", y, bt_onnx_float(t->o, 0.7978845608028654f));
	y = op1(t, "Tanh", y);
	y = op2(t, "Add", y, bt_onnx_float(t->o, 1));
	y = op2(t, "Mul", x, y);
	return op2(t, "Mul", y, bt_onnx_float(t->o, 0.5f));
}

static int activate(struct bt_translation *t, enum bt_activation act, int x)
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
	case BT_ACT_SILU:
		return op2(t, "Mul", x, op1(t, "Sigmoid", x));
	default:
		bt_error_set(t->err, BT_EFORMAT,
		             "the activation %s cannot be said in ONNX",
		             bt_activation_name(act));
		return NONE;
	}
}

static void linear(struct bt_translation *t, const struct bt_node *n,
                   struct bt_onnx_value *v)
{
	int in = bt_export_whole(t, n->in[0]), i, w, x;

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

static int mean(struct bt_translation *t, int x)
{
	int m = cast(t, t->mask, BT_ONNX_FLOAT);

	m = op2(t, "Unsqueeze", m, one_int(t, 2));
	x = sum_over(t, op2(t, "Mul", x, m), 1);
	return op2(t, "Div", x, sum_over(t, m, 1));
}

static int greatest(struct bt_translation *t, int x)
{
	static const int64_t tokens = 1;
	int m = bt_export_mask(t);

	x = op2(t, "Add", x, op2(t, "Unsqueeze", m, one_int(t, 2)));
	bt_onnx_set_ints(t->o, "axes", &tokens, 1);
	return op1(t, "ReduceMax", x);
}

/* log of the shares of a row's sum, which are held off 0 and 1. */
static int log_share(struct bt_translation *t, int x)
{
	const float e = (float)BT_KERAS_EPSILON;
	int s = sum_over(t, x, -1), zero = bt_onnx_float(t->o, 0);
	int some = op2(t, "Greater", s, zero), least, most;

	x = bt_onnx_op(t->o, "Where", some, op2(t, "Div", x, s), zero);
	least = bt_onnx_float(t->o, e);
	most = bt_onnx_float(t->o, 1 - e);
	x = bt_onnx_op(t->o, "Clip", x, least, most);
	return op1(t, "Log", x);
}

/* act(A) * B of a value's halves. */
static int gated(struct bt_translation *t, const struct bt_node *n)
{
	int a = bt_export_columns(t, n->in[0], 0, n->cols);
	int b = bt_export_columns(t, n->in[0], n->cols, n->cols);

	return n->u.glu.gate_last
	           ? op2(t, "Mul", activate(t, n->u.glu.act, b), a)
	           : op2(t, "Mul", activate(t, n->u.glu.act, a), b);
}

static int add(struct bt_translation *t, const struct bt_node *n)
{
	int x = bt_export_whole(t, n->in[0]);

	return op2(t, "Add", x, bt_export_whole(t, n->in[1]));
}

static int flatten(struct bt_translation *t, const struct bt_node *n)
{
	int x = bt_export_whole(t, n->in[0]);

	return op2(t, "Reshape", x, ints(t, 3, 0, 1, n->cols, 0));
}

static int pass_on(struct bt_translation *t, const struct bt_node *n)
{
	switch (n->op) {
	case BT_OP_EMBED:
		return embed(t, n);
	case BT_OP_ATTENTION:
		return bt_export_attention(t, n);
	case BT_OP_RESIDUAL_NORM:
		return norm(t, add(t, n), n->u.norm.gamma, n->u.norm.beta,
		            n->u.norm.eps);
	case BT_OP_NORM:
		if (n->u.norm.rms)
			return rms_norm(t, bt_export_whole(t, n->in[0]), n);
		return norm(t, bt_export_whole(t, n->in[0]), n->u.norm.gamma,
		            n->u.norm.beta, n->u.norm.eps);
	case BT_OP_ADD:
		return add(t, n);
	case BT_OP_GLU:
		return gated(t, n);
	case BT_OP_RELATIVE_POSITIONS: /* all: attention takes those of its
	                                  pairs */
		return array(t, n->u.relative_positions.table, false);
	case BT_OP_FIRST:
		return slice(t, bt_export_whole(t, n->in[0]), 1, 0, 1);
	case BT_OP_MEAN:
		return mean(t, bt_export_whole(t, n->in[0]));
	case BT_OP_MAX:
		return greatest(t, bt_export_whole(t, n->in[0]));
	case BT_OP_FLATTEN:
		return flatten(t, n);
	case BT_OP_LOG_NORMALIZE:
		return log_share(t, bt_export_whole(t, n->in[0]));
	case BT_OP_DROPOUT:
		return bt_export_whole(t, n->in[0]);
	default:
		bt_error_set(t->err, BT_EFORMAT,
		             "the operator %s cannot be said in ONNX",
		             bt_opcode_name(n->op));
		return NONE;
	}
}

/* All nodes that the answer needs, up to the last. */
static int translate(struct bt_translation *t, int last)
{
	const struct bt_node *n;
	struct bt_onnx_value *v;
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

static void make_inputs(struct bt_translation *t)
{
	static const char *const dims[] = {"batch", "sequence"};

	t->ids = bt_onnx_input(t->o, "input_ids", BT_ONNX_INT64, dims, 2);
	t->mask = bt_onnx_input(t->o, "attention_mask", BT_ONNX_INT64, dims, 2);
	t->types = !has_types(t->g) ? NONE
	                            : bt_onnx_input(t->o, "token_type_ids",
	                                            BT_ONNX_INT64, dims, 2);
}

static void make_output(struct bt_translation *t, int node, bool classifier)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *dims[] = {"batch", "sequence", NULL};
	int x = bt_export_whole(t, node);

	bt_buf_printf(&b, "%d", t->g->nodes[node].cols);
	dims[2] = bt_buf_str(&b) != NULL ? bt_buf_str(&b) : "columns";
	if (classifier && t->g->nodes[node].rows == BT_PER_SEQUENCE) {
		bt_onnx_set_name(t->o, "logits");
		x = op2(t, "Squeeze", x, one_int(t, 1));
		dims[1] = dims[2];
		bt_onnx_output(t->o, x, BT_ONNX_FLOAT, dims, 2);
	} else {
		bt_onnx_set_name(t->o,
		                 classifier ? "logits" : "last_hidden_state");
		x = op1(t, "Identity", x);
		bt_onnx_output(t->o, x, BT_ONNX_FLOAT, dims, 3);
	}
	bt_buf_clear(&b);
}

int bt_export_translate(const struct bt_export_graph *e, const char *path,
                        bool *beside, struct bt_error *err)
{
	struct bt_translation t = {
	    .g = e->graph, .at = e->at, .bias = NONE, .places = {NONE, NONE}};
	int r;

	t.err = err;
	t.o = bt_onnx_new(e->name);
	t.values = bt_array0((size_t)t.g->n_nodes + 1, sizeof(*t.values));
	if (t.values == NULL) {
		r = bt_error_nomem(err, "exporting a model");
	} else {
		make_inputs(&t);
		r = translate(&t, e->last);
		if (r == BT_OK) {
			make_output(&t, e->last, e->classifier);
			r = bt_onnx_save(t.o, path, e->most, beside, err);
		}
	}
	bt_onnx_free(t.o);
	free(t.values);
	return r;
}
