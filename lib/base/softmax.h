/* SPDX-License-Identifier: MIT */
#ifndef BT_BASE_SOFTMAX_H
#define BT_BASE_SOFTMAX_H

#include <stddef.h>

/* log(exp(x[0]) + exp(x[step]) + ... of n numbers), which does not overflow. */
double bt_log_sum_exp(const float *x, size_t n, size_t step);

/* The cross entropy of class y by n logits: -log(softmax(x)[y]). */
double bt_cross_entropy(const float *x, size_t n, size_t step, size_t y);

#endif
