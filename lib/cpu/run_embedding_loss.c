/* SPDX-License-Identifier: MIT */
/* The losses of embeddings: small operators, run in the calling thread. The
 * forward pass leaves the gradient in SAVED. */
#include <math.h>
#include <string.h>

#include "cpu/engine_int.h"
#include "op/ops.h"

/* A batch at work; SAVED holds both arrays of doubles, then the gradient. */
struct work {
	const struct bt_batch *b;
	size_t n, h;    /* sequences, columns */
	const float *x; /* [n][h] */
	double *over;   /* [n] 1 / |x| */
	double *score;  /* [n] scratch */
	float *dn;      /* [n][h] gradient by x / |x|, then by x */
};

static void plan(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	size_t h = (size_t)e->g->nodes[n->in[0]].cols;

	e->run[n->in[0]].need_f32 = true;
	e->run[node].plan[BT_SLOT_SAVED].size =
	    bt_max_rows(e, n) * (2 * sizeof(double) + h * sizeof(float));
}

static struct work begin(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];
	struct work w = {.b = &e->b,
	                 .n = e->b.sequences,
	                 .h = (size_t)e->g->nodes[n->in[0]].cols,
	                 .x = e->run[n->in[0]].buf[BT_SLOT_F32]};

	w.over = e->run[node].buf[BT_SLOT_SAVED];
	w.score = w.over + w.n;
	w.dn = (float *)(w.score + w.n);
	return w;
}

static double dot(const float *x, const float *y, size_t h)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < h; i++)
		sum += (double)x[i] * (double)y[i];
	return sum;
}

static double cosine(const struct work *w, size_t i, size_t c)
{
	return dot(w->x + i * w->h, w->x + c * w->h, w->h) * w->over[i] *
	       w->over[c];
}

/* Adds the gradient d by the cosine of i and c. */
static void add_slope(struct work *w, size_t i, size_t c, double d)
{
	const float *x = w->x + i * w->h, *y = w->x + c * w->h;
	float *dx = w->dn + i * w->h, *dy = w->dn + c * w->h;
	float a = (float)(d * w->over[c]), b = (float)(d * w->over[i]);
	size_t k;

	for (k = 0; k < w->h; k++) {
		dx[k] += a * y[k];
		dy[k] += b * x[k];
	}
}

/* What the group of anchor i weighs; *end: behind its last sequence. */
static double weight_of(const struct work *w, size_t i, size_t *end)
{
	double sum = 0;

	do
		sum += w->b->weights != NULL ? (double)w->b->weights[i] : 1;
	while (++i < w->n && w->b->labels[i] > 0);
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
	const float *class =
	    w->b->embedding_loss == BT_EMBEDDING_CLASSES ? w->b->targets : NULL;

	if (c == i + 1 || w->b->labels[c] == 0)
		return c == i + 1;
	return (class == NULL || class[c] != class[i]) &&
	       !same_tokens(w->b, i, c) && !same_tokens(w->b, i + 1, c);
}

/* Of anchor i, of that weight. */
static double rank_one(struct work *w, size_t i, double weight)
{
	const double scale = BT_EMBEDDING_SCALE;
	double max = -INFINITY, sum = 0;
	size_t c;

	for (c = 0; c < w->n; c++) {
		w->score[c] =
		    competes(w, i, c) ? scale * cosine(w, i, c) : -INFINITY;
		max =
		    w->score[c] > max || isnan(w->score[c]) ? w->score[c] : max;
	}
	for (c = 0; c < w->n; c++)
		sum += exp(w->score[c] - max);
	sum = max + log(sum);
	for (c = 0; c < w->n; c++)
		if (w->score[c] > -INFINITY)
			add_slope(w, i, c,
			          weight * scale *
			              (exp(w->score[c] - sum) - (c == i + 1)));
	return weight * (sum - w->score[i + 1]);
}

static double rank(struct work *w)
{
	double loss = 0, weight;
	size_t i, end;

	for (i = 0; i < w->n; i = end) {
		weight = weight_of(w, i, &end);
		loss += rank_one(w, i, weight);
	}
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
		add_slope(w, i, i + 1, weight * k * p / sum);
	}
	return weight * (max + log(sum));
}

static double fit(struct work *w)
{
	double loss = 0, weight, d;
	size_t i, end;

	for (i = 0; i < w->n; i = end) {
		weight = weight_of(w, i, &end);
		d = cosine(w, i, i + 1) - (double)w->b->targets[i];
		add_slope(w, i, i + 1, 2 * weight * d);
		loss += weight * d * d;
	}
	return loss;
}

static void forward(struct bt_engine *e, int node)
{
	struct work w = begin(e, node);
	size_t i, k;
	double along;
	const float *x;
	float *dx;

	e->loss = 0;
	if (w.b->labels == NULL)
		return;
	memset(w.dn, 0, w.n * w.h * sizeof(*w.dn));
	for (i = 0; i < w.n; i++) {
		x = w.x + i * w.h;
		w.over[i] = 1 / fmax(sqrt(dot(x, x, w.h)), 1e-12);
	}
	e->loss = w.b->embedding_loss == BT_EMBEDDING_COSENT   ? order(&w)
	          : w.b->embedding_loss == BT_EMBEDDING_COSINE ? fit(&w)
	                                                       : rank(&w);
	for (i = 0; i < w.n; i++) {
		x = w.x + i * w.h;
		dx = w.dn + i * w.h;
		along = dot(x, dx, w.h) * w.over[i] * w.over[i];
		for (k = 0; k < w.h; k++)
			dx[k] = (float)(((double)dx[k] - (double)x[k] * along) *
			                w.over[i]);
	}
}

static void backward(struct bt_engine *e, int node)
{
	struct work w = begin(e, node);

	memcpy(e->run[e->g->nodes[node].in[0]].buf[BT_SLOT_GRAD], w.dn,
	       w.n * w.h * sizeof(*w.dn));
}

const struct bt_cpu_op bt_cpu_embedding_loss = {plan, forward, backward};
