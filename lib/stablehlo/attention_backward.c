/* SPDX-License-Identifier: MIT */
/*
 * Attention backwards, with queries, keys, values and probabilities as the
 * forward pass left them: dV = drop(P)' dO, dP = drop'(dO V'), dS = P * (dP -
 * rowsum(P * dP)), dQ = dS K, dK = dS' Q, the last two scaled. What is masked
 * has P = 0.
 */
#include "stablehlo/attention_int.h"

/* Of [rows, heads, queries, keys] and [rows, length, heads, d]: for each query,
 * the sum over keys; for each key, that over queries. */
static int over_keys(struct bt_hlo_emit *e, int s, int x)
{
	static const struct bt_hlo_product p = {2, 1, {0, 1}, {0, 2}, {3}, {1}};
	static const int back[] = {0, 2, 1, 3};

	return bt_hlo_transpose(&e->b, bt_hlo_inner_dot(e, s, x, p), back);
}

static int over_queries(struct bt_hlo_emit *e, int s, int x)
{
	static const struct bt_hlo_product p = {2, 1, {0, 1}, {0, 2}, {2}, {1}};
	static const int back[] = {0, 2, 1, 3};

	return bt_hlo_transpose(&e->b, bt_hlo_inner_dot(e, s, x, p), back);
}

/* The gradient by the output of all tokens as heads: texts of which only the
 * first token asks have it in its row. */
static int output_heads(struct bt_hlo_emit *e, const struct bt_node *n,
                        int node)
{
	const int64_t dims[] = {e->o->size.rows, e->o->size.length,
	                        n->u.attention.heads, n->u.attention.head_dim};
	int x = bt_hlo_given(e, node);

	if (n->rows == BT_PER_SEQUENCE)
		x = bt_hlo_for_first(e, x);
	return bt_hlo_operand(e, bt_hlo_reshape(&e->b, x, 4, dims));
}

/* The rows of x of the texts' first tokens; zeros for texts that the batch does
 * not have. */
static int first_rows(struct bt_hlo_emit *e, int x)
{
	struct bt_hlo *b = &e->b;
	int at = bt_hlo_input(e, BT_HLO_ARG_FIRST), none;

	none = bt_hlo_compare_with(b, "GE", at, (double)bt_hlo_tokens(e));
	x = bt_hlo_gather(b, x, at);
	none = bt_hlo_along(b, none, x, 0);
	return bt_hlo_select(b, none, bt_hlo_splat(b, bt_hlo_shape_of(b, x), 0),
	                     x);
}

/* Gives the gradient x, [rows, length, heads, d], to columns of a node: that of
 * heads that share is theirs together, and of a text's queries, which all its
 * tokens have, the first token's alone is not zero. */
static void give_heads(struct bt_hlo_emit *e, const struct bt_node *n, int node,
                       int column, int h, int x)
{
	struct bt_hlo *b = &e->b;
	int heads = n->u.attention.heads, d = n->u.attention.head_dim;
	int step = n->u.attention.head_step;
	const int64_t shared[] = {e->o->size.rows, e->o->size.length, h,
	                          heads / h, d};
	const int64_t dims[] = {bt_hlo_tokens(e), (int64_t)h * step};

	if (h < heads)
		x = bt_hlo_reduce(b, "add", bt_hlo_reshape(b, x, 5, shared), 3);
	if (step > d)
		x = bt_hlo_pad(b, x, 3, column, step - d - column);
	x = bt_hlo_reshape(b, x, 2, dims);
	if (e->g->nodes[node].rows == BT_PER_SEQUENCE)
		x = first_rows(e, x);
	bt_hlo_give_columns(e, node, step == d ? column : 0, h * step, x);
}

/* Of dp by the probabilities p. */
static int softmax_back(struct bt_hlo *b, int p, int dp)
{
	static const int map[] = {0, 1, 2};
	int x = bt_hlo_binary(b, "multiply", p, dp);

	x = bt_hlo_reduce(b, "add", x, 3);
	x = bt_hlo_broadcast(b, x, bt_hlo_shape_of(b, p), map);
	x = bt_hlo_binary(b, "subtract", dp, x);
	return bt_hlo_binary(b, "multiply", p, x);
}

static void attention_back(struct bt_hlo_emit *e, int node)
{
	static const struct bt_hlo_product ov = {2,      1,   {0, 2},
	                                         {0, 2}, {3}, {3}};
	const struct bt_node *n = &e->g->nodes[node];
	const struct bt_attention_args *a = &n->u.attention;
	const int *saved = e->outputs[node].saved;
	int q = saved[0], k = saved[1], v = saved[2];
	struct bt_hlo *b = &e->b;
	int p = bt_hlo_convert(b, saved[3], BT_HLO_F32);
	int dy = output_heads(e, n, node), ds, low, dq, dk;

	low = bt_hlo_operand(e, bt_hlo_drop_back(e, node, a->dropout, p));
	dq = over_queries(e, low, dy);
	give_heads(e, n, a->kv, a->v_col, a->kv_heads, dq);
	ds = bt_hlo_inner_dot(e, dy, v, ov);
	ds = bt_hlo_drop_back(e, node, a->dropout, ds);
	ds = softmax_back(b, p, ds);
	if (a->relative_bias >= 0)
		bt_hlo_bias_back(e, n, ds);
	ds = bt_hlo_with(b, "multiply", ds, bt_hlo_score_scale(a));
	low = bt_hlo_operand(e, ds);
	dq = over_keys(e, low, k);
	dk = over_queries(e, low, q);
	if (a->relative_positions >= 0)
		bt_hlo_relative_back(e, n, ds, q, k, &dq, &dk);
	if (a->rope.theta > 0) {
		dq = bt_hlo_rotate(e, n, dq, true);
		dk = bt_hlo_rotate(e, n, dk, true);
	}
	give_heads(e, n, a->q, a->q_col, a->heads, dq);
	give_heads(e, n, a->kv, a->k_col, a->kv_heads, dk);
}

const struct bt_hlo_op bt_hlo_op_attention = {bt_hlo_attention, attention_back};
