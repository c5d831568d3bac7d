/* SPDX-License-Identifier: MIT */
/* first and dropout: small operators at the end of a model, run in the calling
 * thread. */
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
