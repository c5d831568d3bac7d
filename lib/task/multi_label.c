/* SPDX-License-Identifier: MIT */
/* Any number of labels holds for each text: a sigmoid and binary cross entropy
 * for each of them. */
#include <stdio.h>

#include "base/str.h"
#include "op/ops.h"
#include "task/target.h"

/* Whether label_ids says which labels hold, as 1 and 0. */
static bool has_bits(const struct bt_token_rec *rec)
{
	return rec->id_list.name != NULL ||
	       (rec->name_list.name != NULL &&
	        (rec->has_label_id || rec->has_label_value));
}

/* The texts of the positive labels. */
static int set_texts(struct bt_token_rec *rec, bool collect,
                     struct bt_labels *labels, struct bt_error *err)
{
	struct bt_pb at = rec->label_list.list;
	size_t n;
	struct bt_span v;
	int i, r;

	while ((r = bt_feature_next_text(&rec->label_list, &at, &v.p, &v.n,
	                                 err)) == 1) {
		i = bt_labels_find(labels, v);
		if (i < 0 && (!collect || rec->name_list.name != NULL))
			return labels->n > 0
			           ? bt_target_unknown(v, labels, err)
			           : bt_error_set(
			                 err, BT_EFORMAT,
			                 "the list of labels is empty");
		if (i < 0)
			i = bt_labels_add(labels, v, err);
		if (i < 0)
			return i;
		if (collect && rec->name_list.name == NULL)
			bt_labels_given(labels, i, -1);
		n = (size_t)i + 1;
		if (n > rec->n_target && (r = bt_target_reserve(rec, n, err)))
			return r;
		while (rec->n_target < n)
			rec->target[rec->n_target++] = 0;
		rec->target[i] = 1;
	}
	return r;
}

/* A 1 or 0 for each label, in order. */
static int set_bits(struct bt_token_rec *rec, bool collect,
                    struct bt_labels *labels, struct bt_error *err)
{
	size_t n = 1;
	int r = BT_OK;

	if (rec->id_list.name != NULL) {
		r = bt_target_read_list(rec, &n, err);
	} else {
		r = bt_target_reserve(rec, rec->n_target + 1, err);
		if (r == BT_OK)
			rec->target[rec->n_target] = rec->has_label_value
			                                 ? rec->label_value
			                                 : (float)rec->label_id;
	}
	if (r == BT_OK && collect && labels->n == 0 && n > 0) {
		/* the first record, which names none: by their numbers */
		r = bt_target_numbered((int64_t)n - 1, labels, err);
		if (r >= 0)
			r = bt_target_check_names(rec, BT_LABELS_KNOWN, labels,
			                          err);
		if (r == BT_OK)
			r = bt_target_read_list(rec, &n, err);
	}
	return r == BT_OK ? bt_target_place_list(rec, n, true, labels, err) : r;
}

static int set(struct bt_token_rec *rec, enum bt_label_mode mode,
               struct bt_labels *labels, int32_t *label, struct bt_error *err)
{
	bool collect = mode == BT_LABELS_COLLECT, real = rec->has_label_value;
	bool texts = rec->label_list.name != NULL;
	int r;

	if (!texts && !has_bits(rec)) {
		if (!rec->has_label_id && !real)
			return BT_OK;
		return bt_error_hint(
		    err,
		    real ? BT_HINT_TASK_REGRESSION
		         : BT_HINT_TASK_CLASSIFICATION,
		    bt_error_set(err, BT_EFORMAT,
		                 "label_ids holds one number, %g, and no text "
		                 "says which labels hold",
		                 real ? (double)rec->label_value
		                      : (double)rec->label_id));
	}
	r = bt_target_check_names(rec, mode, labels, err);
	if (r == BT_OK)
		r = texts ? set_texts(rec, collect, labels, err)
		          : set_bits(rec, collect, labels, err);
	if (r != BT_OK)
		return r;
	rec->open = !texts || rec->several || rec->name_list.name != NULL;
	*label = 0;
	return BT_OK;
}

static int target(struct bt_token_rec *rec, enum bt_label_mode mode,
                  struct bt_labels *labels, int32_t *label,
                  struct bt_error *err)
{
	struct bt_error why = {0};
	int r = set(rec, mode, labels, label, &why);

	return r == BT_OK ? BT_OK : bt_target_settle(rec, mode, &why, err);
}

static int check(const struct bt_task_data *d, const struct bt_labels *found,
                 bool given, struct bt_error *err)
{
	(void)given;
	if (found->n == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "no training record has any label");
	if (d->open)
		return BT_OK;
	return bt_error_hint(
	    err, BT_HINT_TASK_CLASSIFICATION_OR_COLUMNS,
	    bt_error_set(err, BT_EFORMAT,
	                 "every training record has exactly one label"));
}

/* Records that name their labels say nothing of others. */
static bool knows(const struct bt_labels *found, const struct bt_labels *known,
                  int *map)
{
	if (found->n != known->n && found->given[0] >= 0)
		return false;
	return bt_target_map(found, known, map);
}

static bool has(const struct bt_task_data *d, size_t i, int k)
{
	return bt_task_target(d, i)[k] > 0;
}

static void loss(struct bt_graph *g, bool activated)
{
	if (activated)
		bt_graph_misfit(g, "whether each label holds is a logit: the "
		                   "head's last layer must be dense alone");
	else
		g->loss = bt_op_sigmoid_loss(g, g->logits);
}

static void describe(const struct bt_task_data *d, int outputs, char *out,
                     size_t size)
{
	double sum = 0;
	size_t i, k;

	for (i = 0; i < d->n; i++)
		for (k = 0; k < d->width; k++)
			sum += (double)bt_task_target(d, i)[k];
	snprintf(out, size, "%d label%s, %.3g a text", outputs,
	         bt_plural((size_t)outputs), sum / (double)d->n);
}

const struct bt_task bt_task_multi_label = {
    .name = "multilabel",
    .pipeline = "text-classification",
    .problem_type = "multi_label_classification",
    .output = "label",
    .outputs = "labels",
    .predicts = "multi-label sets",
    .learns = "predict multi-label sets",
    .least = 1,
    .names_outputs = true,
    .distils = true,
    .truth = "a label",
    .truth_hint = BT_HINT_LABEL_COLUMN,
    .metric = "loss",
    .metrics = &bt_metrics_multilabel,
    .answer = &bt_answer_label_set,
    .target = target,
    .check = check,
    .knows = knows,
    .has = has,
    .loss = loss,
    .guess = bt_target_guess_entropy,
    .describe = describe,
};
