/* SPDX-License-Identifier: MIT */
/* Softmax regression of fixed rows of numbers, as scikit-learn's
 * LogisticRegression, which for two classes has one row of weights: that is the
 * same with half of its C. */
#ifndef BT_OPTIM_SOFTMAX_REGRESSION_H
#define BT_OPTIM_SOFTMAX_REGRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"

struct bt_softmax_regression {
	/* *x = rows first .. first+n-1, [n][cols], until the next call; each is
	 * asked for many times */
	int (*rows)(void *ctx, size_t first, size_t n, const float **x,
	            struct bt_error *err);
	void *ctx;
	double scale;        /* what the rows are multiplied by first */
	const int32_t *y;    /* [n] classes */
	const float *weight; /* [n] of each row, or NULL: all 1 */
	size_t n, cols, classes;
	double c; /* weighs the cross entropy against the penalty */
	struct bt_pool *pool;
};

/*
 * Minimizes
 *   |W|^2 / 2 + c * sum over i of weight(i) * CE(y(i), scale x(i) W' + b)
 * by L-BFGS [Nocedal 1980] from zeros, to w = scale W [classes][cols] and
 * b [classes]. The same bits with any number of threads. BT_ENOMEM, and the
 * errors of rows.
 */
int bt_softmax_regression(const struct bt_softmax_regression *p, float *w,
                          float *b, struct bt_error *err) BT_MUST_USE;

#endif
