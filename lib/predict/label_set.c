/* SPDX-License-Identifier: MIT */
/* Predictions that are sets of labels: those likelier than a threshold. */
#include <math.h>
#include <string.h>

#include "format/escape.h"
#include "predict/answer.h"
#include "predict/thresholds.h"

static int check(const struct bt_predict *p, struct bt_error *err)
{
	if (p->o.min_proba > 0 || p->o.sets != NULL)
		return bt_answer_no_sets(err);
	if (p->o.threshold != NULL && p->o.top > 0 &&
	    p->o.format == BT_PREDICT_CSV)
		return bt_error_hint(
		    err, BT_HINT_PREDICT_NO_TOP,
		    bt_error_set(err, BT_EARG,
		                 "the likeliest labels have no threshold"));
	if (!p->merged)
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "two labels cannot be given one name");
}

static int thresholds(const char *text, const struct bt_labels *l, double *over,
                      const struct bt_log *log, struct bt_error *err)
{
	(void)log;
	return bt_thresholds_read(text, l, over, err);
}

/* The probability of each label, and those above their threshold, whose names
 * also go into p->set. */
static void read_labels(struct bt_predict *p, const float *logits)
{
	bool any = false;
	int i;

	for (i = 0; i < p->classes; i++) {
		p->logit[i] = (double)logits[i];
		p->p[i] = 1 / (1 + exp(-p->logit[i]));
		p->on[i] = p->p[i] > p->over[i];
		p->counts[i] += p->on[i];
		any |= p->on[i];
	}
	bt_answer_join_set(p);
	p->without += !any;
}

static void read(struct bt_predict *p, const float *logits)
{
	read_labels(p, logits);
	bt_answer_rank(p, p->o.top);
}

static struct bt_span names(const struct bt_predict *p)
{
	return (struct bt_span){bt_buf_at(&p->set, 0), p->set.len};
}

static void csv_row(struct bt_predict *p)
{
	bt_answer_label_row(p, names(p));
}

static void json_row(struct bt_predict *p)
{
	bt_answer_set_json(p, "labels");
	bt_answer_probabilities_json(p);
}

static void record(struct bt_predict *p)
{
	bt_answer_set_record(p, "labels");
	bt_answer_probabilities_record(p);
}

/* With a threshold that was asked for, 1 and 0 in place of probabilities. */
static int fill(struct bt_predict *p, struct bt_error *err)
{
	int i, label = 0;

	if (p->set.oom)
		return bt_error_nomem(err, "predicting");
	if (bt_submission_takes_label(p->sample))
		label = bt_labels_add(&p->sets, names(p), err);
	for (i = 0; p->o.threshold != NULL && i < p->labels.n; i++)
		p->p[i] = p->on[i] ? 1 : 0;
	return label;
}

static void summary(const struct bt_predict *p, int most, struct bt_buf *b)
{
	bt_answer_counts(p, most, b);
	if (p->without > 0)
		bt_buf_printf(b, "%sno label %llu", b->len > 0 ? ", " : "",
		              (unsigned long long)p->without);
}

static void facts(const struct bt_predict *p, struct bt_summary *s)
{
	bt_answer_facts(&p->labels, p->counts, s);
	bt_summary_count(s, "without_label", p->without);
}

/* Whether label i holds in truth, or is predicted. */
static bool holds(const struct bt_answered *a, bool truth, int i)
{
	double bound = a->bound != NULL ? a->bound[i] : 0;

	return truth ? a->targets[i] > 0 : (double)a->output[i] > bound;
}

static void put_labels(const struct bt_answered *a, bool truth,
                       struct bt_buf *out)
{
	bool any = false;
	int i;

	for (i = 0; i < a->labels->n; i++) {
		if (!holds(a, truth, i))
			continue;
		bt_buf_puts(out, any ? ", " : "");
		bt_escape_line(out, bt_span(a->labels->name[i]), 0);
		bt_buf_printf(out, " (%.4f)", bt_answer_sigmoid(a->output[i]));
		any = true;
	}
	if (!any)
		bt_buf_puts(out, "(none)");
}

static void show(const struct bt_answered *a, struct bt_buf *out)
{
	put_labels(a, true, out);
	bt_buf_puts(out, " -> ");
	put_labels(a, false, out);
}

static json_t *json_labels(const struct bt_answered *a, bool truth)
{
	json_t *all = json_array();
	int i;

	for (i = 0; i < a->labels->n; i++)
		if (holds(a, truth, i))
			json_array_append_new(
			    all, json_pack("{s:s, s:f}", "label",
			                   a->labels->name[i], "probability",
			                   bt_answer_sigmoid(a->output[i])));
	return all;
}

static void show_json(const struct bt_answered *a, json_t *o)
{
	json_object_set_new(o, "labels", json_labels(a, true));
	json_object_set_new(o, "predicted", json_labels(a, false));
}

const struct bt_answer_form bt_answer_label_set = {
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
    .is_set = true,
    .add = bt_answer_add_sigmoids,
    .mean = bt_answer_mean_logit,
    .show = show,
    .show_json = show_json,
    .loss = "loss",
    .loss_fixed = true,
};
