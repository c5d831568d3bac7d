/* SPDX-License-Identifier: MIT */
/* The exponentials that the softmax of every loss is made of.
 * Not under thread: starts no threads */
#include "test.h"

#include <math.h>

#include "cpu/engine_int.h"

#define MANY ((size_t)30000)

/* Numbers whose exponentials no float holds. */
TEST(large_numbers)
{
	float x[] = {1000, 7, 999, 7, -1000, 7}, p[] = {7, 7, 7, 7, 7, 7};
	double max, sum = bt_loss_exponentials(x, p, 3, 2, &max);

	assert_true(max == 1000 && p[0] == 1 && p[2] == (float)exp(-1));
	assert_true(p[4] == 0);
	assert_true(sum == 1 + exp(-1));
	assert_true(p[1] == 7 && p[3] == 7 && p[5] == 7);
}

/* Each is less than half of what a float's 1 can be added to. */
TEST(sums_are_double)
{
	float *x = malloc(MANY * sizeof(*x));
	double max, sum, expected = 1 + (double)(MANY - 1) * exp(-18);
	size_t i;

	assert_non_null(x);
	for (i = 0; i < MANY; i++)
		x[i] = i == 5 ? 3 : -15;
	sum = bt_loss_exponentials(x, x, MANY, 1, &max);
	assert_true(max == 3 && fabs(sum - expected) < 1e-12);
	assert_true(x[5] == 1 && x[6] == (float)exp(-18));
	free(x);
}

TEST(not_a_number)
{
	float x[] = {1, NAN, 2}, p[3];
	double max;

	assert_true(isnan(bt_loss_exponentials(x, p, 3, 1, &max)));
}
