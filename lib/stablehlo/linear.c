/* SPDX-License-Identifier: MIT */
/* linear, and what stands between layers: add, glu, dropout. */
#include "stablehlo/emit_int.h"

static void linear(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_hlo_output *v = &e->outputs[node];
	int x = bt_hlo_operand(e, bt_hlo_whole(e, n->in[0])), y, i, bias;

	v->n = n->u.linear.parts;
	for (i = 0; i < v->n; i++) {
		y = bt_hlo_param_operand(e, n->u.linear.weight + i);
		y = bt_hlo_dot_nt(&e->b, x, y);
		if (n->u.linear.bias >= 0) {
			bias = bt_hlo_param(e, n->u.linear.bias + i);
			bias = bt_hlo_along(&e->b, bias, y, 1);
			y = bt_hlo_binary(&e->b, "add", y, bias);
		}
		v->part[i] = bt_hlo_activate(e, n->u.linear.act, y);
		v->cols[i] = e->g->params[n->u.linear.weight + i].rows;
	}
}

const struct bt_hlo_op bt_hlo_op_linear = {linear};

static void add(struct bt_hlo_emit *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	int x = bt_hlo_whole(e, n->in[0]);

	bt_hlo_set(e, node,
	           bt_hlo_binary(&e->b, "add", x, bt_hlo_whole(e, n->in[1])));
}

const struct bt_hlo_op bt_hlo_op_add = {add};

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

const struct bt_hlo_op bt_hlo_op_glu = {glu};

static void dropout(struct bt_hlo_emit *e, int node)
{
	bt_hlo_set(e, node, bt_hlo_whole(e, e->g->nodes[node].in[0]));
}

const struct bt_hlo_op bt_hlo_op_dropout = {dropout};
