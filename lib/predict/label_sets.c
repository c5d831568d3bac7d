/* SPDX-License-Identifier: MIT */
#include "predict/label_sets.h"

#include <math.h>
#include <stdlib.h>

void bt_label_sets_softmax(const float *logits, int n, double *p)
{
	double max = (double)logits[0], sum = 0;
	int k;

	for (k = 1; k < n; k++)
		max = fmax(max, (double)logits[k]);
	for (k = 0; k < n; k++) {
		p[k] = exp((double)logits[k] - max);
		sum += p[k];
	}
	for (k = 0; k < n; k++)
		p[k] /= sum;
}

static int by_probability(const void *a, const void *b)
{
	const struct bt_label_score *x = a, *y = b;

	if (x->p != y->p)
		return x->p > y->p ? -1 : 1;
	return x->k - y->k;
}

void bt_label_sets_score(const double *p, int n, bool cumulative,
                         struct bt_label_score *room, float *score)
{
	int i, k, end;
	double sum = 0;

	for (k = 0; k < n; k++) {
		room[k] = (struct bt_label_score){p[k], k};
		score[k] = (float)(1 - p[k]);
	}
	if (!cumulative)
		return;
	qsort(room, (size_t)n, sizeof(*room), by_probability);
	for (i = 0; i < n; i = end) { /* equal ones together */
		for (end = i; end < n && !(room[end].p < room[i].p); end++)
			score[room[end].k] = (float)sum;
		for (k = i; k < end; k++)
			sum += room[k].p;
	}
}

int bt_label_sets_choose(const struct bt_label_sets *s, const double *p, int n,
                         struct bt_label_score *room, float *score, bool *on)
{
	double limit = s->limit + BT_LABEL_SETS_MARGIN;
	int k, best = 0, count = 0;

	bt_label_sets_score(p, n, s->cumulative, room, score);
	for (k = 1; k < n; k++)
		if (p[k] > p[best])
			best = k;
	for (k = 0; k < n; k++) {
		on[k] = k == best || (double)score[k] < limit;
		count += on[k];
	}
	return count;
}

static int by_value(const void *a, const void *b)
{
	const float *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int bt_label_sets_limit(struct bt_label_sets *s, float *score, size_t n,
                        struct bt_error *err)
{
	/* (n + 1) * .95 is not to be a hair above a whole number */
	double rank = ceil(((double)n + 1) * s->coverage - 1e-9);

	if (rank < 1)
		rank = 1;
	if (rank > (double)n)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "a coverage of %g needs %.0f examples at "
		    "least, and there are %zu",
		    s->coverage, ceil(s->coverage / (1 - s->coverage) - 1e-9),
		    n);
	qsort(score, n, sizeof(*score), by_value);
	s->limit = (double)score[(size_t)rank - 1];
	return BT_OK;
}
