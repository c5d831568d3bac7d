/* SPDX-License-Identifier: MIT */
/* The loss of answers' first and last tokens: small, run in the calling thread.
 */
#include <math.h>

#include "cpu/engine_int.h"

#define ENDS 2 /* of an answer: its first and its last token */

/* SAVED holds the softmax over a sequence's tokens, [tokens][ENDS]. */
static void plan(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	e->run[n->in[0]].need_f32 = true;
	e->run[node].plan[BT_SLOT_SAVED].size =
	    bt_max_rows(e, n) * ENDS * sizeof(float);
}

static double weight_of(const struct bt_engine *e, size_t t)
{
	double w = e->b.weights != NULL ? (double)e->b.weights[t] : 1;

	return w * (double)e->b.loss_scale / ENDS;
}

/* p = softmax of every ENDS-th of x; returns the cross entropy of token y. */
static double entropy(const float *x, float *p, size_t tokens, size_t y)
{
	double max = -INFINITY, sum = 0, log_sum;
	size_t i;

	for (i = 0; i < tokens * ENDS; i += ENDS)
		max = (double)x[i] > max || isnan(x[i]) ? (double)x[i] : max;
	for (i = 0; i < tokens * ENDS; i += ENDS)
		sum += exp((double)x[i] - max);
	log_sum = max + log(sum);
	for (i = 0; i < tokens * ENDS; i += ENDS)
		p[i] = (float)exp((double)x[i] - log_sum);
	return log_sum - (double)x[y * ENDS];
}

static void forward(struct bt_engine *e, int node)
{
	const float *x = e->run[e->g->nodes[node].in[0]].buf[BT_SLOT_F32];
	float *p = e->run[node].buf[BT_SLOT_SAVED];
	const float *y = e->b.targets;
	size_t t, c, at, tokens;

	e->loss = 0;
	if (y == NULL)
		return;
	for (t = 0; t < e->b.sequences; t++) {
		at = e->b.start[t] * ENDS;
		tokens = e->b.start[t + 1] - e->b.start[t];
		for (c = 0; c < ENDS; c++)
			e->loss += weight_of(e, t) *
			           entropy(x + at + c, p + at + c, tokens,
			                   (size_t)y[t * ENDS + c]);
	}
}

static void backward(struct bt_engine *e, int node)
{
	float *dx = e->run[e->g->nodes[node].in[0]].buf[BT_SLOT_GRAD];
	const float *p = e->run[node].buf[BT_SLOT_SAVED], *y = e->b.targets;
	size_t t, c, i;

	for (t = 0; t < e->b.sequences; t++) {
		float w = (float)weight_of(e, t);

		for (i = e->b.start[t] * ENDS; i < e->b.start[t + 1] * ENDS;
		     i++)
			dx[i] = w * p[i];
		for (c = 0; c < ENDS; c++)
			dx[(e->b.start[t] + (size_t)y[t * ENDS + c]) * ENDS +
			   c] -= w;
	}
}

const struct bt_cpu_op bt_cpu_span_loss = {plan, forward, backward};
