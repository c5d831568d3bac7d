/* SPDX-License-Identifier: MIT */
/* The thresholds at which a model's F1 is highest on the records that were
 * evaluated: of each of any number of labels, or of the second of two. */
#ifndef BT_EVALUATE_TUNE_THRESHOLD_H
#define BT_EVALUATE_TUNE_THRESHOLD_H

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "metrics/metrics.h"
#include "predict/answer.h"
#include "record/labels.h"

/* True where thresholds decide what the kind of model predicts; else BT_EARG.
 */
int bt_tune_threshold_check(const struct bt_metrics *m,
                            struct bt_error *err) BT_MUST_USE;

/*
 * Appends to file the thresholds, as predict/thresholds.h reads them, and to
 * report what they change. m keeps the logits or, of classes, the
 * probabilities, and has no bounds. Of thresholds with the same F1 it is one
 * that is nearest to .5, which a label that no example has keeps.
 */
int bt_tune_threshold(const struct bt_metrics *m, const struct bt_labels *l,
                      struct bt_buf *file, struct bt_buf *report,
                      struct bt_error *err) BT_MUST_USE;

/* Reads thresholds of labels (see predict/thresholds.h) as the bounds of
 * metrics, which borrow them; to be freed. */
int bt_threshold_bounds(struct bt_metrics *m,
                        const struct bt_answer_form *answer, const char *text,
                        const struct bt_labels *l, const struct bt_log *notes,
                        double **bound, struct bt_error *err) BT_MUST_USE;

#endif
