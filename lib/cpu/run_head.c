/* SPDX-License-Identifier: MIT */
/* first, dropout and softmax_loss: small operators at the end of a model, run
 * in the calling thread. */
#include <math.h>
#include <string.h>

#include "cpu/engine_int.h"

static void plan_f32_input(struct bt_engine *e, int node)
{
	e->run[e->g->nodes[node].in[0]].need_f32 = true;
}

/* Makes the bf16 form of an output whose f32 form is there or in x. */
static void write_outputs(struct bt_engine *e, int node, size_t row,
                          const float *x)
{
	struct bt_node_run *r = &e->run[node];
	size_t h = (size_t)e->g->nodes[node].cols;
	float *y = r->buf[BT_SLOT_F32];
	uint16_t *y_low = r->buf[BT_SLOT_LOW];

	if (y != NULL)
		memcpy(y + row * h, x, h * sizeof(*y));
	if (y_low != NULL)
		e->k->to_bf16(x, y_low + row * h, h);
}

static void zero_outputs(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	size_t rows = bt_rows_of(e, n), h = (size_t)n->cols;

	bt_zero_tail(e->run[node].buf[BT_SLOT_F32], rows, h, false);
	bt_zero_tail(e->run[node].buf[BT_SLOT_LOW], rows, h, true);
}

static void forward_first(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	const float *x = e->run[n->in[0]].buf[BT_SLOT_F32];
	size_t t;

	for (t = 0; t < e->b.texts; t++)
		write_outputs(e, node, t, x + e->b.start[t] * (size_t)n->cols);
	zero_outputs(e, node);
}

static void backward_first(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	size_t h = (size_t)n->cols, t;
	const float *dy = e->run[node].buf[BT_SLOT_GRAD];
	float *dx = e->run[n->in[0]].buf[BT_SLOT_GRAD];

	if (e->run[node].stores_grad[0])
		memset(dx, 0, e->b.tokens * h * sizeof(*dx));
	for (t = 0; t < e->b.texts; t++)
		e->k->axpy(1.0f, dy + t * h, dx + e->b.start[t] * h, h);
}

const struct bt_cpu_op bt_cpu_first = {plan_f32_input, forward_first,
                                       backward_first};

/* m[i] * x[i] of one row, into scratch behind the multipliers. */
static float *drop_row(struct bt_engine *e, int node, size_t row,
                       const float *x)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_dropout d = bt_node_dropout(e, node, n->u.drop.dropout);
	size_t h = (size_t)n->cols, i;
	float *m = e->scratch[0], *y = m + bt_round_up(h, 128);

	e->k->dropout(&d, (uint32_t)row, h, m);
	for (i = 0; i < h; i++)
		y[i] = m[i] * x[row * h + i];
	return y;
}

static void forward_dropout(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	const float *x = e->run[n->in[0]].buf[BT_SLOT_F32];
	size_t r, rows = bt_rows_of(e, n);

	for (r = 0; r < rows; r++)
		write_outputs(e, node, r, drop_row(e, node, r, x));
	zero_outputs(e, node);
}

static void backward_dropout(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	size_t h = (size_t)n->cols, r, rows = bt_rows_of(e, n);
	const float *dy = e->run[node].buf[BT_SLOT_GRAD];
	float *dx = e->run[n->in[0]].buf[BT_SLOT_GRAD];

	if (e->run[node].stores_grad[0])
		memset(dx, 0, rows * h * sizeof(*dx));
	for (r = 0; r < rows; r++)
		e->k->axpy(1.0f, drop_row(e, node, r, dy), dx + r * h, h);
}

const struct bt_cpu_op bt_cpu_dropout = {plan_f32_input, forward_dropout,
                                         backward_dropout};

/* SAVED holds the softmax, [texts, classes]. */
static void plan_loss(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	plan_f32_input(e, node);
	e->run[node].plan[BT_SLOT_SAVED].size =
	    bt_max_rows(e, n) * (size_t)e->g->nodes[n->in[0]].cols *
	    sizeof(float);
}

static float weight_of(const struct bt_engine *e, size_t t)
{
	return e->b.loss_scale *
	       (e->b.weights != NULL ? e->b.weights[t] : 1.0f);
}

/* p = softmax(x); returns the cross entropy against the smoothed class y. */
static double softmax_loss(const float *x, float *p, size_t k, int y,
                           double smoothing)
{
	double sum = 0, all = 0, max = -INFINITY, log_sum;
	size_t i;

	for (i = 0; i < k; i++)
		max = x[i] > max || isnan(x[i]) ? x[i] : max;
	for (i = 0; i < k; i++)
		sum += exp(x[i] - max);
	log_sum = max + log(sum);
	for (i = 0; i < k; i++) {
		p[i] = (float)exp(x[i] - log_sum);
		all += log_sum - x[i];
	}
	return (1 - smoothing) * (log_sum - x[y]) + smoothing * all / (double)k;
}

static void forward_loss(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	size_t k = (size_t)e->g->nodes[n->in[0]].cols, t;
	const float *x = e->run[n->in[0]].buf[BT_SLOT_F32];
	float *p = e->run[node].buf[BT_SLOT_SAVED];

	e->loss = 0;
	if (e->b.labels == NULL)
		return;
	for (t = 0; t < e->b.texts; t++)
		e->loss += (double)weight_of(e, t) *
		           softmax_loss(x + t * k, p + t * k, k, e->b.labels[t],
		                        (double)e->b.smoothing);
}

static void backward_loss(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	size_t k = (size_t)e->g->nodes[n->in[0]].cols, t, i;
	const float *p = e->run[node].buf[BT_SLOT_SAVED];
	float *dx = e->run[n->in[0]].buf[BT_SLOT_GRAD];
	float w, q, s = e->b.smoothing;

	for (t = 0; t < e->b.texts; t++) {
		w = weight_of(e, t);
		for (i = 0; i < k; i++) {
			q = s / (float)k;
			if ((int)i == e->b.labels[t])
				q += 1 - s;
			dx[t * k + i] = w * (p[t * k + i] - q);
		}
	}
}

const struct bt_cpu_op bt_cpu_softmax_loss = {plan_loss, forward_loss,
                                              backward_loss};
