/* SPDX-License-Identifier: MIT */
/* Parts of all kinds of metrics. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "metrics/metrics_int.h"

double bt_metrics_ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

struct bt_class_metrics bt_metrics_rates(uint64_t hits, uint64_t predicted,
                                         uint64_t support)
{
	return (struct bt_class_metrics){
	    .precision = bt_metrics_ratio((double)hits, (double)predicted),
	    .recall = bt_metrics_ratio((double)hits, (double)support),
	    .f1 = bt_metrics_ratio(2 * (double)hits,
	                           (double)(predicted + support)),
	    .support = support,
	    .predicted = predicted};
}

int bt_metrics_average_add(const struct bt_class_metrics *c, double n,
                           struct bt_metrics_summary *s)
{
	double w = bt_metrics_ratio((double)c->support, n);

	s->macro_precision += c->precision;
	s->macro_recall += c->recall;
	s->macro_f1 += c->f1;
	s->weighted_precision += w * c->precision;
	s->weighted_recall += w * c->recall;
	s->weighted_f1 += w * c->f1;
	return c->support > 0 || c->predicted > 0;
}

void bt_metrics_average_end(int classes, struct bt_metrics_summary *s)
{
	s->macro_precision = bt_metrics_ratio(s->macro_precision, classes);
	s->macro_recall = bt_metrics_ratio(s->macro_recall, classes);
	s->macro_f1 = bt_metrics_ratio(s->macro_f1, classes);
}

double bt_metrics_log(double p)
{
	return log(fmin(fmax(p, DBL_EPSILON), 1 - DBL_EPSILON));
}

struct ranked {
	double value;
	size_t at;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

int bt_metrics_rank(const double *x, size_t n, double *out)
{
	struct ranked *p = bt_array(n, sizeof(*p));
	size_t i, k, end;

	if (p == NULL)
		return BT_ENOMEM;
	for (i = 0; i < n; i++)
		p[i] = (struct ranked){x[i], i};
	if (n > 0)
		qsort(p, n, sizeof(*p), by_value);
	for (i = 0; i < n; i = end) {
		for (end = i + 1; end < n && p[end].value == p[i].value; end++)
			;
		for (k = i; k < end; k++)
			out[p[k].at] = (double)(i + 1 + end) / 2;
	}
	free(p);
	return BT_OK;
}

int bt_metrics_add_row(struct bt_metrics *m, const float *truth,
                       const float *guess, double loss, struct bt_error *err)
{
	size_t k = m->width, n, need;

	if (!bt_size_mul((size_t)m->n + 1, k, &need) ||
	    bt_grow(&m->truth, &m->truth_cap, need, sizeof(*truth)) != BT_OK ||
	    bt_grow(&m->guess, &m->guess_cap, need, sizeof(*guess)) != BT_OK)
		return bt_error_nomem(err, "measuring predictions");
	n = need - k;
	memcpy(m->truth + n, truth, k * sizeof(*truth));
	memcpy(m->guess + n, guess, k * sizeof(*guess));
	m->loss_sum += loss;
	m->n++;
	return BT_OK;
}

void bt_metrics_column(const struct bt_metrics *m, const float *from, size_t k,
                       double *out)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		out[i] = (double)from[i * m->width + k];
}

double bt_metrics_kappa(double n, double truth, double guess, double squares,
                        double distance)
{
	double expected = squares - 2 * truth * guess / n;

	return expected > 0 ? 1 - distance / expected : NAN;
}

bool bt_metrics_constant(const double *x, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (x[i] < x[0] || x[i] > x[0])
			return false;
	return true;
}

double bt_metrics_correlation(const double *x, const double *y, size_t n)
{
	double mx = 0, my = 0, xx = 0, yy = 0, xy = 0, r;
	size_t i;

	/* a mean is rounded: what is left of equal numbers need not be 0 */
	if (bt_metrics_constant(x, n) || bt_metrics_constant(y, n))
		return NAN;
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
