/* SPDX-License-Identifier: MIT */
/*
 * Successive halving [Jamieson and Talwalkar 2016, "Non-stochastic Best Arm
 * Identification and Hyperparameter Optimization"]: n trials are trained for a
 * share of their updates, the better half goes on to twice that share, the
 * better half of these to the end. A share is that of a trial's own schedule of
 * the learning rate, so that a trial which goes on is the run that it would be
 * alone.
 *
 * Costs are in any unit, that of the budget: updates, or seconds.
 */
#ifndef BT_TUNE_PLAN_H
#define BT_TUNE_PLAN_H

#include <stddef.h>

#define BT_TUNE_RUNGS 3

/* The shares of the updates at which n trials are compared: a quarter, a half
 * and all of 4 or more, a half and all of 2 or 3. Returns how many there are.
 */
int bt_tune_rungs(size_t n, double share[BT_TUNE_RUNGS]);

/* Of n trials that were compared, those that go on: the half, rounded up. */
static inline size_t bt_tune_half(size_t n)
{
	return (n + 1) / 2;
}

/*
 * What n trials will cost from rung `from` on, of `rungs` with these shares.
 * cost [n] is that of a whole trial; start is added for each time that one is
 * started. The first `done` trials are at that rung already. Those that will go
 * on beyond it cost as the mean.
 */
double bt_tune_cost(const double *cost, size_t n, size_t done,
                    const double *share, int rungs, int from, double start);

/* The largest number of trials, up to `most`, that the budget is enough for; 0:
 * none. */
size_t bt_tune_fit(const double *cost, size_t most, double start,
                   double budget);

#endif
