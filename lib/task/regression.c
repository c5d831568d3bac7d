/* SPDX-License-Identifier: MIT */
/* One number or several are predicted of each text, by the mean squared error.
 * Or numbers from 0 to 1, the sigmoids of the outputs, by the cross entropy of
 * each: how well a passage answers a query [Nogueira and Cho 2019, "Passage
 * Re-ranking with BERT"], as a CrossEncoder of sentence-transformers learns it.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op/ops.h"
#include "task/target.h"

static int numbers(struct bt_token_rec *rec, enum bt_label_mode mode,
                   struct bt_labels *labels, int32_t *label,
                   struct bt_error *err)
{
	bool list = rec->id_list.name != NULL, has = list;
	bool named = rec->name_list.name != NULL;
	double v = 0;
	size_t n = 1;
	int r = BT_OK;

	if (rec->several || (named && rec->label_list.name != NULL))
		return bt_error_hint(
		    err, BT_HINT_TASK_MULTI_LABEL,
		    bt_error_set(err, BT_EFORMAT,
		                 "is multi-label data, but the model "
		                 "predicts numbers"));
	if (list)
		r = bt_target_read_list(rec, &n, err);
	else
		r = bt_target_read_number(rec, &v, &has, err);
	if (r != BT_OK || !has || n == 0)
		return r;
	if (mode == BT_LABELS_COLLECT && labels->n == 0 && !named &&
	    (r = bt_labels_numbered(labels, "LABEL_", (int64_t)n, err)))
		return r;
	if ((n > 1 || labels->n != 1 || mode == BT_LABELS_COLLECT) &&
	    (r = bt_target_check_names(rec, mode, labels, err)))
		return r;
	rec->n_target = (size_t)labels->n;
	if ((r = list ? bt_target_read_list(rec, &n, err)
	              : bt_target_reserve(rec, rec->n_target + 1, err)))
		return r;
	if (!list)
		rec->target[rec->n_target] = (float)v;
	r = bt_target_place_list(rec, n, false, labels, err);
	if (r == BT_OK)
		*label = 0;
	return r;
}

static int target(struct bt_token_rec *rec, enum bt_label_mode mode,
                  struct bt_labels *labels, int32_t *label,
                  struct bt_error *err)
{
	struct bt_error why = {0};
	int r = numbers(rec, mode, labels, label, &why);

	return r == BT_OK ? BT_OK : bt_target_settle(rec, mode, &why, err);
}

/* The model's numbers are those of the data, or the data names none. */
static bool knows(const struct bt_labels *found, const struct bt_labels *known,
                  int *map)
{
	bool same = true, named = false;
	char name[32];
	int i;

	if (found->n != known->n)
		return false;
	for (i = 0; i < found->n; i++) {
		map[i] = i;
		snprintf(name, sizeof(name), "LABEL_%d", i);
		named |= strcmp(found->name[i], name) != 0;
		same &= strcmp(found->name[i], known->name[i]) == 0;
	}
	return same || !named || found->n == 1;
}

static double variance(double mean, double squares)
{
	return squares - mean * mean;
}

static double guess(const struct bt_task_data *d, int outputs, double smoothing)
{
	(void)outputs;
	(void)smoothing;
	return bt_target_guess(d, variance);
}

static void find_span(const struct bt_task_data *d, double *least, double *most)
{
	float x;
	size_t i, k;

	*least = INFINITY;
	*most = -INFINITY;
	for (i = 0; i < d->n; i++)
		for (k = 0; k < d->width; k++) {
			x = bt_task_target(d, i)[k];
			*least = fmin(*least, (double)x);
			*most = fmax(*most, (double)x);
		}
}

static void describe(const struct bt_task_data *d, int outputs, char *out,
                     size_t size)
{
	double least, most;

	find_span(d, &least, &most);
	snprintf(out, size, "numbers from %g to %g%s", least, most,
	         outputs > 1 ? ", several a text" : "");
}

/* Those of ranking are from 0 to 1, where their loss is measured. */
static int share(struct bt_token_rec *rec, enum bt_label_mode mode,
                 struct bt_labels *labels, int32_t *label, struct bt_error *err)
{
	struct bt_error why = {0};
	int r = numbers(rec, mode, labels, label, &why);
	size_t i;

	for (i = 0; r == BT_OK && !rec->graded && i < rec->n_target; i++)
		if (!(rec->target[i] >= 0 && rec->target[i] <= 1))
			r = bt_error_hint(
			    &why, BT_HINT_TASK_RANKING,
			    bt_error_set(
			        &why, BT_EFORMAT,
			        "has the number %.9g as its label, and "
			        "a model that ranks has numbers from "
			        "0 to 1",
			        (double)rec->target[i]));
	if (r == BT_OK)
		return BT_OK;
	*label = -1;
	return bt_target_settle(rec, mode, &why, err);
}

static void sigmoid_loss(struct bt_graph *g, bool activated)
{
	if (activated)
		bt_graph_misfit(g, "ranking takes the sigmoid of a logit: the "
		                   "head's last layer must be dense alone");
	else
		g->loss = bt_op_sigmoid_loss(g, g->logits);
}

const struct bt_task bt_task_regression = {
    .name = "regression",
    .pipeline = "text-classification",
    .problem_type = "regression",
    .output = "number",
    .outputs = "numbers",
    .predicts = "a number",
    .learns = "predict numbers",
    .least = 1,
    .distils = true,
    .truth = "a label",
    .truth_hint = BT_HINT_LABEL_COLUMN,
    .metric = "mse",
    .metrics = &bt_metrics_regression,
    .answer = &bt_answer_numbers,
    .target = target,
    .knows = knows,
    .plain_loss = bt_op_square_loss,
    .guess = guess,
    .describe = describe,
};

const struct bt_task bt_task_ranking = {
    .name = "ranking",
    .pipeline = "text-ranking",
    .problem_type = BT_PROBLEM_RANKING,
    .output = "number",
    .outputs = "numbers",
    .predicts = "a number from 0 to 1",
    .learns = "rank",
    .least = 1,
    .truth = "a label",
    .truth_hint = BT_HINT_LABEL_COLUMN,
    .metric = "loss",
    .metrics = &bt_metrics_ranking,
    .answer = &bt_answer_sigmoids,
    .target = share,
    .knows = knows,
    .loss = sigmoid_loss,
    .guess = bt_target_guess_entropy,
    .describe = describe,
};
