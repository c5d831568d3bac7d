/* SPDX-License-Identifier: MIT */
#include "op/ops.h"

#include <math.h>
#include <stdlib.h>

#define HALF (BT_RELATIVE_BUCKETS / 2)
#define EXACT (HALF / 2)
#define FAR 128 /* from here on all is one bucket */

/* In f32, as the published models were trained: at 64 tokens the logarithm's
 * rounding decides. */
int bt_relative_bucket(int distance)
{
	int side = distance > 0 ? HALF : 0, n = abs(distance), far;
	float x;

	if (n < EXACT)
		return side + n;
	x = logf((float)n / EXACT) / (float)log((double)FAR / EXACT);
	far = EXACT + (int)(x * (HALF - EXACT));
	return side + (far < HALF ? far : HALF - 1);
}

/* In f32, as the published models were trained. */
float bt_rope_rate(const struct bt_rope *rope, int c, int d)
{
	float period = powf(rope->theta, (float)(2 * c) / (float)d);
	float w = ((float)c - rope->low) / (rope->high - rope->low);

	w = w < 0 ? 0 : w > 1 ? 1 : w;
	return 1 / (rope->factor * period) * w + 1 / period * (1 - w);
}

/* Whether the columns of all heads, which begin at `first`, are there. */
static bool has_heads(const struct bt_graph *g, const struct bt_node *n,
                      int node, int first, int heads)
{
	int d = n->u.attention.head_dim, step = n->u.attention.head_step;

	return first >= 0 && (step == d || first + d <= step) &&
	       (step == d ? first : 0) + heads * step <= g->nodes[node].cols;
}

static bool has_columns(const struct bt_graph *g, int node, int first, int n)
{
	return first >= 0 && first + n <= g->nodes[node].cols;
}

/* Whether the columns of relative positions that are asked for are there. */
static bool has_relative_positions(const struct bt_graph *g,
                                   const struct bt_attention_args *a, int width)
{
	if (a->relative_positions < 0)
		return true;
	return g->nodes[a->relative_positions].rows ==
	           BT_PER_RELATIVE_POSITION &&
	       a->window == 0 && (a->rel_k_col >= 0 || a->rel_q_col >= 0) &&
	       (a->rel_k_col < 0 ||
	        has_columns(g, a->relative_positions, a->rel_k_col, width)) &&
	       (a->rel_q_col < 0 ||
	        has_columns(g, a->relative_positions, a->rel_q_col, width));
}

int bt_op_attention(struct bt_graph *g, const struct bt_attention_args *a)
{
	int width = a->heads * a->head_dim, kv_width;
	struct bt_node n = {.op = BT_OP_ATTENTION,
	                    .cols = width,
	                    .in = {a->q},
	                    .n_in = 1,
	                    .u.attention = *a};

	if (g->failed)
		return -1;
	if (n.u.attention.kv_heads == 0)
		n.u.attention.kv_heads = a->heads;
	if (n.u.attention.head_step == 0)
		n.u.attention.head_step = a->head_dim;
	kv_width = n.u.attention.kv_heads * a->head_dim;
	if (a->heads < 1 || a->kv_heads < 0 ||
	    a->heads % n.u.attention.kv_heads != 0 ||
	    (kv_width < width &&
	     (a->relative_positions >= 0 || a->relative_bias >= 0)) ||
	    a->head_dim < 1 || n.u.attention.head_step < a->head_dim ||
	    (n.u.attention.head_step > a->head_dim &&
	     a->relative_positions >= 0) ||
	    a->window < 0 || (a->rope.theta > 0 && a->head_dim % 2 != 0) ||
	    !has_heads(g, &n, a->q, a->q_col, a->heads) ||
	    !has_heads(g, &n, a->kv, a->k_col, n.u.attention.kv_heads) ||
	    !has_heads(g, &n, a->kv, a->v_col, n.u.attention.kv_heads) ||
	    g->nodes[a->kv].rows != BT_PER_TOKEN ||
	    !has_relative_positions(g, a, width) ||
	    (a->relative_bias >= 0 &&
	     (g->params[a->relative_bias].rows != BT_RELATIVE_BUCKETS ||
	      g->params[a->relative_bias].cols != a->heads)))
		return bt_graph_misfit(g,
		                       "attention of %d heads of %d columns "
		                       "does not fit its inputs",
		                       a->heads, a->head_dim);
	n.rows = g->nodes[a->q].rows;
	if (a->kv != a->q)
		n.in[n.n_in++] = a->kv;
	if (a->relative_positions >= 0)
		n.in[n.n_in++] = a->relative_positions;
	return bt_graph_add(g, &n);
}
