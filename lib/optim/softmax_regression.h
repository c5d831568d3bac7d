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
	const float *x;      /* [n][cols] */
	const int32_t *y;    /* [n] classes */
	const float *weight; /* [n] of each row, or NULL: all 1 */
	size_t n, cols, classes;
	double c; /* weighs the cross entropy against the penalty */
	struct bt_pool *pool;
};

/*
 * Minimizes  |W|^2 / 2 + c * sum over i of weight(i) * CE(y(i), x(i) W' + b)
 * by L-BFGS [Nocedal 1980] from zeros, to w [classes][cols] and b [classes].
 * The same bits with any number of threads. BT_ENOMEM alone.
 */
int bt_softmax_regression(const struct bt_softmax_regression *p, float *w,
                          float *b, struct bt_error *err) BT_MUST_USE;

#endif
