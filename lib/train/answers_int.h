/* SPDX-License-Identifier: MIT */
/* Scores of answers to the questions of evaluation records, of all windows of
 * each, while a model is trained. */
#ifndef BT_TRAIN_ANSWERS_INT_H
#define BT_TRAIN_ANSWERS_INT_H

#include "evaluate/answers.h"

struct bt_train_answers {
	bool known; /* else nothing is scored */
	struct bt_metrics m;
	struct bt_answers found;
};

/* Begins an evaluation on d; known is set where its records were kept and
 * all have answers. opts NULL: as run_qa has them. To be cleared also after an
 * error. */
int bt_train_answers_begin(struct bt_train_answers *a,
                           const struct bt_dataset *d,
                           const struct bt_answers_opts *opts,
                           struct bt_error *err) BT_MUST_USE;
void bt_train_answers_clear(struct bt_train_answers *a);

/* The logits of example i of d, which are added in their order. */
int bt_train_answers_add(struct bt_train_answers *a, const struct bt_dataset *d,
                         size_t i, const float *logits,
                         struct bt_error *err) BT_MUST_USE;

/* Sets exact_match and f1, and all scores. */
int bt_train_answers_end(struct bt_train_answers *a,
                         struct bt_metrics_summary *s, struct bt_squad_sum *sum,
                         struct bt_error *err) BT_MUST_USE;

#endif
