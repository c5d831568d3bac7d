/* SPDX-License-Identifier: MIT */
/* Each text has one of several classes: softmax and cross entropy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "op/ops.h"
#include "task/target.h"

static int target(struct bt_token_rec *rec, enum bt_label_mode mode,
                  struct bt_labels *labels, int32_t *label,
                  struct bt_error *err)
{
	struct bt_span s = rec->label;
	bool numbers =
	    rec->label_list.name == NULL &&
	    (rec->has_label_value || rec->id_list.kind == BT_FEATURE_FLOAT);
	int k;

	if (rec->several || rec->name_list.name != NULL ||
	    (s.p == NULL && rec->id_list.name != NULL)) {
		if (mode == BT_LABELS_OPTIONAL)
			return BT_OK;
		return bt_error_hint(
		    err,
		    numbers        ? BT_HINT_TASK_REGRESSION
		    : rec->several ? BT_HINT_TASK_MULTI_LABEL
		                   : BT_HINT_TASK_MULTI_LABEL_OR_ONE_HOT,
		    bt_error_set(err, BT_EFORMAT,
		                 numbers ? "has several numbers to predict, "
		                           "but the model is single-label"
		                 : rec->several
		                     ? "has several labels, but the model "
		                       "is single-label"
		                     : "may have several labels, but the model "
		                       "is single-label"));
	}
	if (s.p == NULL && rec->has_label_value && mode != BT_LABELS_OPTIONAL)
		return bt_error_hint(
		    err, BT_HINT_TASK_REGRESSION,
		    bt_error_set(
		        err, BT_EFORMAT,
		        "label_ids holds a number to predict (%g), but "
		        "the model learns classes",
		        (double)rec->label_value));
	if (s.p == NULL && !rec->has_label_id)
		return BT_OK;
	if (s.p == NULL)
		return bt_target_by_number(rec->label_id, mode, labels, label,
		                           err);
	if (mode != BT_LABELS_COLLECT) {
		*label = bt_labels_find(labels, s);
		return *label < 0 && mode == BT_LABELS_KNOWN
		           ? bt_target_unknown(s, labels, err)
		           : BT_OK;
	}
	k = bt_labels_add(labels, s, err);
	if (k < 0)
		return k;
	bt_labels_given(labels, k, rec->has_label_id ? rec->label_id : -1);
	*label = k;
	return BT_OK;
}

static bool has(const struct bt_task_data *d, size_t i, int k)
{
	return d->label[i] == k;
}

static void loss(struct bt_graph *g, bool activated)
{
	if (activated)
		g->logits = bt_op_log_normalize(g, g->logits);
	g->loss = activated ? bt_op_log_loss(g, g->logits)
	                    : bt_op_softmax_loss(g, g->logits);
}

/* The entropy of the (smoothed) classes. */
static double guess(const struct bt_task_data *d, int classes, double smoothing)
{
	double *share = bt_array0((size_t)classes, sizeof(*share)), loss = 0;
	double target;
	size_t i;
	int k;

	if (share == NULL)
		return INFINITY;
	for (i = 0; i < d->n; i++)
		share[d->label[i]] += 1 / (double)d->n;
	for (k = 0; k < classes; k++) {
		target = (1 - smoothing) * share[k] + smoothing / classes;
		if (target > 0)
			loss -= target * log(target);
	}
	free(share);
	return loss;
}

static void describe(const struct bt_task_data *d, int outputs, char *out,
                     size_t size)
{
	(void)d;
	snprintf(out, size, "%d labels", outputs);
}

const struct bt_task bt_task_classification = {
    .name = "classification",
    .pipeline = "text-classification",
    .problem_type = "single_label_classification",
    .output = "class",
    .outputs = "classes",
    .predicts = "classes",
    .learns = "choose one class",
    .least = 2,
    .names_outputs = true,
    .one_label = true,
    .distils = true,
    .truth = "a label",
    .truth_hint = BT_HINT_LABEL_COLUMN,
    .metric = "accuracy",
    .metrics = &bt_metrics_classification,
    .answer = &bt_answer_label,
    .target = target,
    .knows = bt_target_map,
    .has = has,
    .loss = loss,
    .guess = guess,
    .describe = describe,
};
