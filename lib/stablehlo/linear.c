/* SPDX-License-Identifier: MIT */
/* linear, what adapts it, and what stands between layers: add, glu, dropout. */
#include "stablehlo/emit_int.h"

/* X W', of logits in full. */
static int forward(struct bt_hlo_emit *e, int node, int x, int w)
{
	static const struct bt_hlo_product nt = {
	    .sums = 1, .x_sum = {1}, .y_sum = {1}};

	if (node == e->g->logits || node == e->g->next_logits)
		return bt_hlo_dot(&e->b, x, w, nt);
	return bt_hlo_inner_dot(e, x, w, nt);
}

static void linear(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_hlo_output *v = &e->outputs[node];
	int x = bt_hlo_operand(e, bt_hlo_whole(e, n->in[0])), y, i, bias;

	v->n = n->u.linear.parts;
	for (i = 0; i < v->n; i++) {
		y = bt_hlo_param_operand(e, n->u.linear.weight + i);
		y = forward(e, node, x, y);
		if (n->u.linear.bias >= 0) {
			bias = bt_hlo_param(e, n->u.linear.bias + i);
			bias = bt_hlo_along(&e->b, bias, y, 1);
			y = bt_hlo_binary(&e->b, "add", y, bias);
		}
		v->saved[i] = y;
		v->part[i] = bt_hlo_activate(e, n->u.linear.act, y);
		v->cols[i] = e->g->params[n->u.linear.weight + i].rows;
	}
}

/* The gradients by the weights and biases of Y = X [W0' W1' ...], of those by
 * Y's parts beside each other, dy: one product for all. */
static void params_back(struct bt_hlo_emit *e, const struct bt_node *n, int dy,
                        int x, const int *cols)
{
	struct bt_hlo *b = &e->b;
	int w = bt_hlo_dot_tn(b, dy, x), sums = BT_HLO_NONE, i, from, to = 0;

	if (n->u.linear.bias >= 0)
		sums = bt_hlo_reduce(b, "add",
		                     bt_hlo_convert(b, dy, BT_HLO_F32), 0);
	for (i = 0; i < n->u.linear.parts; i++) {
		from = to;
		to += cols[i];
		bt_hlo_give_param(e, n->u.linear.weight + i,
		                  bt_hlo_slice(b, w, 0, from, to));
		if (n->u.linear.bias >= 0)
			bt_hlo_give_param(e, n->u.linear.bias + i,
			                  bt_hlo_slice(b, sums, 0, from, to));
	}
}

static void linear_back(struct bt_hlo_emit *e, int node)
{
	static const struct bt_hlo_product nn = {
	    .sums = 1, .x_sum = {1}, .y_sum = {0}};
	const struct bt_node *n = &e->g->nodes[node];
	const struct bt_hlo_output *v = &e->outputs[node];
	struct bt_hlo *b = &e->b;
	int x = bt_hlo_operand(e, bt_hlo_whole(e, n->in[0]));
	int w[BT_HLO_PARTS], part[BT_HLO_PARTS], i, y, dy;

	for (i = 0; i < v->n; i++) {
		y = bt_hlo_given_part(e, node, i);
		y = bt_hlo_activate_back(e, n->u.linear.act, v->saved[i], y);
		part[i] = bt_hlo_operand(e, y);
		w[i] = bt_hlo_param_operand(e, n->u.linear.weight + i);
	}
	dy = bt_hlo_concat(b, part, v->n, 1);
	if (e->o->bf16)
		dy = bt_hlo_once(b, dy);
	params_back(e, n, dy, x, v->cols);
	y = bt_hlo_concat(b, w, v->n, 0);
	bt_hlo_give(e, n->in[0], bt_hlo_inner_dot(e, dy, y, nn));
}

const struct bt_hlo_op bt_hlo_op_linear = {linear, linear_back};

/* Y = act(X + scale D), of changes D of some of its columns. */
static void adapt(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_hlo *b = &e->b;
	int y = bt_hlo_whole(e, n->in[0]), k, at, cols, dy;

	for (k = 1; k < n->n_in; k++) {
		at = n->u.adapt.col[k - 1];
		cols = e->g->nodes[n->in[k]].cols;
		dy = bt_hlo_with(b, "multiply", bt_hlo_whole(e, n->in[k]),
		                 (double)n->u.adapt.scale);
		dy = bt_hlo_pad(b, dy, 1, at, n->cols - cols - at);
		y = bt_hlo_binary(b, "add", y, dy);
	}
	e->outputs[node].saved[0] = y;
	bt_hlo_set(e, node, bt_hlo_activate(e, n->u.adapt.act, y));
}

static void adapt_back(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_hlo *b = &e->b;
	int dy = bt_hlo_given(e, node), k, at, cols, dx;

	dy = bt_hlo_activate_back(e, n->u.adapt.act, e->outputs[node].saved[0],
	                          dy);
	bt_hlo_give(e, n->in[0], dy);
	for (k = 1; k < n->n_in; k++) {
		at = n->u.adapt.col[k - 1];
		cols = e->g->nodes[n->in[k]].cols;
		dx = bt_hlo_slice(b, dy, 1, at, at + cols);
		bt_hlo_give(
		    e, n->in[k],
		    bt_hlo_with(b, "multiply", dx, (double)n->u.adapt.scale));
	}
}

const struct bt_hlo_op bt_hlo_op_adapt = {adapt, adapt_back};

static void add(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	int x = bt_hlo_whole(e, n->in[1]);

	x = bt_hlo_drop(e, node, n->u.drop.dropout, x);
	bt_hlo_set(e, node,
	           bt_hlo_binary(&e->b, "add", bt_hlo_whole(e, n->in[0]), x));
}

static void add_back(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	int dy = bt_hlo_given(e, node);

	bt_hlo_give(e, n->in[0], dy);
	bt_hlo_give(e, n->in[1],
	            bt_hlo_drop_back(e, node, n->u.drop.dropout, dy));
}

const struct bt_hlo_op bt_hlo_op_add = {add, add_back};

static void glu(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	int x = bt_hlo_columns(e, n->in[0], 0, n->cols);
	int y = bt_hlo_columns(e, n->in[0], n->cols, n->cols);

	if (n->u.glu.gate_last)
		y = bt_hlo_activate(e, n->u.glu.act, y);
	else
		x = bt_hlo_activate(e, n->u.glu.act, x);
	bt_hlo_set(e, node, bt_hlo_binary(&e->b, "multiply", x, y));
}

static void glu_back(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_hlo *b = &e->b;
	int gate = n->u.glu.gate_last ? n->cols : 0, other = n->cols - gate;
	int x = bt_hlo_columns(e, n->in[0], gate, n->cols);
	int y = bt_hlo_columns(e, n->in[0], other, n->cols);
	int dy = bt_hlo_given(e, node), dx;

	dx = bt_hlo_binary(b, "multiply", dy, y);
	dx = bt_hlo_activate_back(e, n->u.glu.act, x, dx);
	bt_hlo_give_columns(e, n->in[0], gate, n->cols, dx);
	dx = bt_hlo_activate(e, n->u.glu.act, x);
	dx = bt_hlo_binary(b, "multiply", dy, dx);
	bt_hlo_give_columns(e, n->in[0], other, n->cols, dx);
}

const struct bt_hlo_op bt_hlo_op_glu = {glu, glu_back};

static void dropout(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	int x = bt_hlo_whole(e, n->in[0]);

	bt_hlo_set(e, node, bt_hlo_drop(e, node, n->u.drop.dropout, x));
}

static void dropout_back(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	int dy = bt_hlo_given(e, node);

	bt_hlo_give(e, n->in[0],
	            bt_hlo_drop_back(e, node, n->u.drop.dropout, dy));
}

const struct bt_hlo_op bt_hlo_op_dropout = {dropout, dropout_back};
