/* SPDX-License-Identifier: MIT */
/*
 * What Model Garden measures of a model's answers beside its losses: for two
 * classes the area under the curve of precision over recall, as Keras finds it
 * at 200 thresholds; and the loss of evaluation as the mean over batches of
 * their means, the last of which may be smaller than the others. Where words
 * are tagged, the mean of a batch is over its words.
 */
#ifndef BT_GARDEN_EVAL_METRICS_H
#define BT_GARDEN_EVAL_METRICS_H

#include <stddef.h>

#include "finetune/dataset.h"

#define BT_EVAL_METRICS_THRESHOLDS 200

struct bt_eval_metrics {
	/* of each class, those whose probability of the second class is over
	 * threshold i and not over the next */
	double count[2][BT_EVAL_METRICS_THRESHOLDS];
	double loss, sum;          /* means of whole batches; of this one */
	size_t batches, in, batch; /* of them; examples in it, and of a whole
	                            * one (0: they are not told) */
	size_t words;              /* of tags: in this batch */
	size_t spans, right[2]; /* of answers to questions: those whose first,
	                         * and last, token is the likeliest */
};

/* Forgets all answers. */
void bt_eval_metrics_reset(struct bt_eval_metrics *a);

/* The answer to example i: the logits of the classes, or a number; where words
 * are tagged, the logits of each of its tokens. */
void bt_eval_metrics_add(struct bt_eval_metrics *a, const struct bt_dataset *d,
                         size_t i, int classes, const float *answer);

/* The answer to a question: logits of the tokens of window i. */
void bt_eval_metrics_add_span(struct bt_eval_metrics *a,
                              const struct bt_dataset *d, size_t i,
                              const float *logits);

/* The share of windows whose first (0) or last (1) token is right. */
double bt_eval_metrics_right(const struct bt_eval_metrics *a, int side);

/* The area, 0 where nothing is of the second class. */
double bt_eval_metrics_area(const struct bt_eval_metrics *a);

/* The mean of the batches' losses. */
double bt_eval_metrics_loss(const struct bt_eval_metrics *a);

#endif
