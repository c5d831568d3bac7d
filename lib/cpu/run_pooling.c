/* SPDX-License-Identifier: MIT */
/* A row for each sequence out of those of its tokens: mean, max, or all of them
 * side by side. SAVED of max holds the number of the token that each value came
 * from. */
#include <math.h>
#include <string.h>

#include "cpu/engine_int.h"

#define SEQUENCES ((size_t)8) /* of a piece */

struct job {
	struct bt_engine *e;
	int node;
	bool backward;
};

static void plan_mean(struct bt_engine *e, int node)
{
	e->run[e->g->nodes[node].in[0]].need_f32 = true;
}

static void plan_max(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	plan_mean(e, node);
	e->run[node].plan[BT_SLOT_SAVED].size =
	    bt_max_rows(e, n) * (size_t)n->cols * sizeof(int32_t);
}

/* y = mean of n rows of x. */
static void mean(const struct bt_engine *e, const float *x, size_t n,
                 size_t cols, float *y)
{
	size_t i;

	memset(y, 0, cols * sizeof(*y));
	e->k->column_sums(false, x, n, cols, cols, y);
	for (i = 0; i < cols; i++)
		y[i] /= (float)n;
}

/* y = largest of n rows of x, from[i] the first row that has it; a NaN wins. */
static void max(const float *x, size_t n, size_t cols, float *y, int32_t *from)
{
	size_t r, i;

	memcpy(y, x, cols * sizeof(*y));
	memset(from, 0, cols * sizeof(*from));
	for (r = 1; r < n; r++)
		for (i = 0; i < cols; i++)
			if (x[r * cols + i] > y[i] ||
			    (isnan(x[r * cols + i]) && !isnan(y[i]))) {
				y[i] = x[r * cols + i];
				from[i] = (int32_t)r;
			}
}

static void forward_sequence(const struct job *j, size_t t, float *scratch)
{
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	struct bt_node_run *r = &e->run[j->node];
	size_t h = (size_t)n->cols, first = e->b.start[t];
	const float *x =
	    (const float *)e->run[n->in[0]].buf[BT_SLOT_F32] + first * h;
	float *y = r->buf[BT_SLOT_F32];
	uint16_t *y_bf16 = r->buf[BT_SLOT_BF16];

	if (n->op == BT_OP_MEAN)
		mean(e, x, e->b.start[t + 1] - first, h, scratch);
	else
		max(x, e->b.start[t + 1] - first, h, scratch,
		    (int32_t *)r->buf[BT_SLOT_SAVED] + t * h);
	if (y != NULL)
		memcpy(y + t * h, scratch, h * sizeof(*y));
	if (y_bf16 != NULL)
		e->k->to_bf16(scratch, y_bf16 + t * h, h);
}

static void backward_sequence(const struct job *j, size_t t)
{
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	struct bt_node_run *r = &e->run[j->node];
	size_t h = (size_t)n->cols, first = e->b.start[t], i;
	size_t rows = e->b.start[t + 1] - first;
	const float *dy = (const float *)r->buf[BT_SLOT_GRAD] + t * h;
	float *dx = (float *)e->run[n->in[0]].buf[BT_SLOT_GRAD] + first * h;
	const int32_t *from;

	if (r->stores_grad[0])
		memset(dx, 0, rows * h * sizeof(*dx));
	if (n->op == BT_OP_MEAN) {
		for (i = 0; i < rows; i++)
			e->k->axpy(1.0f / (float)rows, dy, dx + i * h, h);
		return;
	}
	from = (const int32_t *)r->buf[BT_SLOT_SAVED] + t * h;
	for (i = 0; i < h; i++)
		dx[(size_t)from[i] * h + i] += dy[i];
}

static void piece(void *arg, int i, int worker)
{
	const struct job *j = arg;
	size_t t, end = bt_piece_end(j->e->b.sequences, SEQUENCES, i);

	for (t = (size_t)i * SEQUENCES; t < end; t++)
		if (j->backward)
			backward_sequence(j, t);
		else
			forward_sequence(j, t, j->e->scratch[worker]);
}

static void forward(struct bt_engine *e, int node)
{
	struct job j = {e, node, false};
	size_t h = (size_t)e->g->nodes[node].cols;

	bt_engine_run(e, piece, &j, bt_row_pieces(e->b.sequences, SEQUENCES));
	bt_zero_tail(e->run[node].buf[BT_SLOT_F32], e->b.sequences, h, false);
	bt_zero_tail(e->run[node].buf[BT_SLOT_BF16], e->b.sequences, h, true);
}

static void backward(struct bt_engine *e, int node)
{
	struct job j = {e, node, true};

	bt_engine_run(e, piece, &j, bt_row_pieces(e->b.sequences, SEQUENCES));
}

const struct bt_cpu_op bt_cpu_mean = {plan_mean, forward, backward};
const struct bt_cpu_op bt_cpu_max = {plan_max, forward, backward};

static void plan_flatten(struct bt_engine *e, int node)
{
	e->run[e->g->nodes[node].in[0]].need_f32 = true;
}

static void flatten_sequence(void *arg, int t, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	size_t h = (size_t)n->cols, at = (size_t)t * h;
	const float *x = (const float *)e->run[n->in[0]].buf[BT_SLOT_F32] + at;
	float *y = e->run[j->node].buf[BT_SLOT_F32];
	uint16_t *y_bf16 = e->run[j->node].buf[BT_SLOT_BF16];

	(void)worker;
	if (y != NULL)
		memcpy(y + at, x, h * sizeof(*y));
	if (y_bf16 != NULL)
		e->k->to_bf16(x, y_bf16 + at, h);
}

static void unflatten_sequence(void *arg, int t, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	const struct bt_node_run *r = &e->run[j->node];
	size_t h = (size_t)n->cols, at = (size_t)t * h;
	const float *dy = (const float *)r->buf[BT_SLOT_GRAD] + at;
	float *dx = (float *)e->run[n->in[0]].buf[BT_SLOT_GRAD] + at;

	(void)worker;
	if (r->stores_grad[0])
		memcpy(dx, dy, h * sizeof(*dx));
	else
		e->k->axpy(1.0f, dy, dx, h);
}

static void forward_flatten(struct bt_engine *e, int node)
{
	struct job j = {e, node, false};
	size_t h = (size_t)e->g->nodes[node].cols;

	bt_engine_run(e, flatten_sequence, &j, (int)e->b.sequences);
	bt_zero_tail(e->run[node].buf[BT_SLOT_F32], e->b.sequences, h, false);
	bt_zero_tail(e->run[node].buf[BT_SLOT_BF16], e->b.sequences, h, true);
}

static void backward_flatten(struct bt_engine *e, int node)
{
	struct job j = {e, node, false};

	bt_engine_run(e, unflatten_sequence, &j, (int)e->b.sequences);
}

const struct bt_cpu_op bt_cpu_flatten = {plan_flatten, forward_flatten,
                                         backward_flatten};
