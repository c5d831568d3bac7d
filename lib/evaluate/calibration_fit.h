/* SPDX-License-Identifier: MIT */
/*
 * Finds the numbers that calibrate logits z [n][k] (finetune/calibration.h) by
 * the labels of n examples: the minimum of the mean log loss.
 *
 * Temperature: the mean over examples of the cross entropy of a * z, by one a,
 * 1/a being the temperature [Guo 2017]; of multi-label logits the mean of the
 * binary cross entropy of a(k) * z(k), for each label by itself.
 *
 * Vector: the mean cross entropy of a(k) * z(k) + b(k) (multi-label: of each
 * label by itself) and, since few examples cannot tell so many numbers,
 *	BT_CALIBRATION_PENALTY / 2 * sum over k of (a(k) - a)^2 + b(k)^2
 * where a is that of the temperature, of all classes or of the label.
 */
#ifndef BT_EVALUATE_CALIBRATION_FIT_H
#define BT_EVALUATE_CALIBRATION_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define BT_CALIBRATION_PENALTY .001

struct bt_calibration_fit {
	const float *z;       /* [n][k] */
	const int32_t *truth; /* [n] classes; or NULL: */
	const float *targets; /* [n][k] of labels: 1 holds, 0 does not */
	size_t n, k;
	bool vector;
};

/*
 * Sets scale[k] and bias[k]. A label without a minimum, because its
 * logits divide the examples without error, say nothing about it, or no example
 * or all have it, keeps 1 and 0 and counts in *kept. Classes without
 * one are BT_EFORMAT. Else BT_ENOMEM alone.
 */
int bt_calibration_fit(const struct bt_calibration_fit *f, double *scale,
                       double *bias, size_t *kept,
                       struct bt_error *err) BT_MUST_USE;

#endif
