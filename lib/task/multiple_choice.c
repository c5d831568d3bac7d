/* SPDX-License-Identifier: MIT */
/* One of several choices is the answer to a question: each is read with the
 * question and gets a score, over which the softmax is taken [Radford et al.
 * 2018, "Improving Language Understanding by Generative Pre-Training"]. */
#include <math.h>
#include <stdio.h>

#include "op/ops.h"
#include "task/target.h"

static int no_choice(struct bt_error *err)
{
	return bt_error_hint(
	    err, BT_HINT_CHOICES,
	    bt_error_set(err, BT_EFORMAT,
	                 "the model chooses an answer, and the record is not "
	                 "one of the choices of a question"));
}

/* The number of the right one of the choices that the record names, *n of them;
 * -1: it is not known. */
static int find_right(const struct bt_token_rec *rec, size_t *n, int64_t *right,
                      struct bt_error *err)
{
	const struct bt_feature *names = &rec->name_list;
	struct bt_pb at = names->list;
	struct bt_span name;
	int r;

	*right = -1;
	for (*n = 0;
	     (r = bt_feature_next_text(names, &at, &name.p, &name.n, err)) == 1;
	     (*n)++)
		if (*right < 0 && rec->label.p != NULL &&
		    bt_span_equal(name, rec->label))
			*right = (int64_t)*n;
	if (r < 0)
		return r;
	if (rec->label.p == NULL && rec->has_label_id)
		*right = rec->label_id;
	if (rec->label.p != NULL && *right < 0)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "the label '%.*s' names none of the %zu choices",
		    (int)(rec->label.n < 100 ? rec->label.n : 100),
		    rec->label.p, *n);
	if (rec->label.p == NULL && rec->has_label_id &&
	    (rec->label_id < 0 || rec->label_id >= (int64_t)*n))
		return bt_error_set(err, BT_EFORMAT,
		                    "label_ids is %lld, and there are %zu "
		                    "choices",
		                    (long long)rec->label_id, *n);
	return BT_OK;
}

/* A name that two choices have. */
static int check_names(const struct bt_feature *names, struct bt_error *err)
{
	struct bt_pb at = names->list, rest;
	struct bt_span a, b;
	int r, more;

	while ((r = bt_feature_next_text(names, &at, &a.p, &a.n, err)) == 1) {
		rest = at;
		while ((more = bt_feature_next_text(names, &rest, &b.p, &b.n,
		                                    err)) == 1)
			if (bt_span_equal(a, b))
				return bt_error_set(
				    err, BT_EFORMAT,
				    "two of the choices are called '%.*s'",
				    (int)(a.n < 100 ? a.n : 100), a.p);
		if (more < 0)
			return more;
	}
	return r;
}

static int target(struct bt_token_rec *rec, enum bt_label_mode mode,
                  struct bt_labels *labels, int32_t *label,
                  struct bt_error *err)
{
	struct bt_error why = {0};
	int64_t right;
	size_t n;
	int r;

	if (!rec->has_text_number || rec->name_list.name == NULL)
		return no_choice(err);
	if (rec->has_window)
		return bt_error_set(err, BT_EFORMAT,
		                    "is a window of a choice, and choices are "
		                    "read whole");
	/* of a question's choices the first one speaks for all */
	if (rec->text_number == 0 &&
	    (r = check_names(&rec->name_list, err)) != BT_OK)
		return r;
	r = find_right(rec, &n, &right, &why);
	if (r != BT_OK && mode != BT_LABELS_OPTIONAL)
		return bt_target_settle(rec, mode, &why, err);
	if (n < 2 || n > BT_LABELS_MAX || rec->text_number < 0 ||
	    rec->text_number >= (int64_t)n)
		return bt_error_set(err, BT_EFORMAT,
		                    "is choice %lld of a question with %zu",
		                    (long long)rec->text_number, n);
	if (mode == BT_LABELS_COLLECT && labels->n == 0 &&
	    (r = bt_labels_numbered(labels, "LABEL_", 1, err)))
		return r;
	if ((r = bt_target_reserve(rec, 2, err)))
		return r;
	rec->n_target = 2;
	rec->target[0] = right >= 0 && right < (int64_t)n ? (float)right : -1;
	rec->target[1] = (float)n;
	rec->texts = (int64_t)n;
	if (right >= 0 && right < (int64_t)n)
		*label = (int32_t)rec->text_number;
	return BT_OK;
}

static bool knows(const struct bt_labels *found, const struct bt_labels *known,
                  int *map)
{
	map[0] = 0;
	return found->n == known->n;
}

static size_t count(const struct bt_task_data *d)
{
	size_t i, n = 0;

	for (i = 0; i < d->n; i++)
		n += d->label[i] == 0;
	return n;
}

/* Any choice. */
static double guess(const struct bt_task_data *d, int outputs, double smoothing)
{
	double sum = 0;
	size_t i;

	(void)outputs;
	(void)smoothing;
	for (i = 0; i < d->n; i++)
		if (d->label[i] == 0)
			sum += log((double)bt_task_target(d, i)[1]);
	return sum / (double)count(d);
}

static void describe(const struct bt_task_data *d, int outputs, char *out,
                     size_t size)
{
	(void)outputs;
	snprintf(out, size, "%.4g choices a question",
	         (double)d->n / (double)count(d));
}

const struct bt_task bt_task_multiple_choice = {
    .name = "multiple-choice",
    .pipeline = "multiple-choice",
    .problem_type = BT_PROBLEM_CHOICE,
    .output = "score",
    .outputs = "scores",
    .predicts = "which choice answers a question",
    .learns = "choose an answer",
    .least = 1,
    .truth = "a label that names a choice",
    .truth_hint = BT_HINT_CHOICES,
    .metric = "accuracy",
    .metrics = &bt_metrics_choices,
    .answer = &bt_answer_numbers,
    .target = target,
    .knows = knows,
    .plain_loss = bt_op_choice_loss,
    .guess = guess,
    .describe = describe,
};
