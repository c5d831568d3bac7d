/* SPDX-License-Identifier: MIT */
#include "base/softmax.h"

#include <math.h>

double bt_log_sum_exp(const float *x, size_t n, size_t step)
{
	double max = -INFINITY, sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		max = fmax(max, (double)x[i * step]);
	for (i = 0; i < n; i++)
		sum += exp((double)x[i * step] - max);
	return max + log(sum);
}

double bt_cross_entropy(const float *x, size_t n, size_t step, size_t y)
{
	return bt_log_sum_exp(x, n, step) - (double)x[y * step];
}
