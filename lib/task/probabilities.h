/* SPDX-License-Identifier: MIT */
/* Probabilities of a model's classes, or of its labels of which each holds by
 * itself: a set. */
#ifndef BT_TASK_PROBABILITIES_H
#define BT_TASK_PROBABILITIES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* What a model may put out for it: log p or, of a set, log p/(1 - p). */
float bt_task_logit(double p, bool set);

/* Makes probabilities of a row's logits. */
void bt_task_activate(double *row, size_t n, bool set);

/* BT_EFORMAT unless these are the logarithms of what may be the probabilities
 * of classes, each rounded to two digits: those of a set have another sum. */
int bt_task_check_sum(const float *log, size_t n,
                      struct bt_error *err) BT_MUST_USE;

#endif
