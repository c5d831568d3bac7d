/* SPDX-License-Identifier: MIT */
/* The probabilities above which labels are predicted, and the numbers from
 * which scores are. */
#ifndef BT_PREDICT_THRESHOLDS_H
#define BT_PREDICT_THRESHOLDS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"
#include "metrics/scores.h"
#include "record/labels.h"

/* Sets over[l->n] from what a user gives: a number, LABEL=X,... or @FILE (as
 * record/label_map.h), where other labels have .5, as all have of NULL. */
int bt_thresholds_read(const char *text, const struct bt_labels *l,
                       double *over, struct bt_error *err) BT_MUST_USE;

/* The same for a model that chooses one of two labels: the one that is given
 * has its number, or of a number alone the second, and the other INFINITY. */
int bt_threshold_of_two(const char *text, const struct bt_labels *l,
                        double *over, struct bt_error *err) BT_MUST_USE;

/* The scores that the one number of a model becomes: MIN..MAX, of which it is
 * the nearest, or SCORE=X,... or @FILE, where the first score is the second one
 * of all, and each is that of numbers from X on. */
int bt_thresholds_of_scores(const char *text, const struct bt_labels *l,
                            struct bt_scores *s,
                            struct bt_error *err) BT_MUST_USE;

/* BT_EARG: "where: 'label' is not one of the model's labels". */
int bt_label_unknown(const char *where, struct bt_span label,
                     const struct bt_labels *l, struct bt_error *err);

/* The shortest number near the middle between two predictions, lo < hi. With
 * f32 it is above lo and at most hi as an f32, else between both. */
void bt_threshold_between(double lo, double hi, bool f32, char x[32]);

#endif
