/* SPDX-License-Identifier: MIT */
#include "garden/eval_metrics.h"

#include <math.h>
#include <string.h>

#include "base/softmax.h"

#define N BT_EVAL_METRICS_THRESHOLDS

void bt_eval_metrics_reset(struct bt_eval_metrics *a)
{
	size_t batch = a->batch;

	memset(a, 0, sizeof(*a));
	a->batch = batch;
}

static double loss_of(const struct bt_dataset *d, size_t i, int classes,
                      const float *x)
{
	double e;

	if (classes > 1)
		return bt_cross_entropy(x, (size_t)classes, 1,
		                        (size_t)d->label[i]);
	e = (double)x[0] - (double)bt_dataset_target(d, i)[0];
	return e * e;
}

/* The loss of its words, which are counted. */
static double loss_of_words(struct bt_eval_metrics *a,
                            const struct bt_dataset *d, size_t i, int classes,
                            const float *x)
{
	double sum = 0;
	uint64_t at;

	for (at = d->start[i]; at < d->start[i + 1]; at++, x += classes)
		if (d->token_label[at] >= 0) {
			sum += bt_cross_entropy(x, (size_t)classes, 1,
			                        (size_t)d->token_label[at]);
			a->words++;
		}
	return sum;
}

/* What is left of a batch, or all of it. */
static double mean(const struct bt_eval_metrics *a)
{
	return a->sum / (double)(a->words > 0 ? a->words : a->in);
}

/* Thresholds stand at i / 199, the first and last a little outside of 0 .. 1.
 */
static void count(struct bt_eval_metrics *a, int label, const float *x)
{
	double p = 1 / (1 + exp((double)x[0] - (double)x[1]));
	double at = ceil((double)((float)p * (float)(N - 1))) - 1;

	a->count[label != 0][at > 0 ? (size_t)fmin(at, N - 1) : 0]++;
}

void bt_eval_metrics_add(struct bt_eval_metrics *a, const struct bt_dataset *d,
                         size_t i, int classes, const float *answer)
{
	bool tags = d->token_label != NULL;

	if (classes == 2 && !tags)
		count(a, d->label[i], answer);
	if (a->batch == 0)
		return;
	a->sum += tags ? loss_of_words(a, d, i, classes, answer)
	               : loss_of(d, i, classes, answer);
	if (++a->in < a->batch)
		return;
	a->loss += mean(a);
	a->batches++;
	a->sum = 0;
	a->in = a->words = 0;
}

double bt_eval_metrics_loss(const struct bt_eval_metrics *a)
{
	double loss = a->loss, n = (double)a->batches;

	if (a->in > 0) {
		loss += mean(a);
		n++;
	}
	return n > 0 ? loss / n : 0;
}

/* Between two thresholds precision is taken as it is where true ones are added
 * evenly to all: (h + slope (p - p1)) / p, integrated over recall. */
double bt_eval_metrics_area(const struct bt_eval_metrics *a)
{
	double hits = 0, p = 0, area = 0, more, fresh, slope, at0, ratio;
	int i;

	for (i = N - 1; i >= 0; i--) {
		fresh = a->count[1][i];
		more = fresh + a->count[0][i];
		if (more > 0) {
			slope = fresh / more;
			at0 = hits - slope * p;
			ratio = p > 0 ? (p + more) / p : 1;
			area += slope * (fresh + at0 * log(ratio));
		}
		hits += fresh;
		p += more;
	}
	return hits > 0 ? area / hits : 0;
}

void bt_eval_metrics_add_span(struct bt_eval_metrics *a,
                              const struct bt_dataset *d, size_t i,
                              const float *logits)
{
	size_t n = bt_dataset_length(d, i), best, k;
	const float *target = bt_dataset_target(d, i);
	int side;

	a->spans++;
	for (side = 0; side < 2; side++) {
		best = 0;
		for (k = 1; k < n; k++)
			if (logits[2 * k + (size_t)side] >
			    logits[2 * best + (size_t)side])
				best = k;
		a->right[side] += (float)best == target[side];
	}
}

double bt_eval_metrics_right(const struct bt_eval_metrics *a, int side)
{
	return a->spans > 0 ? (double)a->right[side] / (double)a->spans : 0;
}
