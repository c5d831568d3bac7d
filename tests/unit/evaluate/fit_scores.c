/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Thresholds of scores, beside the best of all. */
#include "evaluate/fit_scores.h"

#include <math.h>

#include "base/philox.h"
#include "metrics/metrics.h"
#include "test.h"

#define MOST 8 /* examples */

/* What thresholds reach; 0 where all scores are the same. */
static double kappa(const double *truth, const double *guess, size_t n,
                    const struct bt_scores *s)
{
	struct bt_metrics m;
	struct bt_metrics_summary sum;
	struct bt_error err = {0};
	float t, p;
	size_t i;

	assert_ok(bt_metrics_init(&m, &bt_metrics_regression, 1, &err));
	m.scores = s;
	for (i = 0; i < n; i++) {
		t = (float)truth[i];
		p = (float)guess[i];
		assert_ok(bt_metrics_add(&m, 0, &t, &p, &err));
	}
	bt_metrics_summary(&m, &sum);
	bt_metrics_clear(&m);
	return isnan(sum.quadratic_weighted_kappa)
	           ? 0
	           : sum.quadratic_weighted_kappa;
}

/* The best that thresholds from number k on reach, each a prediction or above
 * all. */
static double try_all(const double *truth, const double *guess, size_t n,
                      struct bt_scores *s, size_t k)
{
	double best = -1;
	size_t i;

	if (k + 1 >= s->n)
		return kappa(truth, guess, n, s);
	for (i = 0; i <= n; i++) {
		s->from[k] = i < n ? guess[i] : INFINITY;
		if (k == 0 || s->from[k] >= s->from[k - 1])
			best = fmax(best, try_all(truth, guess, n, s, k + 1));
	}
	return best;
}

static double draw(uint32_t at, size_t i, int below)
{
	return (double)bt_random_below(3, BT_PURPOSE_RESAMPLE, at, i,
	                               (uint64_t)below);
}

TEST(best_of_all)
{
	double truth[MOST], guess[MOST], want, got;
	struct bt_scores s, all;
	struct bt_error err;
	uint32_t at;
	size_t n, i, fitted = 0, refused = 0;
	int r;

	for (at = 0; at < 300; at++) {
		n = 2 + (size_t)draw(at, 100, MOST - 1);
		for (i = 0; i < n; i++) {
			truth[i] = draw(at, i, 4) - 2;
			guess[i] =
			    truth[i] * (at % 3) / 2 + draw(at, 20 + i, 24) / 8;
		}
		if (!bt_scores_span(&s, truth, n) || s.n == 1)
			continue;
		all = s;
		want = try_all(truth, guess, n, &all, 0);
		err = (struct bt_error){0};
		r = bt_fit_scores(truth, guess, n, &s, &got, &err);
		if (want <= 1e-12) {
			assert_err(r, BT_EFORMAT, "do not rise");
			refused++;
			continue;
		}
		assert_ok(r);
		fitted++;
		assert_true(fabs(got - want) < 1e-12);
		assert_true(fabs(kappa(truth, guess, n, &s) - want) < 1e-12);
		for (i = 1; i + 1 < s.n; i++)
			assert_true(s.from[i] >= s.from[i - 1]);
	}
	assert_true(fitted > 200 && refused > 2);
}

/* Where thresholds lie that no example decides. */
TEST(places)
{
	static const double truth[] = {1, 1, 5, 5};
	static const double apart[] = {1, 2.4, 2.6, 5}, low[] = {0, .25, .5, 1};
	static const double odd[] = {1, 1, 1, NAN};
	struct bt_scores s;
	struct bt_error err = {0};
	double k;
	size_t i;

	/* half-way between whole numbers where that is as good */
	assert_true(bt_scores_span(&s, truth, 4));
	assert_ok(bt_fit_scores(truth, apart, 4, &s, &k, &err));
	assert_true(k == 1);
	assert_true(s.from[0] == 2.5);
	for (i = 1; i < 4; i++) /* 2, 3 and 4 never occur */
		assert_true(s.from[i] > 2.4 && s.from[i] <= 2.6);
	/* else near the middle of predictions */
	assert_ok(bt_fit_scores(truth, low, 4, &s, &k, &err));
	assert_true(k == 1);
	for (i = 0; i < 4; i++)
		assert_true(fabs(s.from[i] - .4) < 1e-9);
	assert_err(bt_fit_scores(truth, odd, 4, &s, &k, &err), BT_EFORMAT,
	           "a prediction is not a number");
}
