/* SPDX-License-Identifier: MIT */
/* The losses over texts that belong together: of embeddings, and of the choices
 * of a question. The forward pass leaves the gradient in SAVED,
 * unless the batch brings it. Ranking is run in pieces; the others are small
 * and run in the calling thread. */
#include <math.h>
#include <string.h>

#include "cpu/engine_int.h"
#include "op/ops.h"

/* A batch at work. */
struct work {
	struct bt_engine *e;
	const struct bt_batch *b;
	size_t n, h;      /* sequences, columns */
	size_t dim;       /* the first columns, which are compared */
	const float *x;   /* [n][h] */
	double *over;     /* [n] 1 / |x| of these */
	double *along;    /* [n] the part of dn along x / |x| */
	double *log_sum;  /* [n] of each anchor's competitors */
	double *weighted; /* [n] each anchor's loss */
	double *score;    /* [threads][n] scratch */
	float *dn;        /* [n][h] gradient by x */
};

/* Doubles of work for each sequence. */
static size_t work_columns(const struct bt_engine *e)
{
	return 4 + (size_t)bt_pool_threads(e->o.pool);
}

static void place(struct work *w, double *at)
{
	w->over = at;
	w->along = w->over + w->n;
	w->log_sum = w->along + w->n;
	w->weighted = w->log_sum + w->n;
	w->score = w->weighted + w->n;
}

static void plan(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	size_t h = (size_t)e->g->nodes[n->in[0]].cols;

	e->run[n->in[0]].need_f32 = true;
	e->run[node].plan[BT_SLOT_SAVED].size =
	    bt_max_rows(e, n) *
	    (work_columns(e) * sizeof(double) + h * sizeof(float));
}

static struct work begin(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct work w = {.e = e,
	                 .b = &e->b,
	                 .n = e->b.sequences,
	                 .h = (size_t)e->g->nodes[n->in[0]].cols,
	                 .x = e->run[n->in[0]].buf[BT_SLOT_F32]};

	place(&w, e->run[node].buf[BT_SLOT_SAVED]);
	w.dn = (float *)(w.over + work_columns(e) * w.n);
	return w;
}

/* In four sums, which do not wait for each other. */
static double dot(const float *x, const float *y, size_t h)
{
	double sum[4] = {0};
	size_t i;

	for (i = 0; i + 4 <= h; i += 4) {
		sum[0] += (double)x[i] * (double)y[i];
		sum[1] += (double)x[i + 1] * (double)y[i + 1];
		sum[2] += (double)x[i + 2] * (double)y[i + 2];
		sum[3] += (double)x[i + 3] * (double)y[i + 3];
	}
	for (; i < h; i++)
		sum[0] += (double)x[i] * (double)y[i];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double cosine(const struct work *w, size_t i, size_t c)
{
	return dot(w->x + i * w->h, w->x + c * w->h, w->dim) * w->over[i] *
	       w->over[c];
}

/* Adds to row i the gradient d by its cosine with c, which is cos. */
static void add_slope(struct work *w, size_t i, size_t c, double d, double cos)
{
	w->e->k->axpy((float)(d * w->over[i] * w->over[c]), w->x + c * w->h,
	              w->dn + i * w->h, w->dim);
	w->along[i] += d * cos;
}

/* ... and to both rows. */
static void add_slopes(struct work *w, size_t i, size_t c, double d, double cos)
{
	add_slope(w, i, c, d, cos);
	add_slope(w, c, i, d, cos);
}

static bool is_anchor(const struct work *w, size_t i)
{
	return w->b->embedding_loss == BT_EMBEDDING_CLASSES
	           ? i % 2 == 0
	           : w->b->labels[i] == 0;
}

/* What the group of anchor i weighs; *end: behind its last sequence. */
static double weight_of(const struct work *w, size_t i, size_t *end)
{
	double sum = 0;

	do
		sum += w->b->weights != NULL ? (double)w->b->weights[i] : 1;
	while (++i < w->n && !is_anchor(w, i));
	*end = i;
	return sum * (double)w->b->loss_scale;
}

static bool same_tokens(const struct bt_batch *b, size_t i, size_t c)
{
	size_t n = b->start[i + 1] - b->start[i];

	return b->start[c + 1] - b->start[c] == n &&
	       memcmp(b->ids + b->start[i], b->ids + b->start[c],
	              n * sizeof(*b->ids)) == 0;
}

/* Whether anchor i's text 1 is to be nearer than c, or is c. */
static bool competes(const struct work *w, size_t i, size_t c)
{
	const int32_t *class =
	    w->b->embedding_loss == BT_EMBEDDING_CLASSES ? w->b->labels : NULL;

	if (c == i + 1 || is_anchor(w, c))
		return c == i + 1;
	return (class == NULL || class[c] != class[i]) &&
	       !same_tokens(w->b, i, c) && !same_tokens(w->b, i + 1, c);
}

/* A piece is of so many sequences. */
#define STEP ((size_t)8)

/* The gradient by the cosine of anchor i and c, which is score / scale. */
static double rank_slope(const struct work *w, size_t i, size_t c, double score)
{
	size_t end;

	return weight_of(w, i, &end) * BT_EMBEDDING_SCALE *
	       (exp(score - w->log_sum[i]) - (c == i + 1));
}

/* The loss of anchor i, and its part of the gradient; score: scratch. */
static void rank_one(struct work *w, size_t i, double *score)
{
	double max = -INFINITY, sum = 0;
	size_t c, end;

	for (c = 0; c < w->n; c++) {
		score[c] = competes(w, i, c)
		               ? BT_EMBEDDING_SCALE * cosine(w, i, c)
		               : -INFINITY;
		max = score[c] > max || isnan(score[c]) ? score[c] : max;
	}
	for (c = 0; c < w->n; c++)
		sum += exp(score[c] - max);
	w->log_sum[i] = max + log(sum);
	w->weighted[i] = weight_of(w, i, &end) * (w->log_sum[i] - score[i + 1]);
	for (c = 0; c < w->n; c++)
		if (score[c] > -INFINITY)
			add_slope(w, i, c, rank_slope(w, i, c, score[c]),
			          score[c] / BT_EMBEDDING_SCALE);
}

static void rank_anchors(void *arg, int piece, int worker)
{
	struct work *w = arg;
	size_t i, end = bt_piece_end(w->n, STEP, piece);

	for (i = (size_t)piece * STEP; i < end; i++)
		if (is_anchor(w, i))
			rank_one(w, i, w->score + (size_t)worker * w->n);
}

/* What all anchors add to the gradients of the texts that compete. */
static void rank_others(void *arg, int piece, int worker)
{
	struct work *w = arg;
	size_t i, c, end = bt_piece_end(w->n, STEP, piece);
	double score;

	(void)worker;
	for (c = (size_t)piece * STEP; c < end; c++) {
		if (is_anchor(w, c))
			continue;
		for (i = 0; i < w->n; i++) {
			if (!is_anchor(w, i) || !competes(w, i, c))
				continue;
			score = BT_EMBEDDING_SCALE * cosine(w, i, c);
			add_slope(w, c, i, rank_slope(w, i, c, score),
			          score / BT_EMBEDDING_SCALE);
		}
	}
}

static double rank(struct work *w)
{
	int pieces = bt_row_pieces(w->n, STEP);
	double loss = 0;
	size_t i;

	bt_engine_run(w->e, rank_anchors, w, pieces);
	bt_engine_run(w->e, rank_others, w, pieces);
	for (i = 0; i < w->n; i++)
		if (is_anchor(w, i))
			loss += w->weighted[i];
	return loss;
}

/* score of each anchor, times k; returns all weights. */
static double score_groups(struct work *w, double k)
{
	double weight = 0;
	size_t i, end;

	for (i = 0; i < w->n; i = end) {
		weight += weight_of(w, i, &end);
		w->score[i] = k * cosine(w, i, i + 1);
	}
	return weight;
}

/* The logarithm of 1 and, for each pair of groups in the wrong order, more. */
static double order(struct work *w)
{
	const double k = BT_EMBEDDING_SCALE;
	double weight = score_groups(w, k), max = 0, sum, p;
	const float *y = w->b->targets;
	const int32_t *label = w->b->labels;
	size_t i, j;

	for (i = 0; i < w->n; i++)
		for (j = 0; j < w->n; j++)
			if (label[i] == 0 && label[j] == 0 && y[i] < y[j] &&
			    !(w->score[i] - w->score[j] <= max))
				max = w->score[i] - w->score[j];
	sum = exp(-max);
	for (i = 0; i < w->n; i++)
		for (j = 0; j < w->n; j++)
			if (label[i] == 0 && label[j] == 0 && y[i] < y[j])
				sum += exp(w->score[i] - w->score[j] - max);
	for (i = 0; i < w->n; i++) {
		if (label[i] != 0)
			continue;
		for (j = 0, p = 0; j < w->n; j++) {
			if (label[j] == 0 && y[i] < y[j])
				p += exp(w->score[i] - w->score[j] - max);
			if (label[j] == 0 && y[j] < y[i])
				p -= exp(w->score[j] - w->score[i] - max);
		}
		add_slopes(w, i, i + 1, weight * k * p / sum, w->score[i] / k);
	}
	return weight * (max + log(sum));
}

static double fit(struct work *w)
{
	double loss = 0, weight, cos, d;
	size_t i, end;

	for (i = 0; i < w->n; i = end) {
		weight = weight_of(w, i, &end);
		cos = cosine(w, i, i + 1);
		d = cos - (double)w->b->targets[i];
		add_slopes(w, i, i + 1, 2 * weight * d, cos);
		loss += weight * d * d;
	}
	return loss;
}

/* The loss of the first columns of all, and its gradient, to be added to what
 * is there. */
static double compare_first(struct work *w, size_t dim)
{
	double loss, along;
	const float *x;
	size_t i, k;
	float *dx;

	w->dim = dim;
	for (i = 0; i < w->n; i++) {
		x = w->x + i * w->h;
		w->over[i] = 1 / fmax(sqrt(dot(x, x, dim)), 1e-12);
		w->along[i] = 0;
	}
	loss = w->b->embedding_loss == BT_EMBEDDING_COSENT   ? order(w)
	       : w->b->embedding_loss == BT_EMBEDDING_COSINE ? fit(w)
	                                                     : rank(w);
	for (i = 0; i < w->n; i++) {
		x = w->x + i * w->h;
		dx = w->dn + i * w->h;
		along = w->along[i] * w->over[i] * w->over[i];
		for (k = 0; k < dim; k++)
			dx[k] = (float)((double)dx[k] - (double)x[k] * along);
	}
	return loss;
}

/* The loss of all, and its gradient by x. */
static double compare(struct work *w)
{
	const struct bt_matryoshka *m = &w->b->matryoshka;
	double loss;
	size_t i;

	memset(w->dn, 0, w->n * w->h * sizeof(*w->dn));
	loss = compare_first(w, w->h);
	for (i = 0; i < m->n; i++)
		loss += compare_first(w, m->dim[i]);
	return loss;
}

static void forward(struct bt_engine *e, int node)
{
	struct work w = begin(e, node);

	if (w.b->labels != NULL && w.b->logit_grads == NULL)
		e->loss += compare(&w);
}

static void backward(struct bt_engine *e, int node)
{
	struct work w = begin(e, node);

	memcpy(e->run[e->g->nodes[node].in[0]].buf[BT_SLOT_GRAD], w.dn,
	       w.n * w.h * sizeof(*w.dn));
}

const struct bt_cpu_op bt_cpu_embedding_loss = {plan, forward, backward};

size_t bt_engine_compare_bytes(const struct bt_engine *e, size_t sequences)
{
	return sequences * work_columns(e) * sizeof(double);
}

double bt_engine_compare(struct bt_engine *e, const struct bt_batch *b,
                         const float *x, double *work, float *grads)
{
	struct work w = {.e = e,
	                 .b = b,
	                 .n = b->sequences,
	                 .h = (size_t)e->g->nodes[e->g->logits].cols,
	                 .x = x,
	                 .dn = grads};

	place(&w, work);
	return compare(&w);
}

#define TARGETS 2 /* of a text: the right number, and how many there are */

static void plan_choice(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	e->run[n->in[0]].need_f32 = true;
	e->run[node].plan[BT_SLOT_SAVED].size =
	    bt_max_rows(e, n) * sizeof(float);
}

/* The loss of the question whose n choices have the scores x, the right one
 * being number y, and its gradient. */
static double choose(const float *x, size_t n, size_t y, double weight,
                     float *dx)
{
	double max, sum = bt_loss_exponentials(x, dx, n, 1, &max);
	size_t i;

	for (i = 0; i < n; i++)
		dx[i] = (float)(weight * ((double)dx[i] / sum - (i == y)));
	return weight * (max + log(sum) - x[y]);
}

static void forward_choice(struct bt_engine *e, int node)
{
	const float *x = e->run[e->g->nodes[node].in[0]].buf[BT_SLOT_F32];
	float *dx = e->run[node].buf[BT_SLOT_SAVED];
	const float *y = e->b.targets, *w = e->b.weights;
	size_t t, i, n;
	double weight;

	for (t = 0; y != NULL && t < e->b.sequences; t += n) {
		n = (size_t)y[t * TARGETS + 1];
		for (i = 0, weight = 0; i < n; i++)
			weight += w != NULL ? (double)w[t + i] : 1;
		e->loss += choose(x + t, n, (size_t)y[t * TARGETS],
		                  weight * (double)e->b.loss_scale, dx + t);
	}
}

static void backward_choice(struct bt_engine *e, int node)
{
	memcpy(e->run[e->g->nodes[node].in[0]].buf[BT_SLOT_GRAD],
	       e->run[node].buf[BT_SLOT_SAVED], e->b.sequences * sizeof(float));
}

const struct bt_cpu_op bt_cpu_choice_loss = {plan_choice, forward_choice,
                                             backward_choice};
