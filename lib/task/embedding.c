/* SPDX-License-Identifier: MIT */
/* A text becomes a row of numbers, near those of texts that belong to it: by
 * pairs that do (and other texts of the batch, which do not), or by pairs with
 * a score [Reimers, Gurevych 2019, "Sentence-BERT"]. */
#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "op/ops.h"
#include "task/target.h"

/* A class is the text's number in its example; the target a pair's score, or
 * NaN. */
static int target(struct bt_token_rec *rec, enum bt_label_mode mode,
                  struct bt_labels *labels, int32_t *label,
                  struct bt_error *err)
{
	bool has;
	double v;
	int r;

	(void)labels;
	if (!rec->has_text_number && mode == BT_LABELS_KNOWN)
		return bt_error_hint(
		    err, BT_HINT_CLASSES_TRAIN_OR_APART,
		    bt_error_set(err, BT_EFORMAT,
		                 "the model embeds texts and has no "
		                 "classifier, and the record is not one text "
		                 "of a pair"));
	if (!rec->has_text_number)
		return bt_error_hint(
		    err, BT_HINT_TOKENIZE_APART,
		    bt_error_set(err, BT_EFORMAT,
		                 "the model embeds texts, and the record is "
		                 "not one text of a pair"));
	if ((r = bt_target_read_number(rec, &v, &has, err)) ||
	    (r = bt_target_reserve(rec, 1, err)))
		return r;
	rec->n_target = 1;
	rec->target[0] = has ? (float)v : NAN;
	*label = (int32_t)rec->text_number;
	return BT_OK;
}

bool bt_task_has_scores(const struct bt_task_data *d)
{
	return d->n > 0 && !isnan(bt_task_target(d, 0)[0]);
}

static int check(const struct bt_task_data *d, const struct bt_labels *found,
                 bool given, struct bt_error *err)
{
	int32_t last = 1; /* number of a text */
	size_t i;

	(void)found;
	(void)given;
	for (i = 0; i < d->n; i++)
		last = d->label[i] > last ? d->label[i] : last;
	if (last > 1 && bt_task_has_scores(d))
		return bt_error_set(err, BT_EFORMAT,
		                    "an example with a score has %d texts, "
		                    "and a score is of two",
		                    (int)last + 1);
	for (i = 0; i < d->n; i++) {
		if (isnan(bt_task_target(d, i)[0]) == bt_task_has_scores(d))
			return bt_error_set(err, BT_EFORMAT,
			                    "some pairs have a score as label, "
			                    "and some have none");
		if (d->label[i] < last &&
		    (i + 1 == d->n || d->label[i + 1] != d->label[i] + 1))
			return bt_error_hint(
			    err, BT_HINT_TEXTS_ORDER,
			    bt_error_set(err, BT_EFORMAT,
			                 "text %d of an example is not "
			                 "followed by text %d, which others "
			                 "have",
			                 (int)d->label[i],
			                 (int)d->label[i] + 1));
	}
	return BT_OK;
}

static void describe(const struct bt_task_data *d, int outputs, char *out,
                     size_t size)
{
	size_t i = 0, texts = 1;

	(void)outputs;
	while (++i < d->n && d->label[i] > 0)
		texts++;
	if (texts == 2)
		snprintf(out, size, "%zu pair%s of texts%s", d->n / 2,
		         bt_plural(d->n / 2),
		         bt_task_has_scores(d) ? " with a score" : "");
	else
		snprintf(out, size,
		         "%zu pair%s of texts, %zu other text%s each",
		         d->n / texts, bt_plural(d->n / texts), texts - 2,
		         bt_plural(texts - 2));
}

const struct bt_task bt_task_embedding = {
    .name = "embedding",
    .pipeline = "sentence-similarity",
    .problem_type = BT_PROBLEM_EMBEDDING,
    .output = "column",
    .outputs = "columns",
    .predicts = "embeddings of texts",
    .learns = "embed texts",
    .truth = "a text that belongs to it",
    .truth_hint = BT_HINT_TOKENIZE_APART,
    .metric = "mrr",
    .metrics = &bt_metrics_embeddings,
    .answer = &bt_answer_numbers,
    .target = target,
    .check = check,
    .plain_loss = bt_op_embedding_loss,
    .describe = describe,
};
