/* SPDX-License-Identifier: MIT */
#include "evaluate/fit_scores.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "predict/thresholds.h"

/* Neighbours in the order of predictions that have one value of the isotonic
 * regression; before that, the examples of one prediction. */
struct block {
	double lo, hi; /* the least and the greatest prediction */
	double n, sum; /* examples, and their true scores less the lowest */
	double score;  /* less the lowest */
};

static int by_guess(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void join(struct block *a, const struct block *b)
{
	a->hi = b->hi;
	a->n += b->n;
	a->sum += b->sum;
}

/* Joins the examples of each prediction; returns how many are left. */
static size_t join_equal(struct block *b, size_t n)
{
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		if (k > 0 && b[k - 1].lo == b[i].lo)
			join(&b[k - 1], &b[i]);
		else
			b[k++] = b[i];
	return k;
}

/* Joins neighbours of which the second has not the greater mean (pool adjacent
 * violators); returns how many are left. */
static size_t join_violators(struct block *b, size_t n)
{
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		for (b[k++] = b[i]; k > 1 && b[k - 2].sum * b[k - 1].n >=
		                                 b[k - 1].sum * b[k - 2].n;
		     k--)
			join(&b[k - 2], &b[k - 1]);
	return k;
}

/* The kappa of the blocks' scores: 1 - D/E, where squares of true scores are in
 * both. */
static double kappa(const struct block *b, size_t n, double mean,
                    double squares)
{
	double d = squares, e = squares;
	size_t i;

	for (i = 0; i < n; i++) {
		d += b[i].score * (b[i].n * b[i].score - 2 * b[i].sum);
		e += b[i].n * b[i].score * (b[i].score - 2 * mean);
	}
	return e > 0 ? 1 - d / e : 0;
}

/* Sets the scores that are the best for a kappa of k. */
static void choose(struct block *b, size_t n, double mean, double k,
                   double most)
{
	double x;
	size_t i;

	for (i = 0; i < n; i++) {
		x = b[i].sum / b[i].n - mean;
		x = k > 0 ? floor(mean + x / k + .5) : x > 0 ? most : 0;
		b[i].score = fmin(fmax(x, 0), most);
	}
}

/* Sets the best scores of all; returns their kappa, or 0. */
static double find_best(struct block *b, size_t n, double mean, double squares,
                        double most)
{
	double k = 0, next = 0;

	if (n > 1) {
		choose(b, n, mean, 0, most);
		next = kappa(b, n, mean, squares);
	}
	while (next > k) {
		k = next;
		choose(b, n, mean, k, most);
		next = kappa(b, n, mean, squares);
	}
	return k;
}

/* The threshold of score k where blocks below i have lower ones. */
static double divide(const struct block *b, size_t n, size_t i, double k)
{
	double lo = i > 0 ? b[i - 1].hi : -INFINITY;
	double hi = i < n ? b[i].lo : INFINITY;
	char text[32];

	if (k - .5 > lo && k - .5 <= hi)
		return k - .5;
	if (i == 0)
		lo = fmin(hi - 1, nextafter(hi, -INFINITY));
	if (i == n)
		hi = fmax(lo + 1, nextafter(lo, INFINITY));
	bt_threshold_between(lo, hi, false, text);
	return strtod(text, NULL);
}

static void set_thresholds(const struct block *b, size_t n, struct bt_scores *s)
{
	size_t k, i = 0;

	for (k = 1; k < s->n; k++) {
		while (i < n && b[i].score < (double)k)
			i++;
		s->from[k - 1] = divide(b, n, i, s->least + (double)k);
		if (k > 1 && s->from[k - 1] < s->from[k - 2])
			s->from[k - 1] = s->from[k - 2];
	}
}

int bt_fit_scores(const double *truth, const double *guess, size_t n,
                  struct bt_scores *s, double *best, struct bt_error *err)
{
	struct block *b = bt_array(n, sizeof(*b));
	double sum = 0, squares = 0, t;
	size_t i, blocks;
	int r = BT_OK;

	if (b == NULL)
		return bt_error_nomem(err, "tuning thresholds");
	for (i = 0; i < n; i++) {
		t = truth[i] - s->least;
		b[i] = (struct block){
		    .lo = guess[i], .hi = guess[i], .n = 1, .sum = t};
		sum += t;
		squares += t * t;
		if (isnan(guess[i]))
			r = bt_error_set(err, BT_EFORMAT,
			                 "a prediction is not a number");
	}
	if (r != BT_OK)
		goto out;
	if (n > 1)
		qsort(b, n, sizeof(*b), by_guess);
	blocks = join_violators(b, join_equal(b, n));
	*best =
	    find_best(b, blocks, sum / (double)n, squares, (double)s->n - 1);
	if (*best > 0)
		set_thresholds(b, blocks, s);
	else
		r = bt_error_set(err, BT_EFORMAT,
		                 "the predictions do not rise with the labels: "
		                 "no thresholds have a kappa above 0");
out:
	free(b);
	return r;
}
