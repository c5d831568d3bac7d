/* SPDX-License-Identifier: MIT */
/* Predictions that are numbers: the outputs, or their sigmoids. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/csv.h"
#include "format/escape.h"
#include "predict/answer.h"

static int thresholds(const char *text, const struct bt_labels *l, double *over,
                      const struct bt_log *log, struct bt_error *err)
{
	(void)l, (void)over, (void)log;
	if (text == NULL)
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "the model predicts a number, which is explained "
	                    "as it is: thresholds do not apply");
}

static int check(const struct bt_predict *p, struct bt_error *err)
{
	if (p->o.min_proba > 0 || p->o.sets != NULL)
		return bt_answer_no_sets(err);
	if (p->merged)
		return bt_error_set(err, BT_EARG,
		                    "two numbers cannot be given one name");
	if (p->o.separator != NULL)
		return bt_error_hint(
		    err, BT_HINT_PREDICT_MULTILABEL_ONLY,
		    bt_error_set(err, BT_EARG, "the model predicts a number"));
	if (p->o.proba || p->o.top > 0 ||
	    (p->o.map != NULL && p->labels.n == 1))
		return bt_error_hint(
		    err, BT_HINT_PREDICT_CLASSES_ONLY,
		    bt_error_set(err, BT_EARG, "the model predicts a number"));
	return BT_OK;
}

static void read(struct bt_predict *p, const float *output)
{
	bool direct = p->o.form == &bt_answer_numbers;
	double v;
	int i;

	for (i = 0; i < p->classes; i++) {
		v = direct ? (double)output[i] : bt_answer_sigmoid(output[i]);
		if (p->scores.n > 0)
			v = bt_scores_of(&p->scores, v);
		p->p[i] = v;
		p->least = p->n == 0 || v < p->least ? v : p->least;
		p->most = p->n == 0 || v > p->most ? v : p->most;
		p->sum += v;
		p->n++;
	}
	p->order[0] = 0;
}

/* "id,cohesion,syntax": a column for each number. */
static int named_columns(struct bt_predict *p, struct bt_error *err)
{
	const char *h = p->o.header, *end;
	struct bt_span name;
	int i, n = 1;

	for (end = h; end != NULL && (end = strchr(end, ',')) != NULL; end++)
		n++;
	if (h != NULL && n != p->labels.n + 1)
		return bt_error_set(err, BT_EARG,
		                    "the header '%s' names %d columns, and "
		                    "there are an id and %d numbers",
		                    h, n, p->labels.n);
	for (i = 0; h != NULL && i < n; i++, h = end + 1) {
		end = strchr(h, ',') != NULL ? strchr(h, ',') : strchr(h, '\0');
		name = (struct bt_span){h, (size_t)(end - h)};
		if (i == 0) {
			bt_answer_id_header(p, name);
			continue;
		}
		bt_buf_putc(&p->row, p->o.delimiter);
		bt_csv_put(&p->row, name, p->o.delimiter);
	}
	if (p->o.header == NULL)
		bt_answer_id_header(p, bt_span("id"));
	for (i = 0; p->o.header == NULL && i < p->labels.n; i++) {
		bt_buf_putc(&p->row, p->o.delimiter);
		bt_csv_put(&p->row, bt_span(p->labels.name[i]), p->o.delimiter);
	}
	bt_buf_putc(&p->row, '\n');
	return BT_OK;
}

/* "id,label" of one, a column for each of several. */
static int csv_header(struct bt_predict *p, struct bt_error *err)
{
	return p->labels.n > 1 ? named_columns(p, err)
	                       : bt_answer_label_header(p, err);
}

static void csv_row(struct bt_predict *p)
{
	int i;

	for (i = 0; i < p->labels.n; i++) {
		bt_buf_putc(&p->row, p->o.delimiter);
		bt_answer_put_number(&p->row, p->p[i]);
	}
}

/* One number as such, several by their names. */
static void json_row(struct bt_predict *p)
{
	struct bt_buf *b = &p->row;
	bool several = p->labels.n > 1;
	int i;

	bt_buf_puts(b, several ? ", \"values\": {" : ", \"value\": ");
	for (i = 0; i < p->labels.n; i++) {
		if (i > 0)
			bt_buf_puts(b, ", ");
		if (several) {
			bt_escape_json_text(b, bt_span(p->labels.name[i]));
			bt_buf_puts(b, ": ");
		}
		bt_answer_put_number(b, p->p[i]);
	}
	if (several)
		bt_buf_putc(b, '}');
}

static void record(struct bt_predict *p)
{
	bt_answer_add_numbers(p, p->labels.n > 1 ? "values" : "value", NULL,
	                      p->labels.n);
}

static void summary(const struct bt_predict *p, int most, struct bt_buf *b)
{
	(void)most;
	if (p->n > 0)
		bt_buf_printf(b, "numbers from %g to %g, mean %g", p->least,
		              p->most, p->sum / (double)p->n);
}

static void facts(const struct bt_predict *p, struct bt_summary *s)
{
	if (p->n == 0)
		return;
	bt_summary_open(s, "numbers");
	bt_summary_real(s, "least", p->least);
	bt_summary_real(s, "greatest", p->most);
	bt_summary_real(s, "mean", p->sum / (double)p->n);
	bt_summary_close(s);
}

static void add(const float *output, const int *map, int labels, double *sum)
{
	int k;

	for (k = 0; k < labels; k++)
		sum[k] += (double)output[map != NULL ? map[k] : k];
}

static float mean(double sum, size_t models)
{
	return (float)(sum / (double)models);
}

static void show(const struct bt_answered *a, struct bt_buf *out)
{
	int i;

	for (i = 0; i < a->labels->n; i++) {
		bt_buf_puts(out, i > 0 ? ", " : "");
		if (a->labels->n > 1) {
			bt_escape_line(out, bt_span(a->labels->name[i]), 0);
			bt_buf_putc(out, ' ');
		}
		bt_buf_printf(out, "%.6g -> %.6g", (double)a->targets[i],
		              (double)a->output[i]);
	}
}

/* One number, or an object of several by their names. */
static json_t *json_numbers(const struct bt_answered *a, const float *from)
{
	json_t *o;
	int i;

	if (a->labels->n == 1)
		return json_real((double)from[0]);
	o = json_object();
	for (i = 0; i < a->labels->n; i++)
		json_object_set_new(o, a->labels->name[i],
		                    json_real((double)from[i]));
	return o;
}

static void show_json(const struct bt_answered *a, json_t *o)
{
	json_object_set_new(o, "value", json_numbers(a, a->targets));
	json_object_set_new(o, "predicted", json_numbers(a, a->output));
}

const struct bt_answer_form bt_answer_numbers = {
    .outputs = "numbers",
    .thresholds = thresholds,
    .check = check,
    .read = read,
    .csv_header = csv_header,
    .csv_row = csv_row,
    .json_row = json_row,
    .record = record,
    .summary = summary,
    .facts = facts,
    .is_number = true,
    .add = add,
    .mean = mean,
    .show = show,
    .show_json = show_json,
    .loss = "squared error",
};

/* Those of the outputs; NULL: no memory. */
static float *sigmoids(const struct bt_answered *a)
{
	float *y = bt_array((size_t)a->labels->n, sizeof(*y));
	int i;

	for (i = 0; y != NULL && i < a->labels->n; i++)
		y[i] = (float)bt_answer_sigmoid(a->output[i]);
	return y;
}

static void show_sigmoids(const struct bt_answered *a, struct bt_buf *out)
{
	float *y = sigmoids(a);
	struct bt_answered b = *a;

	b.output = y;
	if (y != NULL)
		show(&b, out);
	else
		out->oom = true;
	free(y);
}

static void show_json_sigmoids(const struct bt_answered *a, json_t *o)
{
	float *y = sigmoids(a);
	struct bt_answered b = *a;

	b.output = y;
	if (y != NULL)
		show_json(&b, o);
	free(y);
}

const struct bt_answer_form bt_answer_sigmoids = {
    .outputs = "numbers",
    .thresholds = thresholds,
    .check = check,
    .read = read,
    .csv_header = csv_header,
    .csv_row = csv_row,
    .json_row = json_row,
    .record = record,
    .summary = summary,
    .facts = facts,
    .is_number = true,
    .add = bt_answer_add_sigmoids,
    .mean = bt_answer_mean_logit,
    .show = show_sigmoids,
    .show_json = show_json_sigmoids,
    .loss = "cross entropy",
    .loss_fixed = true,
};
