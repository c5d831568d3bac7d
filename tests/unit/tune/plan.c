/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Not under emulation: no code depends on the machine */
/* How a search is planned: rungs, what they cost, how many trials a budget is
 * enough for. */
#include "test.h"

#include <math.h>

#include "tune/plan.h"
#include "tune/tune.h"

TEST(rungs)
{
	double share[BT_TUNE_RUNGS];

	assert_int_equal(bt_tune_rungs(1, share), 1);
	assert_true(share[0] == 1);
	assert_int_equal(bt_tune_rungs(3, share), 2);
	assert_true(share[0] == .5 && share[1] == 1);
	assert_int_equal(bt_tune_rungs(4, share), 3);
	assert_true(share[0] == .25 && share[1] == .5 && share[2] == 1);
	assert_int_equal(bt_tune_rungs(500, share), 3);
	assert_int_equal(bt_tune_half(5), 3);
	assert_int_equal(bt_tune_half(1), 1);
}

TEST(costs)
{
	static const double cost[8] = {8, 8, 8, 8, 16, 16, 16, 16};
	double share[BT_TUNE_RUNGS];

	/* 4 quarters, 2 more quarters, 1 half */
	assert_int_equal(bt_tune_rungs(4, share), 3);
	assert_true(bt_tune_cost(cost, 4, 0, share, 3, 0, 0) ==
	            4 * 2 + 2 * 2 + 1 * 4);
	/* each start */
	assert_true(bt_tune_cost(cost, 4, 0, share, 3, 0, 1) == 16 + 7);
	/* three are at the first rung already */
	assert_true(bt_tune_cost(cost, 4, 3, share, 3, 0, 1) ==
	            2 + 2 * 2 + 4 + 4);
	/* those that go on cost as the mean */
	assert_true(bt_tune_cost(cost, 8, 0, share, 3, 0, 0) ==
	            4 * 2 + 4 * 4 + 4 * 3 + 2 * 6);
	/* from the second rung on */
	assert_true(bt_tune_cost(cost, 2, 0, share, 3, 1, 0) == 2 * 2 + 4);
	assert_true(bt_tune_cost(cost, 1, 0, share, 3, 2, 0) == 4);
}

TEST(budgets)
{
	double cost[100], share[BT_TUNE_RUNGS], now;
	size_t i, n;
	int r;

	for (i = 0; i < 100; i++)
		cost[i] = 10;
	assert_int_equal(bt_tune_fit(cost, 100, 0, 9.9), 0);
	assert_int_equal(bt_tune_fit(cost, 100, 0, 10), 1);
	assert_int_equal(bt_tune_fit(cost, 100, 1, 10), 0);
	assert_int_equal(bt_tune_fit(cost, 100, 0, 15), 2);
	assert_int_equal(bt_tune_fit(cost, 100, 0, 20), 4);
	assert_int_equal(bt_tune_fit(cost, 3, 0, 1000), 3);
	/* never more than the budget, and not enough for one more */
	for (i = 20; i < 400; i++) {
		n = bt_tune_fit(cost, 100, .5, (double)i);
		r = bt_tune_rungs(n, share);
		now = bt_tune_cost(cost, n, 0, share, r, 0, .5);
		assert_true(now <= (double)i);
		r = bt_tune_rungs(n + 1, share);
		now = bt_tune_cost(cost, n + 1, 0, share, r, 0, .5);
		assert_true(now > (double)i);
	}
}

TEST(errors)
{
	assert_true(fabs(bt_tune_standard_error("accuracy", .9, 100) - .03) <
	            1e-12);
	assert_true(fabs(bt_tune_standard_error("weighted_f1", .5, 400) -
	                 .025) < 1e-12);
	assert_true(fabs(bt_tune_standard_error("mcc", .6, 65) - .08) < 1e-12);
	assert_true(fabs(bt_tune_standard_error("mse", 3, 200) - .3) < 1e-12);
	assert_true(isnan(bt_tune_standard_error("loss", .5, 400)));
	assert_true(isnan(bt_tune_standard_error("accuracy", .5, 1)));
	assert_true(isnan(bt_tune_standard_error("accuracy", NAN, 100)));
}
