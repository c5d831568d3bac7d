/* SPDX-License-Identifier: MIT */
/* The thresholds at which a model's F1 is highest on the records that were
 * evaluated: of each of any number of labels, or of the second of two; or, of
 * the scores that a number becomes, the quadratic weighted kappa. */
#ifndef BT_EVALUATE_TUNE_THRESHOLD_H
#define BT_EVALUATE_TUNE_THRESHOLD_H

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "metrics/metrics.h"
#include "predict/answer.h"
#include "record/labels.h"

/* What a threshold is to reach. */
struct bt_threshold_goal {
	enum {
		BT_THRESHOLD_F1,        /* the highest F1 */
		BT_THRESHOLD_RECALL,    /* this recall or more, and of those */
		BT_THRESHOLD_PRECISION, /* the highest precision; or likewise */
		BT_THRESHOLD_QWK        /* of scores, the highest kappa */
	} of;
	double least;
};

/* Reads "f1", "recall=.9", "precision=.9" or "qwk"; BT_EARG for anything else.
 */
int bt_threshold_goal_read(const char *text, struct bt_threshold_goal *g,
                           struct bt_error *err) BT_MUST_USE;

/* BT_OK where thresholds decide what the kind of model predicts, and can have
 * that goal; else BT_EARG. */
int bt_tune_threshold_check(const struct bt_metrics *m,
                            const struct bt_threshold_goal *goal,
                            struct bt_error *err) BT_MUST_USE;

/*
 * Appends to file the thresholds, as predict/thresholds.h reads them, and to
 * report what they change. m keeps the logits or, of classes, the
 * probabilities, and has no bounds. Of equally good thresholds it is one
 * that is nearest to .5, which a label that no example has keeps. Where no
 * threshold reaches the goal, it comes as near as it can, and the report says
 * so. Of scores see evaluate/fit_scores.h; labels that are none are an error.
 */
int bt_tune_threshold(const struct bt_metrics *m, const struct bt_labels *l,
                      const struct bt_threshold_goal *goal, struct bt_buf *file,
                      struct bt_buf *report, struct bt_error *err) BT_MUST_USE;

/* Reads thresholds of labels (see predict/thresholds.h) as the bounds of
 * metrics, which borrow them; to be freed. */
int bt_threshold_bounds(struct bt_metrics *m,
                        const struct bt_answer_form *answer, const char *text,
                        const struct bt_labels *l, const struct bt_log *notes,
                        double **bound, struct bt_error *err) BT_MUST_USE;

#endif
