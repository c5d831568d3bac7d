/* SPDX-License-Identifier: MIT */
#include "tune/plan.h"

int bt_tune_rungs(size_t n, double share[BT_TUNE_RUNGS])
{
	int rungs = n >= 4 ? 3 : n >= 2 ? 2 : 1, i;

	for (i = 0; i < rungs; i++)
		share[i] = 1.0 / (double)(1 << (rungs - 1 - i));
	return rungs;
}

double bt_tune_cost(const double *cost, size_t n, size_t done,
                    const double *share, int rungs, int from, double start)
{
	double before = from > 0 ? share[from - 1] : 0, sum = 0, mean = 0;
	size_t i;
	int k;

	for (i = 0; i < n; i++)
		mean += cost[i] / (double)n;
	for (i = done; i < n; i++)
		sum += cost[i] * (share[from] - before) + start;
	for (k = from + 1; k < rungs; k++) {
		n = bt_tune_half(n);
		sum += (double)n * (mean * (share[k] - share[k - 1]) + start);
	}
	return sum;
}

size_t bt_tune_fit(const double *cost, size_t most, double start, double budget)
{
	double share[BT_TUNE_RUNGS];
	size_t n, best = 0;
	int rungs;

	for (n = 1; n <= most; n++) {
		rungs = bt_tune_rungs(n, share);
		if (bt_tune_cost(cost, n, 0, share, rungs, 0, start) <= budget)
			best = n;
	}
	return best;
}
