/* SPDX-License-Identifier: MIT */
/* The losses of classes, and the shares that one of them takes the logarithms
 * of. A softmax may be over a vocabulary, so its rows are work for all threads;
 * the others are small and run in the calling one. */
#include <math.h>
#include <string.h>

#include "base/softmax.h"
#include "cpu/engine_int.h"
#include "op/ops.h"

/* SAVED holds the softmax, [rows, classes]; with a teacher its part of the
 * gradient is added to the labels' part. SAVED2 has the loss of each row. */
static void plan_loss(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct bt_slot_plan *p = e->run[node].plan;

	e->run[n->in[0]].need_f32 = true;
	p[BT_SLOT_SAVED].size = bt_max_rows(e, n) *
	                        (size_t)e->g->nodes[n->in[0]].cols *
	                        sizeof(float);
	if (n->op == BT_OP_SOFTMAX_LOSS)
		p[BT_SLOT_SAVED2].size = bt_max_rows(e, n) * sizeof(double);
}

static float scaled(const struct bt_engine *e, float scale, size_t t)
{
	return scale * (e->b.weights != NULL ? e->b.weights[t] : 1.0f);
}

float bt_loss_weight(const struct bt_engine *e, size_t t)
{
	return scaled(e, e->b.loss_scale, t);
}

/* The sequence that a row of n belongs to, looked for from sequence t on. */
static size_t sequence_of(const struct bt_engine *e, const struct bt_node *n,
                          size_t row, size_t t)
{
	if (n->rows == BT_PER_SEQUENCE)
		return row;
	if (n->rows == BT_PER_SELECTED)
		row = e->b.selected[row];
	while (e->b.start[t + 1] <= row)
		t++;
	return t;
}

/* What a row of that label is to have for class i of k, times the weight of
 * the class; weight may be NULL. */
static float target(int32_t label, float smoothing, const float *weight,
                    size_t i, size_t k)
{
	float q = smoothing / (float)k;

	if ((int)i == label)
		q += 1 - smoothing;
	return weight != NULL ? weight[i] * q : q;
}

double bt_loss_exponentials(const float *x, float *p, size_t k, size_t step,
                            double *max)
{
	double sum = 0, each;
	size_t n = k * step, i;

	*max = -INFINITY;
	for (i = 0; i < n; i += step)
		*max = x[i] > *max || isnan(x[i]) ? x[i] : *max;
	for (i = 0; i < n; i += step) {
		each = exp(x[i] - *max);
		sum += each;
		p[i] = (float)each;
	}
	return sum;
}

/* p = softmax(x), of k numbers that are `step` apart; returns the cross entropy
 * against the smoothed class y; weight: of the classes with step 1, or NULL. */
static double softmax_loss(const float *x, float *p, size_t k, size_t step,
                           size_t y, double smoothing, const float *weight)
{
	double max, sum = bt_loss_exponentials(x, p, k, step, &max), all = 0;
	double own = weight != NULL ? (double)weight[y] : 1;
	double log_sum = max + log(sum), over = 1 / sum;
	size_t n = k * step, i;

	for (i = 0; i < n; i += step)
		p[i] = (float)((double)p[i] * over);
	for (i = 0; i < n && smoothing > 0; i += step)
		all +=
		    (weight != NULL ? (double)weight[i] : 1) * (log_sum - x[i]);
	return (1 - smoothing) * own * (log_sum - x[y * step]) +
	       smoothing * all / (double)k;
}

const float *bt_loss_wanted(const struct bt_engine *e, size_t t, size_t k)
{
	return e->b.teacher + e->b.teacher_row[t] * k;
}

/* Adds the teacher's part, which counts `own` times, to a row's loss and to p,
 * the softmax of x, which the labels' part has `total` times. */
static double distil(const struct bt_engine *e, size_t row, const float *x,
                     float *p, size_t k, double loss, double own, double total)
{
	const float *z = bt_loss_wanted(e, row, k);
	double t = (double)e->b.temperature, a = (double)e->b.teacher_weight;
	double max = -INFINITY, sum = 0, apart = 0, log_q;
	size_t i;

	for (i = 0; i < k; i++)
		max = x[i] > max || isnan(x[i]) ? x[i] : max;
	for (i = 0; i < k; i++)
		sum += exp((x[i] - max) / t);
	sum = log(sum);
	for (i = 0; i < k; i++) {
		log_q = (x[i] - max) / t - sum;
		if (z[i] > 0)
			apart += (double)z[i] * (log((double)z[i]) - log_q);
		p[i] = (float)((1 - a) * total * (double)p[i] +
		               own * a * t * (exp(log_q) - (double)z[i]));
	}
	return (1 - a) * loss + own * a * t * t * apart;
}

#define ROWS ((size_t)8) /* of a piece */

struct rows {
	struct bt_engine *e;
	const struct bt_node *n;
	size_t rows, k;
	const int32_t *labels; /* [rows] */
	float scale, smoothing, r_drop;
	const float *weight; /* [k] of the classes, or NULL */
	bool taught;         /* by a teacher */
	const float *x;      /* logits */
	float *p;            /* SAVED */
	double *loss;        /* SAVED2 */
	float *dx;
};

static struct rows rows_of(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	const struct bt_node_run *in = &e->run[n->in[0]];
	bool next = n->u.loss.next;

	return (struct rows){.e = e,
	                     .labels = next ? e->b.next_labels : e->b.labels,
	                     .scale = next ? e->b.next_scale : e->b.loss_scale,
	                     .smoothing = next ? 0 : e->b.smoothing,
	                     .r_drop = next ? 0 : e->b.r_drop,
	                     .weight = next ? NULL : e->b.class_weight,
	                     .taught = !next && e->b.teacher != NULL,
	                     .n = n,
	                     .rows = bt_rows_of(e, n),
	                     .k = (size_t)e->g->nodes[n->in[0]].cols,
	                     .x = in->buf[BT_SLOT_F32],
	                     .p = e->run[node].buf[BT_SLOT_SAVED],
	                     .loss = e->run[node].buf[BT_SLOT_SAVED2],
	                     .dx = in->buf[BT_SLOT_GRAD]};
}

/* The weight of a row's class. */
static float own_weight(const struct rows *a, size_t row)
{
	int32_t k = a->labels[row];

	return a->weight != NULL && k >= 0 ? a->weight[k] : 1;
}

/* The sum of what a row is to have for its classes. */
static float total_target(const struct rows *a, size_t row)
{
	float sum = a->weight != NULL ? 0 : 1;
	size_t i;

	for (i = 0; a->weight != NULL && i < a->k; i++)
		sum += target(a->labels[row], a->smoothing, a->weight, i, a->k);
	return sum;
}

/* The loss of a row that has a class. */
static double row_loss(const struct rows *a, size_t row)
{
	const float *x = a->x + row * a->k;
	float *p = a->p + row * a->k;
	double loss = softmax_loss(x, p, a->k, 1, (size_t)a->labels[row],
	                           (double)a->smoothing, a->weight);

	return a->taught ? distil(a->e, row, x, p, a->k, loss,
	                          (double)own_weight(a, row),
	                          (double)total_target(a, row))
	                 : loss;
}

static void forward_piece(void *arg, int piece, int worker)
{
	const struct rows *a = arg;
	size_t i = (size_t)piece * ROWS,
	       end = bt_piece_end(a->rows, ROWS, piece);

	(void)worker;
	for (; i < end; i++)
		a->loss[i] = a->labels[i] < 0 ? 0 : row_loss(a, i);
}

/* What the row and the other of its text are apart, unless it is alone. Adds
 * the gradient to dx, if any; w is the weight of both together. */
static double apart(const struct rows *a, size_t row, float *dx, float w)
{
	size_t i, mine = row * a->k, other = (row ^ 1) * a->k;
	const float *x = a->x + mine, *y = a->x + other;
	const float *p = a->p + mine, *r = a->p + other;
	double both = 0, kl = 0, shift, ratio, half = (double)a->r_drop / 2;

	if (a->r_drop <= 0 || (row ^ 1) >= a->rows)
		return 0;
	shift = bt_log_sum_exp(x, a->k, 1) - bt_log_sum_exp(y, a->k, 1);
	for (i = 0; i < a->k; i++) {
		ratio = (double)x[i] - (double)y[i] - shift;
		kl += (double)p[i] * ratio;
		both += ((double)p[i] - (double)r[i]) * ratio;
	}
	for (i = 0; dx != NULL && i < a->k; i++) {
		ratio = (double)x[i] - (double)y[i] - shift - kl;
		dx[i] += (float)((double)w * half *
		                 ((double)p[i] * (ratio + 1) - (double)r[i]));
	}
	return half * both;
}

static void forward_loss(struct bt_engine *e, int node)
{
	struct rows a = rows_of(e, node);
	size_t i, t = 0;

	if (a.labels == NULL)
		return;
	bt_engine_run(e, forward_piece, &a, bt_row_pieces(a.rows, ROWS));
	for (i = 0; i < a.rows; i++) {
		t = sequence_of(e, a.n, i, t);
		e->loss += (double)scaled(e, a.scale, t) *
		           (a.loss[i] +
		            (double)own_weight(&a, i) * apart(&a, i, NULL, 0));
	}
}

static void backward_row(const struct rows *a, size_t row, float w)
{
	const float *p = a->p + row * a->k;
	float *dx = a->dx + row * a->k;
	float share = 1 - (a->taught ? a->e->b.teacher_weight : 0);
	float total = a->taught ? 1 : total_target(a, row); /* see distil() */
	size_t i;

	if (a->labels[row] < 0)
		memset(dx, 0, a->k * sizeof(*dx));
	else
		for (i = 0; i < a->k; i++)
			dx[i] =
			    w * (total * p[i] -
			         share * target(a->labels[row], a->smoothing,
			                        a->weight, i, a->k));
	if (a->r_drop > 0 && (row ^ 1) < a->rows)
		apart(a, row, dx,
		      own_weight(a, row) * w +
		          own_weight(a, row ^ 1) *
		              scaled(a->e, a->scale, row ^ 1));
}

static void backward_piece(void *arg, int piece, int worker)
{
	const struct rows *a = arg;
	size_t i = (size_t)piece * ROWS, t = 0;
	size_t end = bt_piece_end(a->rows, ROWS, piece);

	(void)worker;
	for (; i < end; i++) {
		t = sequence_of(a->e, a->n, i, t);
		backward_row(a, i, scaled(a->e, a->scale, t));
	}
}

static void backward_loss(struct bt_engine *e, int node)
{
	struct rows a = rows_of(e, node);

	bt_engine_run(e, backward_piece, &a, bt_row_pieces(a.rows, ROWS));
}

const struct bt_cpu_op bt_cpu_softmax_loss = {plan_loss, forward_loss,
                                              backward_loss};

#define ENDS 2 /* of an answer: its first and its last token */

/* As plan_loss says, with the tokens of a sequence as classes. */
static void forward_span(struct bt_engine *e, int node)
{
	const float *x = e->run[e->g->nodes[node].in[0]].buf[BT_SLOT_F32];
	float *p = e->run[node].buf[BT_SLOT_SAVED];
	const float *y = e->b.targets;
	size_t t, c, at, tokens;

	if (y == NULL)
		return;
	for (t = 0; t < e->b.sequences; t++) {
		at = e->b.start[t] * ENDS;
		tokens = e->b.start[t + 1] - e->b.start[t];
		for (c = 0; c < ENDS; c++)
			e->loss +=
			    (double)bt_loss_weight(e, t) / ENDS *
			    softmax_loss(x + at + c, p + at + c, tokens, ENDS,
			                 (size_t)y[t * ENDS + c], 0, NULL);
	}
}

static void backward_span(struct bt_engine *e, int node)
{
	float *dx = e->run[e->g->nodes[node].in[0]].buf[BT_SLOT_GRAD], w;
	const float *p = e->run[node].buf[BT_SLOT_SAVED], *y = e->b.targets;
	size_t t, c, i;

	for (t = 0; t < e->b.sequences; t++) {
		w = bt_loss_weight(e, t) / ENDS;
		for (i = e->b.start[t] * ENDS; i < e->b.start[t + 1] * ENDS;
		     i++)
			dx[i] = w * p[i];
		for (c = 0; c < ENDS; c++)
			dx[(e->b.start[t] + (size_t)y[t * ENDS + c]) * ENDS +
			   c] -= w;
	}
}

const struct bt_cpu_op bt_cpu_span_loss = {plan_loss, forward_span,
                                           backward_span};

/* SAVED holds the input. */
static void plan_share(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	e->run[n->in[0]].need_f32 = true;
	e->run[node].plan[BT_SLOT_SAVED].size =
	    bt_max_rows(e, n) * (size_t)n->cols * sizeof(float);
}

/* x / sum, where sum is that of a row. */
static double share_of(float x, double sum)
{
	return sum <= 0 ? 0 : (double)x / sum;
}

static double sum_of(const float *x, size_t k)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < k; i++)
		sum += (double)x[i];
	return sum;
}

static void forward_share(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	size_t k = (size_t)n->cols, t, i;
	const float *x = e->run[n->in[0]].buf[BT_SLOT_F32];
	float *y = e->run[node].buf[BT_SLOT_F32];
	const double least = BT_KERAS_EPSILON;
	double sum, p;

	memcpy(e->run[node].buf[BT_SLOT_SAVED], x,
	       e->b.sequences * k * sizeof(*x));
	for (t = 0; t < e->b.sequences; t++) {
		sum = sum_of(x + t * k, k);
		for (i = 0; i < k; i++) {
			p = share_of(x[t * k + i], sum);
			p = p < least ? least : p > 1 - least ? 1 - least : p;
			y[t * k + i] = (float)log(p);
		}
	}
}

static bool is_held(double p)
{
	return p < BT_KERAS_EPSILON || p > 1 - BT_KERAS_EPSILON;
}

static void backward_share(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	size_t k = (size_t)n->cols, t, i, at;
	const float *x = e->run[node].buf[BT_SLOT_SAVED];
	const float *dy = e->run[node].buf[BT_SLOT_GRAD];
	float *dx = e->run[n->in[0]].buf[BT_SLOT_GRAD];
	double sum, all, d;

	for (t = 0; t < e->b.sequences; t++) {
		sum = sum_of(x + t * k, k);
		all = 0;
		for (i = 0, at = t * k; i < k; i++, at++)
			if (!is_held(share_of(x[at], sum)))
				all += (double)dy[at];
		for (i = 0, at = t * k; i < k; i++, at++) {
			d = is_held(share_of(x[at], sum))
			        ? 0
			        : (double)dy[at] / (double)x[at];
			dx[at] = sum <= 0 ? 0 : (float)(d - all / sum);
		}
	}
}

const struct bt_cpu_op bt_cpu_log_normalize = {plan_share, forward_share,
                                               backward_share};

static void plan_log_loss(struct bt_engine *e, int node)
{
	e->run[e->g->nodes[node].in[0]].need_f32 = true;
}

static void forward_log_loss(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	size_t k = (size_t)e->g->nodes[n->in[0]].cols, t, i;
	const float *x = e->run[n->in[0]].buf[BT_SLOT_F32];
	double sum;

	if (e->b.labels == NULL)
		return;
	for (t = 0; t < e->b.sequences; t++) {
		sum = 0;
		for (i = 0; i < k; i++)
			sum -= (double)target(e->b.labels[t], e->b.smoothing,
			                      e->b.class_weight, i, k) *
			       (double)x[t * k + i];
		e->loss += (double)bt_loss_weight(e, t) * sum;
	}
}

static void backward_log_loss(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	size_t k = (size_t)e->g->nodes[n->in[0]].cols, t, i;
	float *dx = e->run[n->in[0]].buf[BT_SLOT_GRAD];

	for (t = 0; t < e->b.sequences; t++)
		for (i = 0; i < k; i++)
			dx[t * k + i] = -bt_loss_weight(e, t) *
			                target(e->b.labels[t], e->b.smoothing,
			                       e->b.class_weight, i, k);
}

const struct bt_cpu_op bt_cpu_log_loss = {plan_log_loss, forward_log_loss,
                                          backward_log_loss};
