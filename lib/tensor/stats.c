/* SPDX-License-Identifier: MIT */
/*
 * Mean and deviation: within a block of numbers the sum, then the sum of
 * squares about the block's own mean; blocks and then pieces are put together
 * by the update of Chan, Golub and LeVeque, which loses nothing to a mean that
 * is large beside the deviation.
 */
#include "tensor/stats.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tensor/stats_int.h"

struct part {
	size_t tensor; /* index */
	size_t first;  /* element */
	size_t n;
	size_t nan, inf, first_bad;
	size_t finite;
	double min, max, mean;
	double m2; /* sum of (x - mean)^2 */
};

struct job {
	const struct bt_tensor *const *t;
	struct part *parts;
};

/* Adds n numbers of that mean and m2. */
static void merge(struct part *p, size_t n, double mean, double m2)
{
	double na = (double)p->finite, nb = (double)n, d = mean - p->mean;

	if (n == 0)
		return;
	if (p->finite == 0) { /* where d * d may overflow, and 0 times that */
		p->finite = n;
		p->mean = mean;
		p->m2 = m2;
		return;
	}
	p->mean += d * (nb / (na + nb));
	p->m2 += m2 + d * d * (na * nb / (na + nb));
	p->finite += n;
}

/* Leaves the finite ones of x[0..n-1], whose first is element `first` of the
 * tensor, at the front; returns how many. */
static size_t drop_bad(struct part *p, double *x, size_t n, size_t first)
{
	size_t i, k = 0;

	for (i = 0; i < n; i++) {
		if (isfinite(x[i])) {
			x[k++] = x[i];
			continue;
		}
		if (p->nan + p->inf == 0)
			p->first_bad = first + i;
		if (isnan(x[i]))
			p->nan++;
		else
			p->inf++;
	}
	return k;
}

/* Four sums side by side, for the latency of the addition. */
static double sum(const double *x, size_t n)
{
	double s[4] = {0, 0, 0, 0};
	size_t i;

	for (i = 0; i + 4 <= n; i += 4) {
		s[0] += x[i];
		s[1] += x[i + 1];
		s[2] += x[i + 2];
		s[3] += x[i + 3];
	}
	for (; i < n; i++)
		s[0] += x[i];
	return (s[0] + s[1]) + (s[2] + s[3]);
}

static void add_block(struct part *p, double *x, size_t n)
{
	double mean, lo = p->min, hi = p->max;
	size_t i;

	if (n == 0)
		return;
	for (i = 0; i < n; i++) {
		lo = x[i] < lo ? x[i] : lo;
		hi = x[i] > hi ? x[i] : hi;
	}
	p->min = lo;
	p->max = hi;
	mean = sum(x, n) / (double)n;
	for (i = 0; i < n; i++)
		x[i] = (x[i] - mean) * (x[i] - mean);
	merge(p, n, mean, sum(x, n));
}

static void work(void *arg, int piece, int worker)
{
	struct job *job = arg;
	struct part *p = &job->parts[piece];
	double x[BT_PIECE_BLOCK];
	size_t i, n, k;

	(void)worker;
	for (i = 0; i < p->n; i += n) {
		n = p->n - i < BT_PIECE_BLOCK ? p->n - i : BT_PIECE_BLOCK;
		if (bt_tensor_to_f64(job->t[p->tensor], p->first + i, n, x,
		                     NULL) != BT_OK)
			return; /* cannot be: the range and type were checked */
		k = drop_bad(p, x, n, p->first + i);
		add_block(p, x, k);
	}
}

/* Cuts the tensors with real numbers; *n_parts of them. */
static struct part *cut(const struct bt_tensor *const *t, size_t n,
                        size_t *n_parts)
{
	struct part *parts, *p;
	size_t i, k, total = 0;

	for (i = 0; i < n; i++)
		if (bt_dtype_is_real(t[i]->dtype))
			total += bt_pieces_of(t[i]->count);
	parts = bt_array0(total, sizeof(*parts));
	if (parts == NULL || total > INT_MAX) {
		free(parts);
		return NULL;
	}
	p = parts;
	for (i = 0; i < n; i++) {
		if (!bt_dtype_is_real(t[i]->dtype))
			continue;
		for (k = 0; k < bt_pieces_of(t[i]->count); k++, p++) {
			p->tensor = i;
			p->first = k * BT_PIECE;
			p->n = bt_piece_size(t[i]->count, k);
			p->min = INFINITY;
			p->max = -INFINITY;
		}
	}
	*n_parts = total;
	return parts;
}

static void add_part(struct part *to, const struct part *p)
{
	if (to->nan + to->inf == 0)
		to->first_bad = p->first_bad;
	to->nan += p->nan;
	to->inf += p->inf;
	to->min = fmin(to->min, p->min);
	to->max = fmax(to->max, p->max);
	merge(to, p->finite, p->mean, p->m2);
}

static void conclude(const struct part *p, struct bt_tensor_stats *s)
{
	bool any = p->finite != 0;

	s->known = true;
	s->nan = p->nan;
	s->inf = p->inf;
	s->first_bad = p->first_bad;
	s->min = any ? p->min : NAN;
	s->max = any ? p->max : NAN;
	s->mean = any ? p->mean : NAN;
	s->std = any ? sqrt(p->m2 / (double)p->finite) : NAN;
}

int bt_stats(const struct bt_tensor *const *t, size_t n, struct bt_pool *pool,
             struct bt_tensor_stats *s, struct bt_error *err)
{
	struct part whole, *parts;
	struct job job;
	size_t i, k = 0, n_parts;
	int r;

	for (i = 0; i < n; i++) {
		r = bt_tensor_there(t[i], err);
		if (r != BT_OK)
			return r;
	}
	parts = cut(t, n, &n_parts);
	if (parts == NULL)
		return bt_error_nomem(err, "computing statistics");
	job.t = t;
	job.parts = parts;
	bt_pool_run(pool, work, &job, (int)n_parts);
	for (i = 0; i < n; i++) {
		s[i] = (struct bt_tensor_stats){0};
		if (!bt_dtype_is_real(t[i]->dtype))
			continue;
		whole = (struct part){.min = INFINITY, .max = -INFINITY};
		for (; k < n_parts && parts[k].tensor == i; k++)
			add_part(&whole, &parts[k]);
		conclude(&whole, &s[i]);
	}
	free(parts);
	return BT_OK;
}
