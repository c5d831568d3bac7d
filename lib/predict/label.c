/* SPDX-License-Identifier: MIT */
/* Predictions that are one label: the likeliest class or, of two, the one that
 * a threshold chooses. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "format/escape.h"
#include "metrics/metrics.h"
#include "predict/answer.h"
#include "predict/thresholds.h"

static int thresholds(const char *text, const struct bt_labels *l, double *over,
                      const struct bt_log *log, struct bt_error *err)
{
	int k, r;

	if (text == NULL)
		return BT_OK;
	if (l->n != 2)
		return bt_error_hint(
		    err, BT_HINT_PREDICT_THRESHOLD,
		    bt_error_set(err, BT_EARG,
		                 "the model has %d classes, and a threshold "
		                 "chooses between two",
		                 l->n));
	r = bt_threshold_of_two(text, l, over, err);
	if (r != BT_OK || log == NULL)
		return r;
	k = isfinite(over[1]);
	bt_log(log, BT_LOG_NOTE,
	       "'%s' is predicted where its probability is at least %g, else "
	       "'%s'",
	       l->name[k], over[k], l->name[1 - k]);
	return BT_OK;
}

static int check(const struct bt_predict *p, struct bt_error *err)
{
	if (p->o.threshold != NULL && p->merged)
		return bt_error_set(err, BT_EARG,
		                    "a threshold chooses between two labels, "
		                    "which cannot be given one name");
	if (p->o.threshold != NULL && p->o.top > 0)
		return bt_error_hint(
		    err, BT_HINT_PREDICT_NO_TOP,
		    bt_error_set(err, BT_EARG,
		                 "the likeliest labels have no threshold"));
	if (p->o.sets != NULL && p->merged)
		return bt_error_set(err, BT_EARG,
		                    "sets are of the model's own labels, which "
		                    "cannot be given one name");
	if (p->o.min_proba > 0 && p->o.top > 0)
		return bt_error_set(err, BT_EARG,
		                    "the likeliest labels are given whatever "
		                    "their probability: none is rejected");
	if (p->o.separator == NULL || p->o.sets != NULL)
		return BT_OK;
	return bt_error_hint(
	    err, BT_HINT_PREDICT_MULTILABEL_ONLY,
	    bt_error_set(err, BT_EARG, "the model chooses one class"));
}

/* p->p = softmax of the logits, summed where classes are written as one. */
static void softmax(struct bt_predict *p, const float *logits)
{
	double max = logits[0], sum = 0;
	int i;

	for (i = 1; i < p->classes; i++)
		max = fmax(max, logits[i]);
	for (i = 0; i < p->labels.n; i++)
		p->p[i] = 0;
	for (i = 0; i < p->classes; i++) {
		p->logit[i] = logits[i];
		sum += exp(logits[i] - max);
		p->p[p->shown[i]] += exp(logits[i] - max);
	}
	for (i = 0; i < p->labels.n; i++)
		p->p[i] /= sum;
}

static void read(struct bt_predict *p, const float *logits)
{
	softmax(p, logits);
	bt_answer_rank(p, p->o.top > 0 ? p->o.top : 1);
	if (p->o.threshold != NULL)
		p->order[0] = bt_metrics_predicted(logits, 2, p->over);
	p->is_rejected = p->p[p->order[0]] < p->o.min_proba;
	p->n_rejected += p->is_rejected;
	p->counts[p->order[0]] += !p->is_rejected;
	if (p->o.sets == NULL)
		return;
	bt_label_sets_choose(p->o.sets, p->p, p->labels.n, p->scored, p->score,
	                     p->on);
	bt_answer_join_set(p);
}

/* Empty where it was rejected, and nothing stands for that. */
static const char *label(const struct bt_predict *p)
{
	if (!p->is_rejected)
		return p->labels.name[p->order[0]];
	return p->o.rejected != NULL ? p->o.rejected : "";
}

static void csv_row(struct bt_predict *p)
{
	bt_answer_label_row(p, bt_span(label(p)));
}

static void json_row(struct bt_predict *p)
{
	bt_buf_puts(&p->row, ", \"label\": ");
	if (p->is_rejected && p->o.rejected == NULL)
		bt_buf_puts(&p->row, "null");
	else
		bt_escape_json_text(&p->row, bt_span(label(p)));
	bt_buf_puts(&p->row, ", \"probability\": ");
	bt_answer_put_number(&p->row, p->p[p->order[0]]);
	if (p->o.sets != NULL)
		bt_answer_set_json(p, "set");
	bt_answer_probabilities_json(p);
}

static void record(struct bt_predict *p)
{
	bt_example_add_text(&p->example, "label", label(p), strlen(label(p)));
	bt_answer_add_numbers(p, "probability", p->order, 1);
	if (p->o.sets != NULL)
		bt_answer_set_record(p, "set");
	bt_answer_probabilities_record(p);
}

/* With a threshold, 1 and 0 in place of probabilities. */
static int fill(struct bt_predict *p, struct bt_error *err)
{
	int i;

	(void)err;
	for (i = 0; p->o.threshold != NULL && i < p->labels.n; i++)
		p->p[i] = i == p->order[0];
	return p->order[0];
}

static void summary(const struct bt_predict *p, int most, struct bt_buf *b)
{
	bt_answer_counts(p, most, b);
	if (p->n_rejected > 0)
		bt_buf_printf(b, "%srejected %llu", b->len > 0 ? ", " : "",
		              (unsigned long long)p->n_rejected);
}

static void facts(const struct bt_predict *p, struct bt_summary *s)
{
	bt_answer_facts(&p->labels, p->counts, s);
	bt_summary_count(s, "rejected", p->n_rejected);
}

/* Sums up probabilities. */
static void add(const float *logits, const int *map, int labels, double *sum)
{
	double max = logits[0], all = 0;
	int k;

	for (k = 1; k < labels; k++)
		max = fmax(max, logits[k]);
	for (k = 0; k < labels; k++)
		all += exp(logits[k] - max);
	for (k = 0; k < labels; k++)
		sum[k] += exp(logits[map != NULL ? map[k] : k] - max) / all;
}

/* The logarithm of the mean probability. */
static float mean(double sum, size_t models)
{
	return (float)log(fmax(sum, DBL_MIN) / (double)models);
}

/* The predicted class and its probability. */
static int predicted(const struct bt_answered *a, double *p)
{
	int i, best = bt_metrics_predicted(a->output, a->labels->n, a->bound);
	double sum = 0;

	for (i = 0; i < a->labels->n; i++)
		sum += exp((double)a->output[i] - (double)a->output[best]);
	*p = 1 / sum;
	return best;
}

static void show(const struct bt_answered *a, struct bt_buf *out)
{
	double p;
	int best = predicted(a, &p);

	bt_escape_line(out, bt_span(a->labels->name[a->truth]), 0);
	bt_buf_puts(out, " -> ");
	bt_escape_line(out, bt_span(a->labels->name[best]), 0);
	bt_buf_printf(out, " (%.4f)", p);
}

static void show_json(const struct bt_answered *a, json_t *o)
{
	const char *const *name = (const char *const *)a->labels->name;
	double p;
	int best = predicted(a, &p);

	json_object_set_new(o, "label", json_string(name[a->truth]));
	json_object_set_new(o, "predicted", json_string(name[best]));
	json_object_set_new(o, "probability", json_real(p));
}

const struct bt_answer_form bt_answer_label = {
    .outputs = "labels",
    .thresholds = thresholds,
    .check = check,
    .read = read,
    .csv_header = bt_answer_label_header,
    .csv_row = csv_row,
    .json_row = json_row,
    .record = record,
    .fill = fill,
    .summary = summary,
    .facts = facts,
    .add = add,
    .mean = mean,
    .show = show,
    .show_json = show_json,
    .loss = "loss",
    .loss_fixed = true,
};
