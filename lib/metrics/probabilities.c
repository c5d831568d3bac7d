/* SPDX-License-Identifier: MIT */
/* Metrics of the probabilities that a model of classes gives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "metrics/metrics_int.h"

const int bt_metrics_top[BT_METRICS_TOPS] = {2, 3, 5, 10};

void bt_metrics_probabilities(const float *logits, int classes, float *p)
{
	double max = (double)logits[0], sum = 0;
	int k;

	for (k = 1; k < classes; k++)
		max = fmax(max, (double)logits[k]);
	for (k = 0; k < classes; k++)
		sum += exp((double)logits[k] - max);
	for (k = 0; k < classes; k++)
		p[k] = (float)(exp((double)logits[k] - max) / sum);
}

void bt_metrics_softmax(struct bt_metrics *m, const float *logits)
{
	if (m->output != BT_METRICS_LOGITS)
		memcpy(m->p, logits, (size_t)m->classes * sizeof(*m->p));
	else
		bt_metrics_probabilities(logits, m->classes, m->p);
}

/* Numbers that are kept for each example. */
static size_t width(const struct bt_metrics *m)
{
	return m->classes == 2 ? 1 : (size_t)m->classes;
}

/* Keeps the probabilities, or none any more where they get too many. */
static int keep(struct bt_metrics *m, int truth, struct bt_error *err)
{
	size_t w = width(m), n = (size_t)m->n, numbers, bytes;

	if (!bt_size_mul(n + 1, w, &numbers) ||
	    !bt_size_mul(n + 1, w * sizeof(*m->kept) + sizeof(*m->is),
	                 &bytes) ||
	    bytes > m->keep) {
		free(m->is);
		free(m->kept);
		m->is = NULL;
		m->kept = NULL;
		m->is_cap = m->kept_cap = m->keep = 0;
		return BT_OK;
	}
	if (bt_grow(&m->kept, &m->kept_cap, numbers, sizeof(*m->kept)) !=
	        BT_OK ||
	    bt_grow(&m->is, &m->is_cap, n + 1, sizeof(*m->is)) != BT_OK)
		return bt_error_nomem(err, "measuring predictions");
	m->is[n] = truth;
	memcpy(m->kept + n * w, m->p + (m->classes == 2), w * sizeof(*m->p));
	return BT_OK;
}

int bt_metrics_bin(double p)
{
	int bin = (int)ceil(p * BT_METRICS_BINS) - 1;

	return bin < 0 ? 0 : bin < BT_METRICS_BINS ? bin : BT_METRICS_BINS - 1;
}

int bt_metrics_add_probabilities(struct bt_metrics *m, int truth,
                                 struct bt_error *err)
{
	struct bt_metrics_sums *s = &m->sums;
	int k, best = 0, before = 0, bin, r = BT_OK;
	double d, sum = 0;

	for (k = 0; k < m->classes; k++) {
		d = (double)m->p[k] - (k == truth);
		if (m->classes > 2 || k == 1)
			sum += d * d;
		if (m->p[k] > m->p[best])
			best = k;
		/* of equal ones the last comes first, as in scikit-learn */
		before +=
		    k > truth ? m->p[k] >= m->p[truth] : m->p[k] > m->p[truth];
	}
	s->brier += sum;
	for (k = 0; k < BT_METRICS_TOPS; k++)
		s->top[k] += before < bt_metrics_top[k];
	bin = bt_metrics_bin((double)m->p[best]);
	s->bin_n[bin]++;
	s->bin_hits[bin] += best == truth;
	s->bin_p[bin] += (double)m->p[best];
	if (m->keep > 0)
		r = keep(m, truth, err);
	m->n++;
	return r;
}

int bt_metrics_by_score(const void *a, const void *b)
{
	const struct bt_metrics_scored *x = a, *y = b;

	return x->score > y->score ? -1 : x->score < y->score;
}

void bt_metrics_curve(struct bt_metrics_scored *x, size_t n, double *roc_auc,
                      double *average_precision)
{
	double with = 0, without = 0, pairs = 0, precisions = 0, w, wo;
	size_t i, end;

	if (n > 1)
		qsort(x, n, sizeof(*x), bt_metrics_by_score);
	for (i = 0; i < n; i = end) { /* equal scores together */
		for (w = wo = 0, end = i;
		     end < n && !(x[end].score < x[i].score); end++)
			x[end].holds ? w++ : wo++;
		pairs += wo * (with + w / 2);
		with += w;
		without += wo;
		precisions += w * (with / (with + without));
	}
	*roc_auc = with > 0 && without > 0 ? pairs / (with * without) : NAN;
	*average_precision = with > 0 ? precisions / with : NAN;
}

int bt_metrics_class_curve(const struct bt_metrics *m, int k, double *roc_auc,
                           double *average_precision)
{
	size_t n = (size_t)m->n, w = width(m), i;
	struct bt_metrics_scored *x = bt_array(n, sizeof(*x));

	*roc_auc = *average_precision = NAN;
	if (x == NULL)
		return BT_ENOMEM;
	for (i = 0; i < n; i++) {
		x[i].score = m->kept[i * w + (w > 1 ? (size_t)k : 0)];
		x[i].holds = m->is[i] == k;
	}
	bt_metrics_curve(x, n, roc_auc, average_precision);
	free(x);
	return BT_OK;
}

/* Means over the classes that examples have. */
static void sum_ranks(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	double area, precision, areas = 0, precisions = 0, weighted = 0;
	double present = 0;
	int k;

	s->roc_auc = s->average_precision = s->weighted_roc_auc = NAN;
	if (m->classes == 2) {
		(void)!bt_metrics_class_curve(m, 1, &s->roc_auc,
		                              &s->average_precision);
		return;
	}
	for (k = 0; k < m->classes; k++) {
		if (m->support[k] == 0)
			continue;
		(void)!bt_metrics_class_curve(m, k, &area, &precision);
		present++;
		areas += area;
		precisions += precision;
		weighted += area * (double)m->support[k];
	}
	s->roc_auc = areas / present;
	s->weighted_roc_auc = weighted / (double)m->n;
	s->average_precision = precisions / present;
}

void bt_metrics_sum_probabilities(const struct bt_metrics *m,
                                  struct bt_metrics_summary *s)
{
	double n = (double)m->n, gap = 0;
	int k;

	for (k = 0; k < BT_METRICS_BINS; k++)
		gap += fabs((double)m->sums.bin_hits[k] - m->sums.bin_p[k]);
	s->ece = bt_metrics_ratio(gap, n);
	s->brier_score = bt_metrics_ratio(m->sums.brier, n);
	for (k = 0; k < BT_METRICS_TOPS; k++)
		s->top[k] = bt_metrics_ratio((double)m->sums.top[k], n);
	if (m->output == BT_METRICS_ANSWERS)
		s->lacks |= BT_METRICS_OF_PROBABILITIES;
	if (m->keep > 0 && m->n > 0 && m->output != BT_METRICS_ANSWERS)
		sum_ranks(m, s);
	else
		s->lacks |= BT_METRICS_RANKS;
}
