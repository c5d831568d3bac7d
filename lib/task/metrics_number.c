/* SPDX-License-Identifier: MIT */
/* Measures of predicted numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "task/metrics_int.h"

int bt_metrics_add_number(struct bt_metrics *m, double truth, double guess,
                          struct bt_error *err)
{
	size_t n = (size_t)m->n;

	if (bt_grow(&m->truth, &m->truth_cap, n + 1, sizeof(*m->truth)) !=
	        BT_OK ||
	    bt_grow(&m->guess, &m->guess_cap, n + 1, sizeof(*m->guess)) !=
	        BT_OK)
		return bt_error_nomem(err, "measuring predictions");
	m->truth[n] = truth;
	m->guess[n] = guess;
	m->loss_sum += (guess - truth) * (guess - truth);
	m->n++;
	return BT_OK;
}

/* Pearson's correlation; NaN where one of them is the same throughout. */
static double correlation(const double *x, const double *y, size_t n)
{
	double mx = 0, my = 0, xx = 0, yy = 0, xy = 0, r;
	size_t i;

	for (i = 0; i < n; i++) {
		mx += x[i] / (double)n;
		my += y[i] / (double)n;
	}
	for (i = 0; i < n; i++) {
		xx += (x[i] - mx) * (x[i] - mx);
		yy += (y[i] - my) * (y[i] - my);
		xy += (x[i] - mx) * (y[i] - my);
	}
	r = xx > 0 && yy > 0 ? xy / (sqrt(xx) * sqrt(yy)) : NAN;
	return r > 1 ? 1 : r < -1 ? -1 : r;
}

struct place {
	double value;
	size_t at;
};

static int by_value(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

/* Ranks from 1; equal values have the mean of theirs. */
static void rank(const double *x, size_t n, struct place *p, double *out)
{
	size_t i, k, end;

	for (i = 0; i < n; i++)
		p[i] = (struct place){x[i], i};
	qsort(p, n, sizeof(*p), by_value);
	for (i = 0; i < n; i = end) {
		for (end = i + 1; end < n && p[end].value == p[i].value; end++)
			;
		for (k = i; k < end; k++)
			out[p[k].at] = (double)(i + 1 + end) / 2;
	}
}

static double rank_correlation(const struct bt_metrics *m)
{
	size_t n = (size_t)m->n;
	struct place *p = bt_array(n, sizeof(*p));
	double *a = bt_array(n, sizeof(*a)), *b = bt_array(n, sizeof(*b));
	double r = NAN;

	if (p != NULL && a != NULL && b != NULL) {
		rank(m->truth, n, p, a);
		rank(m->guess, n, p, b);
		r = correlation(a, b, n);
	}
	free(p);
	free(a);
	free(b);
	return r;
}

void bt_metrics_numbers(const struct bt_metrics *m,
                        struct bt_metrics_summary *s)
{
	double n = (double)m->n, mean = 0, spread = 0;
	size_t i;

	if (m->n == 0)
		return;
	for (i = 0; i < m->n; i++) {
		mean += m->truth[i] / n;
		s->mae += fabs(m->guess[i] - m->truth[i]) / n;
	}
	for (i = 0; i < m->n; i++)
		spread += (m->truth[i] - mean) * (m->truth[i] - mean);
	s->loss = s->mse = m->loss_sum / n;
	s->r2 = spread > 0 ? 1 - m->loss_sum / spread : NAN;
	s->pearson = correlation(m->truth, m->guess, (size_t)m->n);
	s->spearman = rank_correlation(m);
	s->pearson_spearman = (s->pearson + s->spearman) / 2;
}
