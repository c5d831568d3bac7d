/* SPDX-License-Identifier: MIT */
/* Calibrates a trained classifier on held-out records. */
#ifndef BT_EVALUATE_CALIBRATE_H
#define BT_EVALUATE_CALIBRATE_H

#include "base/buf.h"
#include "evaluate/outputs.h"
#include "finetune/model.h"

/* BT_EARG where the task has no probabilities of texts to calibrate. */
int bt_calibrate_check(const struct bt_task *task,
                       struct bt_error *err) BT_MUST_USE;

/*
 * Fits what the outputs of m, which are not calibrated, need
 * (evaluate/calibration_fit.h), writes it into dir and appends to report what
 * it changes.
 */
int bt_calibrate(const struct bt_outputs *o, bool vector, const char *dir,
                 const struct bt_model *m, const struct bt_log *log,
                 struct bt_buf *report, struct bt_error *err) BT_MUST_USE;

#endif
