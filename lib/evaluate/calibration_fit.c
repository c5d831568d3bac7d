/* SPDX-License-Identifier: MIT */
#include "evaluate/calibration_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define STEPS 200   /* of Newton; a dozen are usual */
#define DONE 1e-12  /* a step of less ends it */
#define LARGEST 1e6 /* scale that is looked for */
#define HALVINGS 60 /* of a step that does not descend */

/* A problem: all classes, or (label >= 0) one label. */
struct problem {
	const struct bt_calibration_fit *f;
	ptrdiff_t label;
	double *p;                /* [f->k] room for probabilities */
	double a;                 /* that of the temperature, for the penalty */
	double *x, *g, *h, *next; /* of Newton: [m], [m], [m][m], [m] */
	size_t m;                 /* 2 numbers for each of m/2 outputs */
};

static double sigmoid(double z)
{
	return z >= 0 ? 1 / (1 + exp(-z)) : exp(z) / (1 + exp(z));
}

/* log(1 + exp(z)) */
static double softplus(double z)
{
	return fmax(z, 0) + log1p(exp(-fabs(z)));
}

/* Probabilities of p->p of classes with logits a[k] * z[k] + b[k] (NULL: 0),
 * of a[0] where it is one; returns the logarithm of their sum. */
static double softmax(const struct problem *q, const float *z, const double *a,
                      const double *b)
{
	size_t k, n = q->f->k;
	double most = -INFINITY, sum = 0;

	for (k = 0; k < n; k++) {
		q->p[k] = a[b != NULL ? k : 0] * (double)z[k] +
		          (b != NULL ? b[k] : 0);
		most = fmax(most, q->p[k]);
	}
	for (k = 0; k < n; k++) {
		q->p[k] = exp(q->p[k] - most);
		sum += q->p[k];
	}
	for (k = 0; k < n; k++)
		q->p[k] /= sum;
	return most + log(sum);
}

/* First and second derivative of the mean log loss by one scale a. */
static double slope(const struct problem *q, double a, double *curve)
{
	const struct bt_calibration_fit *f = q->f;
	double g = 0, h = 0, mean, square, p, z;
	const float *row = f->z;
	size_t i, k, l = (size_t)q->label;

	for (i = 0; i < f->n; i++, row += f->k) {
		if (q->label >= 0) {
			z = (double)row[l];
			p = sigmoid(a * z);
			g += (p - (double)f->targets[i * f->k + l]) * z;
			h += p * (1 - p) * z * z;
			continue;
		}
		softmax(q, row, &a, NULL);
		for (k = 0, mean = square = 0; k < f->k; k++) {
			mean += q->p[k] * (double)row[k];
			square += q->p[k] * (double)row[k] * (double)row[k];
		}
		g += mean - (double)row[f->truth[i]];
		h += square - mean * mean;
	}
	*curve = h / (double)f->n;
	return g / (double)f->n;
}

/* Whether the loss of every example falls for ever as the scale grows. */
static bool is_divided(const struct problem *q)
{
	const struct bt_calibration_fit *f = q->f;
	const float *row = f->z;
	size_t i, k, l = (size_t)q->label;

	for (i = 0; i < f->n; i++, row += f->k) {
		if (q->label >= 0) {
			if (f->targets[i * f->k + l] > 0 ? row[l] < 0
			                                 : row[l] > 0)
				return false;
			continue;
		}
		for (k = 0; k < f->k; k++)
			if (row[k] > row[f->truth[i]])
				return false;
	}
	return true;
}

/* Whether all examples have the label, or none: then they say nothing about its
 * probability where it may hold or not. */
static bool is_constant(const struct problem *q)
{
	const struct bt_calibration_fit *f = q->f;
	size_t i, with = 0;

	if (q->label < 0)
		return false;
	for (i = 0; i < f->n; i++)
		with += f->targets[i * f->k + (size_t)q->label] > 0;
	return with == 0 || with == f->n;
}

/* The scale with the least loss: Newton between bounds, for the slope grows. 0:
 * there is none. */
static double find_scale(const struct problem *q)
{
	double lo = 0, hi = 1, a = 1, g, h, next;
	int i;

	if (is_constant(q) || is_divided(q) || slope(q, 0, &h) >= 0)
		return 0;
	while (slope(q, hi, &h) < 0) {
		lo = hi;
		hi *= 2;
		if (hi > LARGEST)
			return 0;
	}
	for (i = 0; i < STEPS; i++) {
		g = slope(q, a, &h);
		if (g > 0)
			hi = a;
		else
			lo = a;
		next = a - g / h;
		if (!(next > lo && next < hi))
			next = (lo + hi) / 2;
		if (fabs(next - a) <= DONE * a)
			break;
		a = next;
	}
	return a;
}

static double penalty(const struct problem *q, const double *x, double *g,
                      double *h)
{
	size_t k, half = q->m / 2;
	double sum = 0, d;

	for (k = 0; k < q->m; k++) {
		d = x[k] - (k < half ? q->a : 0);
		sum += d * d;
		if (g != NULL) {
			g[k] += BT_CALIBRATION_PENALTY * d;
			h[k * q->m + k] += BT_CALIBRATION_PENALTY;
		}
	}
	return BT_CALIBRATION_PENALTY / 2 * sum;
}

/* Adds an example's part of gradient and Hessian: d is the loss's derivative by
 * the logit of output k, dd by that of k and j. */
static void add_gradient(const struct problem *q, size_t k, double z, double d)
{
	q->g[k] += d * z;
	q->g[q->m / 2 + k] += d;
}

static void add_curve(const struct problem *q, size_t k, double z, size_t j,
                      double y, double dd)
{
	size_t half = q->m / 2;
	double *row = q->h + k * q->m, *below = q->h + (half + k) * q->m;

	row[j] += dd * z * y;
	row[half + j] += dd * z;
	below[j] += dd * y;
	below[half + j] += dd;
}

static double add_classes(const struct problem *q, const double *x, size_t i,
                          bool all)
{
	const struct bt_calibration_fit *f = q->f;
	const float *z = f->z + i * f->k;
	size_t k, j, t = (size_t)f->truth[i];
	double sum = softmax(q, z, x, x + f->k), w = 1 / (double)f->n;

	for (k = 0; all && k < f->k; k++) {
		add_gradient(q, k, (double)z[k], w * (q->p[k] - (k == t)));
		for (j = 0; j < f->k; j++)
			add_curve(q, k, (double)z[k], j, (double)z[j],
			          w * q->p[k] * ((k == j) - q->p[j]));
	}
	return w * (sum - (x[t] * (double)z[t] + x[f->k + t]));
}

static double add_label(const struct problem *q, const double *x, size_t i,
                        bool all)
{
	const struct bt_calibration_fit *f = q->f;
	size_t at = i * f->k + (size_t)q->label;
	double z = (double)f->z[at], y = (double)f->targets[at];
	double logit = x[0] * z + x[1], p = sigmoid(logit);
	double w = 1 / (double)f->n;

	if (all) {
		add_gradient(q, 0, z, w * (p - y));
		add_curve(q, 0, z, 0, z, w * p * (1 - p));
	}
	return w * (softplus(logit) - y * logit);
}

/* The function at x and, with all, its derivatives in q->g and q->h. */
static double evaluate(const struct problem *q, const double *x, bool all)
{
	double sum;
	size_t i;

	if (all) {
		memset(q->g, 0, q->m * sizeof(*q->g));
		memset(q->h, 0, q->m * q->m * sizeof(*q->h));
	}
	sum = penalty(q, x, all ? q->g : NULL, q->h);
	for (i = 0; i < q->f->n; i++)
		sum += q->label >= 0 ? add_label(q, x, i, all)
		                     : add_classes(q, x, i, all);
	return sum;
}

/* Solves h d = g in place of g, by h = L L' (Cholesky). The penalty keeps h
 * positive. */
static void solve(double *h, double *g, size_t m)
{
	size_t i, j, k;
	double s;

	for (j = 0; j < m; j++)
		for (i = j; i < m; i++) {
			s = h[i * m + j];
			for (k = 0; k < j; k++)
				s -= h[i * m + k] * h[j * m + k];
			h[i * m + j] = i == j ? sqrt(s) : s / h[j * m + j];
		}
	for (i = 0; i < m; i++) {
		for (k = 0; k < i; k++)
			g[i] -= h[i * m + k] * g[k];
		g[i] /= h[i * m + i];
	}
	for (i = m; i-- > 0;) {
		for (k = i + 1; k < m; k++)
			g[i] -= h[k * m + i] * g[k];
		g[i] /= h[i * m + i];
	}
}

/* From x to the minimum. */
static void newton(const struct problem *q)
{
	double now, then, step, most, t;
	size_t k;
	int i, j;

	for (i = 0; i < STEPS; i++) {
		now = evaluate(q, q->x, true);
		solve(q->h, q->g, q->m);
		for (j = 0, step = 1; j < HALVINGS; j++, step /= 2) {
			for (k = 0, most = 0; k < q->m; k++) {
				q->next[k] = q->x[k] - step * q->g[k];
				t = fabs(step * q->g[k]);
				most = fmax(most, t);
			}
			then = evaluate(q, q->next, false);
			if (then <= now)
				break;
		}
		if (j == HALVINGS)
			break;
		memcpy(q->x, q->next, q->m * sizeof(*q->x));
		if (most < DONE)
			break;
	}
}

/* Fits one problem, whose numbers go to scale and bias from `at` on. */
static bool fit(struct problem *q, double *scale, double *bias, size_t at)
{
	size_t k, n = q->label >= 0 ? 1 : q->f->k;

	q->a = find_scale(q);
	for (k = 0; k < n; k++) {
		scale[at + k] = q->a > 0 ? q->a : 1;
		bias[at + k] = 0;
	}
	if (q->a == 0 || !q->f->vector)
		return q->a > 0;
	q->m = 2 * n;
	memcpy(q->x, scale + at, n * sizeof(*q->x));
	memset(q->x + n, 0, n * sizeof(*q->x));
	newton(q);
	memcpy(scale + at, q->x, n * sizeof(*q->x));
	memcpy(bias + at, q->x + n, n * sizeof(*q->x));
	return true;
}

static int explain(const struct problem *q, struct bt_error *err)
{
	return bt_error_set(
	    err, BT_EFORMAT,
	    is_divided(q)
	        ? "all %zu examples are predicted right: no temperature is "
	          "the best one (use more records)"
	        : "the logits do not tell the labels of these %zu examples "
	          "better than chance: no temperature is the best one",
	    q->f->n);
}

int bt_calibration_fit(const struct bt_calibration_fit *f, double *scale,
                       double *bias, size_t *kept, struct bt_error *err)
{
	struct problem q = {.f = f, .label = -1};
	size_t m = f->truth != NULL ? 2 * f->k : 2, cells, k;
	int r = BT_OK;

	*kept = 0;
	if (!bt_size_mul(m, m, &cells))
		return bt_error_nomem(err, "calibrating");
	q.p = bt_array(f->k, sizeof(*q.p));
	q.x = bt_array(m, sizeof(*q.x));
	q.g = bt_array(m, sizeof(*q.g));
	q.next = bt_array(m, sizeof(*q.next));
	q.h = bt_array(f->vector ? cells : 1, sizeof(*q.h));
	if (q.p == NULL || q.x == NULL || q.g == NULL || q.next == NULL ||
	    q.h == NULL)
		r = bt_error_nomem(err, "calibrating");
	else if (f->truth != NULL && !fit(&q, scale, bias, 0))
		r = explain(&q, err);
	for (k = 0; r == BT_OK && f->truth == NULL && k < f->k; k++) {
		q.label = (ptrdiff_t)k;
		*kept += !fit(&q, scale, bias, k);
	}
	free(q.p);
	free(q.x);
	free(q.g);
	free(q.next);
	free(q.h);
	return r;
}
