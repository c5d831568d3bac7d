/* SPDX-License-Identifier: MIT */
#include "predict/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "format/csv.h"
#include "format/escape.h"
#include "format/tfrecord.h"
#include "predict/answer.h"
#include "predict/fields.h"
#include "predict/thresholds.h"
#include "record/label_map.h"

#define COUNTS 10 /* labels in the summary, unless more is asked for */

static int put_row(struct bt_predict *p, struct bt_error *err)
{
	int r;

	if (p->row.oom)
		return bt_error_nomem(err, "printing");
	r = bt_out_write(p->out, p->row.data, p->row.len, err);
	bt_buf_reset(&p->row);
	return r;
}

static int check_options(const struct bt_predict *p, struct bt_error *err)
{
	const struct bt_predict_opts *o = &p->o;

	if (o->format != BT_PREDICT_CSV &&
	    (o->header != NULL || o->delimiter != 0))
		return bt_error_hint(
		    err, BT_HINT_CSV_ONLY,
		    bt_error_set(err, BT_EARG, "the output is not CSV"));
	if (o->format == BT_PREDICT_TSV && o->top > 0)
		return bt_error_hint(
		    err, BT_HINT_TSV_TOP,
		    bt_error_set(err, BT_EARG,
		                 "this format has the probabilities of all "
		                 "classes"));
	if (o->top > p->labels.n)
		return bt_error_set(err, BT_EARG,
		                    "cannot print the top %d of %d classes",
		                    o->top, p->labels.n);
	return o->form->check(p, err);
}

/* Whether a column or member that is written anyway has that name. */
static bool is_taken(const struct bt_predict *p, const char *name)
{
	const struct bt_predict_opts *o = &p->o;
	bool columns = o->form->is_number && p->labels.n > 1;
	const char *h = o->header != NULL ? o->header
	                : columns         ? "id"
	                                  : "id,label";
	size_t n;

	if (o->format == BT_PREDICT_JSONL)
		return bt_str_in_list("id|label|labels|probability|top|set|"
		                      "probabilities|value|values",
		                      name);
	if ((o->sets != NULL && strcmp(name, "set") == 0) ||
	    (o->top > 0 && strcmp(name, "probability") == 0))
		return true;
	for (;; h += n + 1) {
		n = strcspn(h, ",");
		if (strlen(name) == n && memcmp(h, name, n) == 0)
			return true;
		if (h[n] == '\0')
			break;
	}
	return (o->proba || (columns && o->header == NULL)) &&
	       bt_labels_find(&p->labels, bt_span(name)) >= 0;
}

int bt_predict_twice(const char *name, struct bt_error *err)
{
	return bt_error_hint(err, BT_HINT_FIELD_NAMES,
	                     bt_error_set(err, BT_EARG,
	                                  "the output would have '%s' twice",
	                                  name));
}

int bt_predict_no_separator(struct bt_error *err)
{
	return bt_error_set(err, BT_EARG,
	                    "labels are not joined into one field here, and "
	                    "need no separator");
}

static int check_fields(const struct bt_predict *p, struct bt_error *err)
{
	const char *name;
	size_t i;

	for (i = 0; p->o.fields != NULL &&
	            (name = bt_fields_name(p->o.fields, i)) != NULL;
	     i++)
		if (is_taken(p, name))
			return bt_predict_twice(name, err);
	return BT_OK;
}

static int check_sample(const struct bt_predict_opts *o, struct bt_error *err)
{
	if (o->sample == NULL && (o->sample_id != NULL || o->sample_order))
		return bt_error_set(err, BT_EARG,
		                    "ids or the order of rows are asked for "
		                    "without a sample to read them from");
	if (o->sample != NULL &&
	    (o->format != BT_PREDICT_CSV || o->header != NULL || o->top > 0 ||
	     o->delimiter != 0 || o->fields != NULL || o->min_proba > 0 ||
	     o->sets != NULL))
		return bt_error_hint(
		    err, BT_HINT_SAMPLE_COLUMNS,
		    bt_error_set(err, BT_EARG,
		                 "the sample decides format and columns"));
	return BT_OK;
}

static int check_map(const struct bt_label_map *map, const struct bt_labels *l,
                     struct bt_error *err)
{
	struct bt_span from;
	size_t i;

	for (i = 0; bt_label_map_get(map, i, &from); i++)
		if (bt_labels_find(l, from) < 0)
			return bt_label_unknown("label map", from, l, err);
	return BT_OK;
}

int bt_predict_separator(const char *separator, const struct bt_labels *labels,
                         struct bt_error *err)
{
	int i;

	if (separator[0] == '\0')
		return bt_error_set(err, BT_EARG,
		                    "the separator of labels is empty");
	for (i = 0; i < labels->n; i++)
		if (strstr(labels->name[i], separator) != NULL)
			return bt_error_hint(
			    err, BT_HINT_LABEL_SEPARATOR,
			    bt_error_set(err, BT_EARG,
			                 "the label '%s' contains '%s', which "
			                 "separates labels",
			                 labels->name[i], separator));
	return BT_OK;
}

/* Under which label each class of l is written. */
static int name_classes(struct bt_predict *p, const struct bt_labels *l,
                        struct bt_error *err)
{
	struct bt_label_map *map = NULL;
	struct bt_span to;
	int i, k, r = BT_OK;

	if (p->o.map != NULL)
		r = bt_label_map_new(p->o.map, &map, err);
	if (r != BT_OK)
		return bt_error_prefix(err, "label map");
	if (map != NULL)
		r = check_map(map, l, err);
	for (i = 0; i < l->n && r == BT_OK; i++) {
		to = bt_span(l->name[i]);
		if (map != NULL)
			bt_label_map_find(map, to, &to);
		k = bt_labels_add(&p->labels, to, err);
		if (k < 0)
			r = k;
		p->shown[i] = k;
	}
	p->merged = p->labels.n < l->n;
	bt_label_map_free(map);
	return r;
}

static int open_sample(struct bt_predict *p, struct bt_error *err)
{
	struct bt_submission_opts s = {.path = p->o.sample,
	                               .id = p->o.sample_id,
	                               .in_order = p->o.sample_order,
	                               .proba = p->o.proba,
	                               .missing = p->o.sample_missing,
	                               .ignore_extra = p->o.sample_ignore_extra,
	                               .are_numbers = p->o.form->is_number,
	                               .texts =
	                                   p->o.form->is_set ? &p->sets : NULL,
	                               .log = p->o.log};

	return bt_submission_open(&s, &p->labels, &p->sample, err);
}

/* Room for one answer, of n classes. */
static int make_room(struct bt_predict *p, size_t n, struct bt_error *err)
{
	p->shown = bt_array0(n, sizeof(*p->shown));
	p->logit = bt_array(n, sizeof(*p->logit));
	p->p = bt_array(n, sizeof(*p->p));
	p->order = bt_array(n, sizeof(*p->order));
	p->counts = bt_array0(n, sizeof(*p->counts));
	p->on = bt_array0(n, sizeof(*p->on));
	p->over = bt_array(n, sizeof(*p->over));
	p->numbers = bt_array(n, sizeof(*p->numbers));
	p->names = bt_array(n, sizeof(*p->names));
	p->scored = bt_array(n, sizeof(*p->scored));
	p->score = bt_array(n, sizeof(*p->score));
	if (p->numbers == NULL || p->names == NULL || p->scored == NULL ||
	    p->score == NULL || p->on == NULL || p->over == NULL ||
	    p->shown == NULL || p->logit == NULL || p->p == NULL ||
	    p->order == NULL || p->counts == NULL)
		return bt_error_nomem(err, "predicting");
	return BT_OK;
}

/* Where labels, or those of a set, become one field. */
static int check_separator(struct bt_predict *p, struct bt_error *err)
{
	const struct bt_predict_opts *o = &p->o;
	bool joins = o->sample != NULL ? bt_submission_takes_label(p->sample)
	                               : o->format == BT_PREDICT_CSV &&
	                                     (o->top == 0 || o->sets != NULL);

	joins = joins && (o->form->is_set || o->sets != NULL);
	if (o->separator != NULL && !joins)
		return bt_predict_no_separator(err);
	if (o->separator == NULL)
		p->o.separator = " ";
	return joins ? bt_predict_separator(o->separator, &p->labels, err)
	             : BT_OK;
}

int bt_predict_new(const struct bt_predict_opts *o, const struct bt_labels *l,
                   struct bt_out *out, struct bt_predict **res,
                   struct bt_error *err)
{
	struct bt_predict *p = bt_array0(1, sizeof(*p));
	int r;

	p->o = *o;
	p->classes = l->n;
	p->out = out;
	r = make_room(p, (size_t)l->n, err);
	if (r == BT_OK)
		r = check_sample(o, err);
	if (r == BT_OK)
		r = name_classes(p, l, err);
	if (r == BT_OK)
		r = check_options(p, err);
	if (r == BT_OK)
		r = check_fields(p, err);
	if (r == BT_OK && p->merged)
		bt_log(p->o.log, BT_LOG_NOTE,
		       "the model's %d labels are written as %d", l->n,
		       p->labels.n);
	if (r == BT_OK && o->form->is_number && o->threshold != NULL)
		r = bt_thresholds_of_scores(o->threshold, l, &p->scores, err);
	else if (r == BT_OK)
		r = o->form->thresholds(o->threshold, l, p->over, o->log, err);
	if (p->o.delimiter == 0)
		p->o.delimiter = ',';
	if (r == BT_OK && o->sample != NULL)
		r = open_sample(p, err);
	if (r == BT_OK)
		r = check_separator(p, err);
	if (r == BT_OK && o->sample == NULL && o->format == BT_PREDICT_CSV)
		r = o->form->csv_header(p, err);
	if (r == BT_OK && p->row.len > 0)
		r = put_row(p, err);
	if (r != BT_OK) {
		bt_predict_free(p);
		return r;
	}
	*res = p;
	return BT_OK;
}

void bt_predict_free(struct bt_predict *p)
{
	if (p == NULL)
		return;
	bt_submission_free(p->sample);
	bt_buf_clear(&p->row);
	bt_example_clear(&p->example);
	free(p->numbers);
	free(p->names);
	free(p->scored);
	free(p->score);
	bt_buf_clear(&p->set);
	bt_labels_clear(&p->labels);
	bt_labels_clear(&p->sets);
	free(p->on);
	free(p->over);
	free(p->shown);
	free(p->logit);
	free(p->p);
	free(p->order);
	free(p->counts);
	free(p);
}

static int fill_in(struct bt_predict *p, struct bt_span id,
                   struct bt_error *err)
{
	int label =
	    p->o.form->fill != NULL ? p->o.form->fill(p, err) : p->order[0];

	if (label < 0)
		return label;
	return bt_submission_set(p->sample, id, label, p->p, err);
}

/* Numbers that stand for missing ids explain why few of them, or none, are
 * there. */
static int explain_ids(const struct bt_predict *p, int r, struct bt_error *err)
{
	if (r != BT_EFORMAT || !p->numbered)
		return r;
	if (err != NULL) /* it explains more than another one */
		err->hint = BT_HINT_SAMPLE_IDS;
	return bt_error_prefix(err, "records without an id were numbered from "
	                            "0");
}

/* As Python prints floats that were doubled in length: 1.0, 0.25, 1e-05. */
static void tsv_row(struct bt_predict *p)
{
	struct bt_buf *b = &p->row;
	char s[32];
	int i;

	for (i = 0; i < p->labels.n; i++) {
		bt_format_f64(s, sizeof(s), (double)(float)p->p[i]);
		bt_buf_printf(b, "%s%s%s", i > 0 ? "\t" : "", s,
		              s[strspn(s, "-0123456789")] == '\0' ? ".0" : "");
	}
	bt_buf_putc(b, '\n');
}

static void csv_row(struct bt_predict *p, struct bt_span id)
{
	bt_csv_put(&p->row, id, p->o.delimiter);
	if (p->o.fields != NULL)
		bt_fields_put(p->o.fields, &p->row);
	p->o.form->csv_row(p);
	bt_buf_putc(&p->row, '\n');
}

static void json_row(struct bt_predict *p, struct bt_span id)
{
	bt_buf_puts(&p->row, "{\"id\": ");
	bt_escape_json_text(&p->row, id);
	if (p->o.fields != NULL)
		bt_fields_put(p->o.fields, &p->row);
	p->o.form->json_row(p);
	bt_buf_puts(&p->row, "}\n");
}

static int put_record(struct bt_predict *p, struct bt_span id,
                      struct bt_error *err)
{
	struct bt_span data;

	bt_example_begin(&p->example);
	bt_example_add_text(&p->example, "id", id.p, id.n);
	p->o.form->record(p);
	data = bt_example_finish(&p->example);
	if (data.p == NULL)
		return bt_error_nomem(err, "printing");
	return bt_tfrecord_write(p->out, data.p, data.n, err);
}

int bt_predict_add(struct bt_predict *p, uint64_t i, struct bt_span id,
                   const float *logits, struct bt_error *err)
{
	char number[24];

	p->o.form->read(p, logits);
	if (id.p == NULL && !p->o.sample_order) {
		p->numbered = true;
		snprintf(number, sizeof(number), "%llu", (unsigned long long)i);
		id = bt_span(number);
	} else if (id.p != NULL) {
		p->named = true;
	}
	if (p->sample != NULL)
		return explain_ids(p, fill_in(p, id, err), err);
	if (p->o.format == BT_PREDICT_TFRECORD)
		return put_record(p, id, err);
	if (p->o.format == BT_PREDICT_TSV)
		tsv_row(p);
	else if (p->o.format == BT_PREDICT_JSONL)
		json_row(p, id);
	else
		csv_row(p, id);
	return put_row(p, err);
}

int bt_predict_finish(struct bt_predict *p, struct bt_error *err)
{
	if (p->sample == NULL)
		return BT_OK;
	return explain_ids(p, bt_submission_write(p->sample, p->out, err), err);
}

void bt_predict_tell_numbered(bool named, const struct bt_log *log)
{
	if (named)
		bt_log_warn(log, "no-ids", BT_HINT_NONE,
		            "records without an id were numbered from 0; "
		            "others have ids, which a number may equal");
	else
		bt_log(log, BT_LOG_NOTE,
		       "the records have no ids: they are numbered from 0");
}

void bt_predict_tell(const struct bt_predict *p, const struct bt_log *log)
{
	struct bt_buf b = BT_BUF_INIT;

	if (p->numbered && p->o.format != BT_PREDICT_TSV)
		bt_predict_tell_numbered(p->named, log);
	p->o.form->summary(
	    p, bt_log_is_heard(log, BT_LOG_MORE) ? p->labels.n : COUNTS, &b);
	if (bt_buf_str(&b) != NULL)
		bt_log(log, BT_LOG_NOTE, "predicted %s", bt_buf_str(&b));
	p->o.form->facts(p, bt_log_summary(log));
	bt_buf_clear(&b);
}
