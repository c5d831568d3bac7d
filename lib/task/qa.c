/* SPDX-License-Identifier: MIT */
/* The answer to a question is a part of a text: which token begins it and which
 * ends it (Devlin et al. 2018, "BERT", 4.2). A window without the answer has
 * its class token as both. */
#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "op/ops.h"
#include "task/target.h"

static int name_outputs(struct bt_labels *labels, struct bt_error *err)
{
	int k = bt_labels_add(labels, bt_span("start"), err);

	if (k >= 0)
		k = bt_labels_add(labels, bt_span("end"), err);
	return k < 0 ? k : BT_OK;
}

static int target(struct bt_token_rec *rec, enum bt_label_mode mode,
                  struct bt_labels *labels, int32_t *label,
                  struct bt_error *err)
{
	int r;

	if (!rec->has_places && !rec->has_position)
		return bt_error_hint(
		    err, BT_HINT_TASK_QUESTIONS,
		    bt_error_set(err, BT_EFORMAT,
		                 "the model answers questions, and the record "
		                 "has no 'token_starts'"));
	if (mode == BT_LABELS_COLLECT && labels->n == 0 &&
	    (r = name_outputs(labels, err)))
		return r;
	if (labels->n != 2)
		return bt_error_set(err, BT_EFORMAT,
		                    "a model that answers questions has two "
		                    "outputs, this one has %d",
		                    labels->n);
	if (!rec->has_position)
		return BT_OK;
	r = bt_target_reserve(rec, 2, err);
	if (r != BT_OK)
		return r;
	rec->n_target = 2;
	rec->target[0] = (float)rec->start_position;
	rec->target[1] = (float)rec->end_position;
	*label = 0;
	return BT_OK;
}

/* Both have the two. */
static bool knows(const struct bt_labels *found, const struct bt_labels *known,
                  int *map)
{
	map[0] = 0;
	map[1] = 1;
	return found->n == 2 && known->n == 2;
}

/* Any token of the window. */
static double guess(const struct bt_task_data *d, int outputs, double smoothing)
{
	double sum = 0;
	size_t i;

	(void)outputs;
	(void)smoothing;
	for (i = 0; i < d->n; i++)
		sum += log((double)(d->start[i + 1] - d->start[i]));
	return sum / (double)d->n;
}

static void describe(const struct bt_task_data *d, int outputs, char *out,
                     size_t size)
{
	size_t i, answered = 0;

	(void)outputs;
	for (i = 0; i < d->n; i++)
		answered += bt_task_target(d, i)[1] > 0;
	snprintf(out, size, "%zu window%s with an answer", answered,
	         bt_plural(answered));
}

const struct bt_task bt_task_qa = {
    .name = "qa",
    .pipeline = "question-answering",
    .problem_type = BT_PROBLEM_SPANS,
    .output = "output",
    .outputs = "outputs",
    .predicts = "answers to questions",
    .learns = "answer questions",
    .least = 2,
    .per_token = true,
    .truth = "an answer",
    .truth_hint = BT_HINT_TASK_QUESTIONS,
    .metric = "f1",
    .metrics = &bt_metrics_spans,
    .answer = &bt_answer_numbers,
    .target = target,
    .knows = knows,
    .plain_loss = bt_op_span_loss,
    .guess = guess,
    .describe = describe,
};
