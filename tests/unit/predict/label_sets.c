/* SPDX-License-Identifier: MIT */
/* Sets of classes: their scores, their limit, and how often they hold the true
 * class of examples that they were not made from. */
#include <math.h>

#include "base/philox.h"
#include "predict/label_sets.h"
#include "test.h"

TEST(scores)
{
	const double p[4] = {.25, .4, .1, .25};
	struct bt_label_score room[4];
	float s[4];

	bt_label_sets_score(p, 4, false, room, s);
	assert_float_equal(s[0], .75, 1e-7);
	assert_float_equal(s[2], .9, 1e-7);
	bt_label_sets_score(p, 4, true, room, s);
	assert_float_equal(s[1], 0, 1e-7);
	assert_float_equal(s[0], .4, 1e-7);
	assert_float_equal(s[3], .4, 1e-7);
	assert_float_equal(s[2], .9, 1e-7);
}

TEST(limits)
{
	struct bt_label_sets s = {.coverage = .95};
	struct bt_error err = {0};
	float x[40];
	int i;

	for (i = 0; i < 40; i++)
		x[i] = (float)(39 - i);
	/* ceil(41 * .95) = 39 */
	assert_int_equal(bt_label_sets_limit(&s, x, 40, &err), 0);
	assert_float_equal(s.limit, 38, 0);
	/* ceil(20 * .95) = 19 of 19 */
	assert_int_equal(bt_label_sets_limit(&s, x, 19, &err), 0);
	assert_float_equal(s.limit, 18, 0);
	assert_int_equal(bt_label_sets_limit(&s, x, 18, &err), BT_EFORMAT);
	assert_string_equal(err.text, "a coverage of 0.95 needs 19 examples at "
	                              "least, and there are 18");
}

#define K 6
#define HELD 1000
#define FRESH 20000

/* A number in [0, 1) for element k of example i. */
static double draw(uint64_t i, uint64_t k)
{
	const uint32_t at[4] = {(uint32_t)i, (uint32_t)k, 0, 0};
	uint32_t out[4];

	bt_philox(7, at, out);
	return (double)out[0] / 4294967296.0;
}

/* Logits of example i, and a class that is drawn from other probabilities than
 * theirs: those of half the logits. */
static int example(uint64_t i, float *z)
{
	double p[K], u = draw(i, K);
	float half[K];
	int k;

	for (k = 0; k < K; k++) {
		z[k] = (float)(8 * draw(i, (uint64_t)k));
		half[k] = z[k] / 2;
	}
	bt_label_sets_softmax(half, K, p);
	for (k = 0; k < K - 1 && u >= p[k]; k++)
		u -= p[k];
	return k;
}

/* The standard deviation of the coverage is that of a beta distribution, and of
 * the share of FRESH examples: 4 of them at most. */
static void covers(bool cumulative, double coverage)
{
	struct bt_label_sets s = {.cumulative = cumulative,
	                          .coverage = coverage};
	double p[K], holds = 0, far;
	struct bt_label_score room[K];
	float z[K], score[K], truth[HELD];
	struct bt_error err = {0};
	bool on[K];
	uint64_t i;
	int y;

	for (i = 0; i < HELD; i++) {
		y = example(i, z);
		bt_label_sets_softmax(z, K, p);
		bt_label_sets_score(p, K, cumulative, room, score);
		truth[i] = score[y];
	}
	assert_int_equal(bt_label_sets_limit(&s, truth, HELD, &err), 0);
	for (; i < HELD + FRESH; i++) {
		y = example(i, z);
		bt_label_sets_softmax(z, K, p);
		bt_label_sets_choose(&s, p, K, room, score, on);
		holds += on[y];
	}
	far = 4 * sqrt(coverage * (1 - coverage) * (1. / HELD + 1. / FRESH));
	assert_true(fabs(holds / FRESH - coverage) < far);
}

TEST(coverage)
{
	covers(false, .95);
	covers(false, .8);
	covers(true, .95);
	covers(true, .8);
}
