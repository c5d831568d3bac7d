/* SPDX-License-Identifier: MIT */
/* Finds the limit of sets of classes (predict/label_sets.h) on held-out
 * records. */
#ifndef BT_EVALUATE_COVERAGE_H
#define BT_EVALUATE_COVERAGE_H

#include "base/buf.h"
#include "evaluate/outputs.h"
#include "finetune/model.h"

/* BT_EARG where the task does not choose one class. */
int bt_coverage_check(const struct bt_task *task,
                      struct bt_error *err) BT_MUST_USE;

/* Sets the limit for the outputs of m, which are calibrated if it is; writes it
 * into dir, beside the calibration, and appends a report. */
int bt_coverage(const struct bt_outputs *o, struct bt_label_sets *s,
                const char *dir, const struct bt_model *m,
                struct bt_buf *report, struct bt_error *err) BT_MUST_USE;

#endif
