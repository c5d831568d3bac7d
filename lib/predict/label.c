/* SPDX-License-Identifier: MIT */
/* Predictions that are one label: the likeliest class. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "format/escape.h"
#include "predict/answer.h"

static int check(const struct bt_predict *p, struct bt_error *err)
{
	if (p->o.threshold == NULL && p->o.separator == NULL)
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
	p->counts[p->order[0]]++;
}

static void csv_row(struct bt_predict *p)
{
	bt_answer_label_row(p, bt_span(p->labels.name[p->order[0]]));
}

static void json_row(struct bt_predict *p)
{
	bt_buf_puts(&p->row, ", \"label\": ");
	bt_answer_put_json(&p->row, bt_span(p->labels.name[p->order[0]]));
	bt_buf_puts(&p->row, ", \"probability\": ");
	bt_answer_put_number(&p->row, p->p[p->order[0]]);
	bt_answer_probabilities_json(p);
}

static void record(struct bt_predict *p)
{
	const char *label = p->labels.name[p->order[0]];

	bt_example_add_text(&p->example, "label", label, strlen(label));
	bt_answer_add_numbers(p, "probability", p->order, 1);
	bt_answer_probabilities_record(p);
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

/* The likeliest class and its probability. */
static int likeliest(const struct bt_answered *a, double *p)
{
	int i, best = 0;
	double sum = 0;

	for (i = 1; i < a->labels->n; i++)
		if (a->output[i] > a->output[best])
			best = i;
	for (i = 0; i < a->labels->n; i++)
		sum += exp((double)a->output[i] - (double)a->output[best]);
	*p = 1 / sum;
	return best;
}

static void show(const struct bt_answered *a, struct bt_buf *out)
{
	double p;
	int best = likeliest(a, &p);

	bt_escape_line(out, bt_span(a->labels->name[a->truth]), 0);
	bt_buf_puts(out, " -> ");
	bt_escape_line(out, bt_span(a->labels->name[best]), 0);
	bt_buf_printf(out, " (%.4f)", p);
}

static void show_json(const struct bt_answered *a, json_t *o)
{
	const char *const *name = (const char *const *)a->labels->name;
	double p;
	int best = likeliest(a, &p);

	json_object_set_new(o, "label", json_string(name[a->truth]));
	json_object_set_new(o, "predicted", json_string(name[best]));
	json_object_set_new(o, "probability", json_real(p));
}

const struct bt_answer_form bt_answer_label = {
    .outputs = "labels",
    .check = check,
    .read = read,
    .csv_header = bt_answer_label_header,
    .csv_row = csv_row,
    .json_row = json_row,
    .record = record,
    .summary = bt_answer_counts,
    .add = add,
    .mean = mean,
    .show = show,
    .show_json = show_json,
    .loss = "loss",
    .loss_fixed = true,
};
