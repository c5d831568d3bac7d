/* SPDX-License-Identifier: MIT */
/* A row for each sequence out of those of its tokens: first, mean, max, or all
 * of them side by side; the rows of selected tokens; and rows of which numbers
 * are dropped. SAVED of max holds the number of the token that each value came
 * from. */
#include <math.h>
#include <string.h>

#include "cpu/engine_int.h"

#define SEQUENCES ((size_t)8) /* of a piece */
#define ROWS ((size_t)32)     /* likewise */

struct job {
	struct bt_engine *e;
	int node;
	size_t rows;
	bool backward;
};

static void run(struct bt_engine *e, int node, bt_piece_fn *fn, size_t rows,
                size_t step)
{
	struct job j = {.e = e, .node = node, .rows = rows};

	bt_engine_run(e, fn, &j, bt_row_pieces(rows, step));
}

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
	uint16_t *y_bf16 = r->buf[BT_SLOT_BF16];

	if (y != NULL)
		memcpy(y + row * h, x, h * sizeof(*y));
	if (y_bf16 != NULL)
		e->k->to_bf16(x, y_bf16 + row * h, h);
}

static void zero_outputs(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	size_t rows = bt_rows_of(e, n), h = (size_t)n->cols;

	bt_zero_tail(e->run[node].buf[BT_SLOT_F32], rows, h, false);
	bt_zero_tail(e->run[node].buf[BT_SLOT_BF16], rows, h, true);
}

static void first_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	const float *x = e->run[n->in[0]].buf[BT_SLOT_F32];
	size_t t, end = bt_piece_end(j->rows, SEQUENCES, piece);

	(void)worker;
	for (t = (size_t)piece * SEQUENCES; t < end; t++)
		write_outputs(e, j->node, t,
		              x + e->b.start[t] * (size_t)n->cols);
}

static void forward_first(struct bt_engine *e, int node)
{
	run(e, node, first_piece, e->b.sequences, SEQUENCES);
	zero_outputs(e, node);
}

static void first_back_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	size_t h = (size_t)n->cols, t = (size_t)piece * SEQUENCES;
	size_t end = bt_piece_end(j->rows, SEQUENCES, piece),
	       from = e->b.start[t];
	const float *dy = e->run[j->node].buf[BT_SLOT_GRAD];
	float *dx = e->run[n->in[0]].buf[BT_SLOT_GRAD];

	(void)worker;
	if (e->run[j->node].stores_grad[0])
		memset(dx + from * h, 0,
		       (e->b.start[end] - from) * h * sizeof(*dx));
	for (; t < end; t++)
		e->k->axpy(1.0f, dy + t * h, dx + e->b.start[t] * h, h);
}

static void backward_first(struct bt_engine *e, int node)
{
	run(e, node, first_back_piece, e->b.sequences, SEQUENCES);
}

const struct bt_cpu_op bt_cpu_first = {plan_f32_input, forward_first,
                                       backward_first};

static void select_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	const float *x = e->run[n->in[0]].buf[BT_SLOT_F32];
	size_t r, end = bt_piece_end(j->rows, ROWS, piece);

	(void)worker;
	for (r = (size_t)piece * ROWS; r < end; r++)
		write_outputs(e, j->node, r,
		              x + e->b.selected[r] * (size_t)n->cols);
}

static void forward_select(struct bt_engine *e, int node)
{
	run(e, node, select_piece, e->b.n_selected, ROWS);
	zero_outputs(e, node);
}

/* The first selected token that is not before token t. */
static size_t find_selected(const struct bt_engine *e, size_t t)
{
	size_t lo = 0, hi = e->b.n_selected, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (e->b.selected[mid] < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void select_back_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	size_t h = (size_t)e->g->nodes[j->node].cols;
	size_t t = (size_t)piece * ROWS, r = find_selected(e, t);
	size_t end = bt_piece_end(j->rows, ROWS, piece);
	const float *dy = e->run[j->node].buf[BT_SLOT_GRAD];
	float *dx = e->run[e->g->nodes[j->node].in[0]].buf[BT_SLOT_GRAD];

	(void)worker;
	if (e->run[j->node].stores_grad[0])
		memset(dx + t * h, 0, (end - t) * h * sizeof(*dx));
	for (; r < e->b.n_selected && e->b.selected[r] < end; r++)
		e->k->axpy(1.0f, dy + r * h, dx + e->b.selected[r] * h, h);
}

static void backward_select(struct bt_engine *e, int node)
{
	run(e, node, select_back_piece, e->b.tokens, ROWS);
}

const struct bt_cpu_op bt_cpu_select = {plan_f32_input, forward_select,
                                        backward_select};

/* m[i] * x[i] of one row, into scratch behind the multipliers. */
static float *drop_row(struct bt_engine *e, int node, size_t row,
                       const float *x, float *m)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_dropout d = bt_node_dropout(e, node, n->u.drop.dropout);
	size_t h = (size_t)n->cols, i;
	float *y = m + bt_round_up(h, 128);

	e->k->dropout(&d, (uint32_t)row, h, m);
	for (i = 0; i < h; i++)
		y[i] = m[i] * x[row * h + i];
	return y;
}

static void dropout_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const float *x = e->run[e->g->nodes[j->node].in[0]].buf[BT_SLOT_F32];
	size_t r, end = bt_piece_end(j->rows, ROWS, piece);

	for (r = (size_t)piece * ROWS; r < end; r++)
		write_outputs(e, j->node, r,
		              drop_row(e, j->node, r, x, e->scratch[worker]));
}

static void forward_dropout(struct bt_engine *e, int node)
{
	run(e, node, dropout_piece, bt_rows_of(e, &e->g->nodes[node]), ROWS);
	zero_outputs(e, node);
}

static void dropout_back_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	struct bt_engine *e = j->e;
	const struct bt_node *n = &e->g->nodes[j->node];
	size_t h = (size_t)n->cols, r = (size_t)piece * ROWS;
	size_t end = bt_piece_end(j->rows, ROWS, piece);
	const float *dy = e->run[j->node].buf[BT_SLOT_GRAD];
	float *dx = e->run[n->in[0]].buf[BT_SLOT_GRAD];

	if (e->run[j->node].stores_grad[0])
		memset(dx + r * h, 0, (end - r) * h * sizeof(*dx));
	for (; r < end; r++)
		e->k->axpy(1.0f,
		           drop_row(e, j->node, r, dy, e->scratch[worker]),
		           dx + r * h, h);
}

static void backward_dropout(struct bt_engine *e, int node)
{
	run(e, node, dropout_back_piece, bt_rows_of(e, &e->g->nodes[node]),
	    ROWS);
}

const struct bt_cpu_op bt_cpu_dropout = {plan_f32_input, forward_dropout,
                                         backward_dropout};

static void plan_max(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	plan_f32_input(e, node);
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
	size_t h = (size_t)n->cols, first = e->b.start[t];
	const float *x =
	    (const float *)e->run[n->in[0]].buf[BT_SLOT_F32] + first * h;

	if (n->op == BT_OP_MEAN)
		mean(e, x, e->b.start[t + 1] - first, h, scratch);
	else
		max(x, e->b.start[t + 1] - first, h, scratch,
		    (int32_t *)e->run[j->node].buf[BT_SLOT_SAVED] + t * h);
	write_outputs(e, j->node, t, scratch);
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
	run(e, node, piece, e->b.sequences, SEQUENCES);
	zero_outputs(e, node);
}

static void backward(struct bt_engine *e, int node)
{
	struct job j = {.e = e, .node = node, .backward = true};

	bt_engine_run(e, piece, &j, bt_row_pieces(e->b.sequences, SEQUENCES));
}

const struct bt_cpu_op bt_cpu_mean = {plan_f32_input, forward, backward};
const struct bt_cpu_op bt_cpu_max = {plan_max, forward, backward};

static void flatten_sequence(void *arg, int t, int worker)
{
	const struct job *j = arg;
	const struct bt_node *n = &j->e->g->nodes[j->node];
	const float *x = j->e->run[n->in[0]].buf[BT_SLOT_F32];

	(void)worker;
	write_outputs(j->e, j->node, (size_t)t,
	              x + (size_t)t * (size_t)n->cols);
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
	run(e, node, flatten_sequence, e->b.sequences, 1);
	zero_outputs(e, node);
}

static void backward_flatten(struct bt_engine *e, int node)
{
	run(e, node, unflatten_sequence, e->b.sequences, 1);
}

const struct bt_cpu_op bt_cpu_flatten = {plan_f32_input, forward_flatten,
                                         backward_flatten};
