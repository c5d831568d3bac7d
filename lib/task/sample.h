/* SPDX-License-Identifier: MIT */
/* A competition's sample submission: a CSV file whose header, ids and order of
 * rows the real one must have. */
#ifndef BT_TASK_SAMPLE_H
#define BT_TASK_SAMPLE_H

#include "base/err.h"
#include "io/csv.h"
#include "io/out.h"
#include "task/labels.h"

struct bt_sample;

/* Reads the sample; see bt_predict_new for what its columns mean. Ids must
 * differ. labels is borrowed. */
int bt_sample_open(const char *path, bool proba, const struct bt_labels *labels,
                   struct bt_sample **s, struct bt_error *err) BT_MUST_USE;
void bt_sample_free(struct bt_sample *s); /* takes NULL */

/* The answer for an id: class and probabilities [labels->n]. */
int bt_sample_set(struct bt_sample *s, struct bt_span id, int label,
                  const double *p, struct bt_error *err) BT_MUST_USE;

/* Writes the filled-in file. */
int bt_sample_write(const struct bt_sample *s, struct bt_out *out,
                    struct bt_error *err) BT_MUST_USE;

#endif
