/* SPDX-License-Identifier: MIT */
/*
 * The examples that a model was most wrong about: those with the largest loss,
 * the first of equal ones. Memory is bounded by their number.
 */
#ifndef BT_EVALUATE_TOP_LOSSES_H
#define BT_EVALUATE_TOP_LOSSES_H

#include "finetune/dataset.h"
#include "metrics/metrics.h"
#include "tokenizer/tokenizer.h"

struct bt_top_losses;

/* At most `most` examples of a model with these labels, metrics and form of
 * predictions, all borrowed. */
struct bt_top_losses *bt_top_losses_new(size_t most,
                                        const struct bt_metrics *like,
                                        const struct bt_answer_form *form,
                                        const struct bt_labels *labels);
void bt_top_losses_free(struct bt_top_losses *w); /* takes NULL */

/* Of an example beside what a data set has: record `number` of all, and its
 * texts where they are known, p NULL where not. */
struct bt_top_losses_record {
	uint64_t number;
	struct bt_span text[2];
};

/* The answer to example k, which has a label. */
int bt_top_losses_add(struct bt_top_losses *w,
                      const struct bt_top_losses_record *rec,
                      const struct bt_dataset *d, size_t k, const float *answer,
                      struct bt_error *err) BT_MUST_USE;

/* Two lines an example, the worst first: its record, id, loss, what is true and
 * what was answered; its text, if it is known, else as tok gives it back of its
 * tokens, or these where tok is NULL. The JSON is an array of objects, NULL
 * when out of memory. No more may be added then. */
void bt_top_losses_report(struct bt_top_losses *w, const struct bt_tok *tok,
                          struct bt_buf *out);
json_t *bt_top_losses_json(struct bt_top_losses *w, const struct bt_tok *tok);

#endif
