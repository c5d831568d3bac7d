/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Which settings a search tries. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tune/space.h"

TEST(wrong)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
	    {"dropout", "expected NAME=A..B"},
	    {"=1..2", "expected NAME=A..B"},
	    {"", "expected NAME=A..B"},
	    {"dropout=", "expected NAME=A..B"},
	    {"pool=mean,,max", "expected NAME=A..B"},
	    {"dropout=1..", "expected NAME=A..B"},
	    {"dropout=..2", "expected NAME=A..B"},
	    {"pool=mean", "'pool=mean': one value leaves nothing to try"},
	    {"dropout=1..2..3", "a range goes from one number to another"},
	    {"dropout=a..b", "a range goes from one number to another"},
	    {"dropout=0.3..0.1", "the range is empty, 0.3 is not below 0.1"},
	    {"dropout=0.3..0.3", "the range is empty"},
	    {"epochs=2,3", "'epochs=2,3': epochs was given before"},
	};
	struct bt_tune_space s = {0};
	struct bt_error err = {0};
	size_t i;

	assert_ok(bt_tune_space_add(&s, "epochs=1..3", &err));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bt_tune_space other = {0};

		assert_ok(bt_tune_space_add(&other, "epochs=1..3", &err));
		assert_err(bt_tune_space_add(&other, cases[i].text, &err),
		           BT_EARG, cases[i].says);
		bt_error_clear(&err);
		bt_tune_space_clear(&other);
	}
	bt_tune_space_clear(&s);
}

/* The smallest and largest of 500 draws, and the share of those below mid. */
static void look(struct bt_tune_space *s, size_t k, double mid, double *lo,
                 double *hi, double *below)
{
	char value[8][BT_TUNE_VALUE];
	double v;
	uint64_t j;

	*lo = INFINITY;
	*hi = -INFINITY;
	*below = 0;
	for (j = 0; j < 500; j++) {
		bt_tune_space_draw(s, 42, j, value);
		v = atof(value[k]);
		*lo = fmin(*lo, v);
		*hi = fmax(*hi, v);
		*below += v < mid ? 1.0 / 500 : 0;
	}
}

TEST(ranges)
{
	struct bt_tune_space s = {0};
	struct bt_error err = {0};
	double lo, hi, below;

	assert_ok(bt_tune_space_add(&s, "learning-rate=1e-5..1e-3", &err));
	assert_ok(bt_tune_space_add(&s, "epochs=2..5", &err));
	assert_ok(bt_tune_space_add(&s, "dropout=0..0.3", &err));
	assert_ok(bt_tune_space_add(&s, "batch-size=8..128", &err));
	assert_ok(bt_tune_space_add(&s, "weight-decay=0..1", &err));
	/* even in powers, in steps and in between */
	look(&s, 0, 1e-4, &lo, &hi, &below);
	assert_true(lo >= 1e-5 && lo < 1.1e-5 && hi <= 1e-3 && hi > 9e-4);
	assert_true(fabs(below - .5) < .02);
	look(&s, 1, 3.5, &lo, &hi, &below);
	assert_true(lo == 2 && hi == 5 && fabs(below - .5) < .02);
	look(&s, 2, .15, &lo, &hi, &below);
	assert_true(lo >= 0 && lo < .01 && hi <= .3 && hi > .29);
	assert_true(fabs(below - .5) < .03);
	look(&s, 3, 32.5, &lo, &hi, &below);
	assert_true(lo == 8 && hi > 125 && hi <= 128 && fabs(below - .5) < .03);
	look(&s, 4, .5, &lo, &hi, &below);
	assert_true(lo < .01 && hi > .99 && fabs(below - .5) < .02);
	bt_tune_space_clear(&s);
}

TEST(lists)
{
	struct bt_tune_space s = {0};
	struct bt_error err = {0};
	char value[2][BT_TUNE_VALUE], same[2][BT_TUNE_VALUE];
	int pool[3] = {0}, head[2] = {0}, differ = 0;
	uint64_t j;

	assert_ok(bt_tune_space_add(&s, "pool=mean,pooler,max", &err));
	assert_ok(bt_tune_space_add(&s, "head=dense 64 relu,dense 8", &err));
	for (j = 0; j < 300; j++) {
		bt_tune_space_draw(&s, 42, j, value);
		bt_tune_space_draw(&s, 42, j, same);
		assert_memory_equal(value, same, sizeof(value));
		bt_tune_space_draw(&s, 43, j, same);
		differ += strcmp(value[0], same[0]) != 0;
		pool[0] += strcmp(value[0], "mean") == 0;
		pool[1] += strcmp(value[0], "pooler") == 0;
		pool[2] += strcmp(value[0], "max") == 0;
		head[0] += strcmp(value[1], "dense 64 relu") == 0;
		head[1] += strcmp(value[1], "dense 8") == 0;
	}
	assert_true(abs(pool[0] - 100) < 5 && abs(pool[1] - 100) < 5);
	assert_int_equal(pool[0] + pool[1] + pool[2], 300);
	assert_true(abs(head[0] - 150) < 5 && head[0] + head[1] == 300);
	assert_true(differ > 50);
	bt_tune_space_clear(&s);
}
