/* SPDX-License-Identifier: MIT */
#include "task/probabilities.h"

#include <math.h>

float bt_task_logit(double p, bool set)
{
	return (float)(set ? log(p) - log1p(-p) : log(p));
}

void bt_task_activate(double *row, size_t n, bool set)
{
	double max = -INFINITY, sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		max = fmax(max, row[i]);
	for (i = 0; i < n; i++) {
		row[i] = set ? 1 / (1 + exp(-row[i])) : exp(row[i] - max);
		sum += row[i];
	}
	for (i = 0; i < n && !set; i++)
		row[i] /= sum;
}

int bt_task_check_sum(const float *log, size_t n, struct bt_error *err)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += exp((double)log[i]);
	return fabs(sum - 1) <= 0.005 * (double)n + 0.001
	           ? BT_OK
	           : bt_error_set(err, BT_EFORMAT,
	                          "the probabilities of the classes add up "
	                          "to %.3g, not to 1",
	                          sum);
}
