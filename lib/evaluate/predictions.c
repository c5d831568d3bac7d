/* SPDX-License-Identifier: MIT */
#include "evaluate/predictions.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "evaluate/prediction_file.h"
#include "predict/predict.h"
#include "predict/submission_values.h"

void bt_predictions_clear(struct bt_predictions *p)
{
	bt_labels_clear(&p->labels);
	bt_dataset_clear(&p->data);
	free(p->value);
	memset(p, 0, sizeof(*p));
}

/* The task that a record's label looks like; NULL: it has none. */
static const struct bt_task *guess_task(const struct bt_token_rec *rec)
{
	bool text = rec->label.p != NULL || rec->label_list.name != NULL;

	if (!text &&
	    (rec->has_label_value || rec->id_list.kind == BT_FEATURE_FLOAT))
		return &bt_task_regression;
	if (rec->several || rec->name_list.name != NULL ||
	    (!text && rec->id_list.name != NULL))
		return &bt_task_multi_label;
	return text || rec->has_label_id ? &bt_task_classification : NULL;
}

static int add_record(struct bt_predictions *p, struct bt_token_rec *rec,
                      struct bt_labels *found, struct bt_error *err)
{
	int32_t label = -1;
	int r = BT_OK;

	if (rec->has_words)
		return bt_error_hint(
		    err, BT_HINT_EVALUATE_MODEL,
		    bt_error_set(err, BT_EFORMAT,
		                 "holds words with tags, and files of "
		                 "predictions are of texts"));
	if (rec->has_text_number && rec->name_list.name != NULL)
		return bt_error_hint(
		    err, BT_HINT_EVALUATE_MODEL,
		    bt_error_set(err, BT_EFORMAT,
		                 "holds a choice of a question, and files of "
		                 "predictions are of texts"));
	if (p->task == NULL)
		p->task = p->guess = guess_task(rec);
	else if (p->guess == &bt_task_classification &&
	         guess_task(rec) == &bt_task_multi_label)
		return bt_error_hint(
		    err, BT_HINT_GIVE_MULTI_LABEL,
		    bt_error_set(err, BT_EFORMAT,
		                 "has several labels, but the first labelled "
		                 "record has one class"));
	rec->n_target = 0;
	if (p->task != NULL)
		r = p->task->target(rec, BT_LABELS_COLLECT, found, &label, err);
	if (rec->n > 1)
		rec->n = 1; /* tokens are not looked at */
	return r == BT_OK ? bt_dataset_add(&p->data, rec, label, err) : r;
}

/* All records' ids and labels, which are collected in found. */
static int read_records(const struct bt_predictions_opts *o,
                        struct bt_predictions *p, struct bt_labels *found,
                        struct bt_error *err)
{
	/* the first window has all that is looked at */
	struct bt_windows windows = {.join = o->windows != BT_WINDOWS_EACH
	                                         ? BT_WINDOWS_FIRST
	                                         : BT_WINDOWS_EACH};
	struct bt_token_rec rec = {0};
	struct bt_tfrecord *in;
	const uint8_t *data;
	size_t len;
	uint64_t number = 0;
	int r = bt_tfrecord_open(o->records, o->n_records, &in, err);

	if (r != BT_OK)
		return r;
	bt_tfrecord_expect(in, o->expect);
	bt_tfrecord_add_to(in, &p->data.sum);
	while ((r = bt_tfrecord_next(in, &data, &len, err)) == 1) {
		r = bt_token_rec_read(data, len, &rec, err);
		number++;
		if (r == BT_OK && rec.is_real)
			r = bt_windows_take(&windows, &rec, err);
		if (r == 1) {
			r = o->look == NULL ? BT_OK
			                    : o->look(o->look_ctx, p->data.n,
			                              number, data, len, err);
			if (r == BT_OK)
				r = add_record(p, &rec, found, err);
		}
		if (r != BT_OK) {
			bt_tfrecord_blame(in, err);
			break;
		}
	}
	if (r == BT_OK && p->data.n == 0)
		r = bt_tfrecord_none(in, err);
	if (r == BT_OK && p->data.unlabelled == p->data.n)
		r = bt_error_hint(
		    err, BT_HINT_LABEL_COLUMN,
		    bt_error_set(err, BT_EFORMAT, "no record has a label"));
	bt_windows_clear(&windows);
	bt_token_rec_clear(&rec);
	bt_tfrecord_close(in);
	return r;
}

static int add_labels(struct bt_labels *to, const struct bt_labels *from,
                      struct bt_error *err)
{
	int i, k = 0;

	for (i = 0; i < from->n && k >= 0; i++) {
		k = bt_labels_add(to, bt_span(from->name[i]), err);
		if (k >= 0)
			bt_labels_given(to, k, from->given[i]);
	}
	return k < 0 ? k : BT_OK;
}

/* The place among the columns of a label that records have. Records that only
 * number their labels mean the places. */
static int find_label(const struct bt_labels *columns, const char *label,
                      bool numbered)
{
	int k = bt_labels_find(columns, bt_span(label));
	int64_t number;

	if (k < 0 && numbered &&
	    bt_parse_i64(label, 0, columns->n - 1, &number) == BT_OK)
		k = (int)number;
	return k;
}

static bool are_numbered(const struct bt_labels *found)
{
	int64_t number;
	int i;

	for (i = 0; i < found->n; i++)
		if (bt_parse_i64(found->name[i], i, i, &number) != BT_OK)
			return false;
	return true;
}

/* Settles the labels, and gives the records' their numbers among them. */
static int settle_labels(struct bt_predictions *p,
                         const struct bt_prediction_file *first,
                         const struct bt_labels *found, struct bt_error *err)
{
	bool columns = first->labels.n > 0;
	int *map = NULL, i, k, r;
	size_t a;

	r = add_labels(&p->labels, columns ? &first->labels : found, err);
	for (a = 0; r == BT_OK && !columns && p->task->one_label &&
	            a < bt_string_set_count(first->answers);
	     a++) {
		i = p->labels.n;
		k = bt_labels_add(&p->labels,
		                  bt_string_set_get(first->answers, a), err);
		if (k == i)
			bt_labels_given(&p->labels, k, -1);
		r = k < 0 ? k : BT_OK;
	}
	if (r == BT_OK && !columns && p->task->one_label)
		r = bt_labels_sort(&p->labels, NULL, err);
	if (r == BT_OK && p->labels.n == 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "neither records nor predictions %s name a "
		                 "label",
		                 first->name);
	if (r == BT_OK)
		map = bt_array((size_t)found->n + 1, sizeof(*map));
	if (r == BT_OK && map == NULL)
		r = bt_error_nomem(err, "matching labels");
	for (i = 0; i < found->n && r == BT_OK; i++) {
		map[i] =
		    find_label(&p->labels, found->name[i], are_numbered(found));
		if (map[i] < 0)
			r = bt_error_set(err, BT_EFORMAT,
			                 "predictions %s: no column is for the "
			                 "label '%.100s' that records have",
			                 first->name, found->name[i]);
	}
	if (r == BT_OK)
		r = bt_dataset_relabel(&p->data, map, p->labels.n, err);
	free(map);
	return r;
}

/* Sets on to 1 for the label that an answer names. */
static int read_label(const struct bt_predictions *p, size_t row,
                      struct bt_span name, float *on, struct bt_error *err)
{
	int k = bt_labels_find(&p->labels, name);

	if (k >= 0) {
		on[k] = 1;
		return BT_OK;
	}
	bt_error_set(err, BT_EFORMAT,
	             "row %zu: '%.*s' is not one of the %d labels", row + 1,
	             (int)(name.n < 100 ? name.n : 100), name.p, p->labels.n);
	return p->task->answer->is_set
	           ? bt_error_hint(err, BT_HINT_LABEL_SEPARATOR, BT_EFORMAT)
	           : BT_EFORMAT;
}

/* Sets on[labels] to 1 for the labels that an answer names, else 0. As where
 * records are made of CSV, blanks around a label are not part of it. */
static int read_answer(const struct bt_predictions *p,
                       const struct bt_prediction_file *f, size_t row,
                       float *on, struct bt_error *err)
{
	struct bt_span s = bt_string_set_get(f->answers, f->answer[row]), name;
	size_t n = strlen(p->separator), at;
	int r = BT_OK;

	memset(on, 0, (size_t)p->labels.n * sizeof(*on));
	if (!p->task->answer->is_set)
		return read_label(p, row, s, on, err);
	while (s.n > 0 && r == BT_OK) {
		for (at = 0; at < s.n; at++)
			if (s.n - at >= n &&
			    memcmp(s.p + at, p->separator, n) == 0)
				break;
		name = bt_span_trim((struct bt_span){s.p, at}, " ");
		if (name.n > 0)
			r = read_label(p, row, name, on, err);
		at += at < s.n ? n : 0;
		s = (struct bt_span){s.p + at, s.n - at};
	}
	return r;
}

/* Whether values predict what the answer says. */
static bool agrees(const struct bt_predictions *p, const float *value,
                   const float *on)
{
	int i, best = 0;

	for (i = 1; i < p->labels.n; i++)
		if (value[i] > value[best])
			best = i;
	for (i = 0; i < p->labels.n; i++)
		if ((on[i] > 0) !=
		    (p->task->answer->is_set ? value[i] > .5F : i == best))
			return false;
	return true;
}

struct joining {
	struct bt_predictions *p;
	const struct bt_prediction_file *f;
	int *column;  /* [f->labels.n] of each value among the labels */
	float *row;   /* [labels] */
	float *on;    /* [labels] */
	double *sum;  /* [records][labels] */
	uint8_t *hit; /* [f->rows] a record has that id */
};

/* Adds a row of the file to record i's sums. */
static int add_row(struct joining *j, size_t i, size_t at, struct bt_error *err)
{
	const struct bt_prediction_file *f = j->f;
	size_t n = (size_t)j->p->labels.n, w = (size_t)f->labels.n, k;
	int r = BT_OK;

	if (f->answers != NULL)
		r = read_answer(j->p, f, at, j->on, err);
	if (r != BT_OK)
		return bt_error_prefix(err, "predictions %s", f->name);
	for (k = 0; k < w; k++)
		j->row[j->column[k]] = f->value[at * w + k];
	if (w > 0 && f->answers != NULL)
		j->p->differ += !agrees(j->p, j->row, j->on);
	for (k = 0; k < n; k++)
		j->sum[i * n + k] += (double)(w > 0 ? j->row : j->on)[k];
	return BT_OK;
}

static int mismatch(const struct joining *j,
                    struct bt_submission_values *missing, struct bt_error *err)
{
	struct bt_submission_values extra = {0};
	struct bt_buf b = BT_BUF_INIT;
	size_t i, first = 0;

	for (i = j->f->rows; i-- > 0;)
		if (!j->hit[i])
			first = i;
	for (i = 0; i < j->f->rows; i++)
		if (!j->hit[i])
			bt_submission_values_add(
			    &extra, bt_string_set_get(j->f->ids, i));
	if (missing->n > 0)
		bt_buf_printf(&b,
		              "%zu of %zu records have an id without a row: %s",
		              missing->n, j->p->data.n,
		              bt_submission_values_str(missing));
	if (extra.n > 0)
		bt_buf_printf(&b,
		              "%s%zu of %zu rows have an id without a record: "
		              "%s (the first is row %zu)",
		              b.len > 0 ? "; " : "", extra.n, j->f->rows,
		              bt_submission_values_str(&extra), first + 1);
	bt_error_set(err, BT_EFORMAT, "predictions %s: %s", j->f->name,
	             bt_buf_str(&b));
	bt_buf_clear(&extra.names);
	bt_buf_clear(&b);
	return BT_EFORMAT;
}

/* Whether records have ids; or none, and the file's are their numbers, as
 * predictions of such records have them. */
static bool have_ids(const struct joining *j, bool *numbers)
{
	size_t at;

	if (j->f->ids == NULL)
		return false;
	*numbers = bt_dataset_id(&j->p->data, 0).p == NULL;
	return !*numbers || bt_string_set_find(j->f->ids, bt_span("0"), &at);
}

static int join_ids(struct joining *j, bool numbers, struct bt_error *err)
{
	struct bt_submission_values missing = {0};
	const struct bt_dataset *d = &j->p->data;
	struct bt_span id;
	char number[24];
	size_t i, at, hits = 0;
	int r = BT_OK;

	for (i = 0; i < d->n && r == BT_OK; i++) {
		id = bt_dataset_id(d, i);
		if (numbers) {
			snprintf(number, sizeof(number), "%zu", i);
			id = bt_span(number);
		}
		if (id.p == NULL) {
			r = bt_error_set(err, BT_EFORMAT,
			                 "record %zu has no id, others have",
			                 i + 1);
		} else if (!bt_string_set_find(j->f->ids, id, &at)) {
			bt_submission_values_add(&missing, id);
		} else if (j->hit[at]) {
			r = bt_error_set(err, BT_EFORMAT,
			                 "record %zu: another record has the "
			                 "id '%.*s', too",
			                 i + 1, (int)(id.n < 60 ? id.n : 60),
			                 id.p);
		} else {
			j->hit[at] = 1;
			hits++;
			r = add_row(j, i, at, err);
		}
	}
	if (r == BT_OK && (missing.n > 0 || hits < j->f->rows))
		r = mismatch(j, &missing, err);
	bt_buf_clear(&missing.names);
	return r;
}

/* Ids come again: rows and records are to have the same ones in one order. */
static int join_order(struct joining *j, struct bt_error *err)
{
	const struct bt_prediction_file *f = j->f;
	const struct bt_dataset *d = &j->p->data;
	size_t i, n = f->rows < d->n ? f->rows : d->n;
	struct bt_span id, other;
	int r = BT_OK;

	for (i = 0; i < n && r == BT_OK; i++) {
		id = bt_string_set_get(f->ids, f->id[i]);
		other = bt_dataset_id(d, i);
		if (!bt_span_equal(id, other))
			break;
		r = add_row(j, i, i, err);
	}
	if (r != BT_OK || (i == f->rows && i == d->n))
		return r;
	id = bt_string_set_get(f->ids, f->id[f->again - 1]);
	bt_error_set(err, BT_EFORMAT,
	             "predictions %s: row %zu: the id '%.*s' stands in row "
	             "%zu, too, and rows and records are not the same in their "
	             "order: they differ from row %zu on",
	             f->name, f->again, (int)(id.n < 60 ? id.n : 60), id.p,
	             f->again_of, i + 1);
	return BT_EFORMAT;
}

/* Finds the columns of another file among the labels. */
static int find_columns(struct joining *j, struct bt_error *err)
{
	const struct bt_labels *l = &j->p->labels, *own = &j->f->labels;
	int k;

	if (own->n > 0 && own->n != l->n)
		return bt_error_set(err, BT_EFORMAT,
		                    "predictions %s: %d columns of labels, "
		                    "but the first file has %d",
		                    j->f->name, own->n, l->n);
	for (k = 0; k < own->n; k++) {
		j->column[k] = bt_labels_find(l, bt_span(own->name[k]));
		if (j->column[k] < 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "predictions %s: the first file "
			                    "has no column '%.100s'",
			                    j->f->name, own->name[k]);
	}
	return BT_OK;
}

/* Adds a file's values to the sums. */
static int join(struct bt_predictions *p, const struct bt_prediction_file *f,
                double *sum, struct bt_error *err)
{
	struct joining j = {.p = p, .f = f, .sum = sum};
	size_t n = (size_t)p->labels.n, i;
	bool numbers = false;
	int r;

	j.column = bt_array((size_t)f->labels.n + 1, sizeof(*j.column));
	j.row = bt_array0(n, sizeof(*j.row));
	j.on = bt_array0(n, sizeof(*j.on));
	j.hit = bt_array0(f->rows, sizeof(*j.hit));
	if (j.column == NULL || j.row == NULL || j.on == NULL || j.hit == NULL)
		r = bt_error_nomem(err, "matching predictions");
	else
		r = find_columns(&j, err);
	if (r == BT_OK && f->answers != NULL && p->task->answer->is_set &&
	    (r = bt_predict_separator(p->separator, &p->labels, err)) != BT_OK)
		bt_error_prefix(err, "predictions %s", f->name);
	if (r == BT_OK && f->again > 0) {
		r = join_order(&j, err);
	} else if (r == BT_OK && have_ids(&j, &numbers)) {
		r = join_ids(&j, numbers, err);
	} else if (r == BT_OK && f->rows != p->data.n) {
		r = bt_error_set(
		    err, BT_EFORMAT,
		    "predictions %s: %zu rows for %zu records, and no ids "
		    "to match them by",
		    f->name, f->rows, p->data.n);
	} else {
		for (i = 0; i < p->data.n && r == BT_OK; i++)
			r = add_row(&j, i, i, err);
	}
	free(j.column);
	free(j.row);
	free(j.on);
	free(j.hit);
	return r;
}

/* The mean of all files, from the first, which is there, on. */
static int add_files(const struct bt_predictions_opts *o,
                     struct bt_predictions *p, struct bt_prediction_file *f,
                     const struct bt_labels *found, struct bt_error *err)
{
	size_t values, i;
	double *sum = NULL;
	int r = settle_labels(p, f, found, err);

	if (r == BT_OK &&
	    bt_size_mul(p->data.n, (size_t)p->labels.n, &values)) {
		sum = bt_array0(values, sizeof(*sum));
		p->value = bt_array(values, sizeof(*p->value));
	}
	if (r == BT_OK && (sum == NULL || p->value == NULL))
		r = bt_error_nomem(err, "matching predictions");
	for (i = 0; i < o->n_files && r == BT_OK; i++) {
		if (i > 0) {
			bt_prediction_file_clear(f);
			f->repeats = true;
			r = bt_prediction_file_read(o->files[i], p->task, found,
			                            f, err);
		}
		if (r == BT_OK && o->n_files > 1 && f->labels.n == 0)
			r = bt_error_hint(
			    err, BT_HINT_PROBA,
			    bt_error_set(err, BT_EFORMAT,
			                 "predictions %s: labels alone, which "
			                 "cannot be averaged",
			                 f->name));
		if (r == BT_OK)
			r = join(p, f, sum, err);
	}
	for (i = 0; r == BT_OK && i < values; i++)
		p->value[i] = (float)(sum[i] / (double)o->n_files);
	p->output =
	    f->labels.n > 0 ? BT_METRICS_PROBABILITIES : BT_METRICS_ANSWERS;
	free(sum);
	return r;
}

int bt_predictions_read(const struct bt_predictions_opts *o,
                        struct bt_predictions *p, struct bt_error *err)
{
	struct bt_prediction_file f = {.repeats = true};
	struct bt_labels found = {0};
	int r;

	memset(p, 0, sizeof(*p));
	p->task = o->task;
	p->separator = o->separator != NULL ? o->separator : " ";
	r = p->task == NULL
	        ? bt_prediction_file_task(o->files[0], NULL, &p->task, err)
	        : BT_OK;
	if (r == BT_OK && p->task == NULL && o->separator != NULL)
		p->task = &bt_task_multi_label;
	if (r == BT_OK)
		r = read_records(o, p, &found, err);
	if (r == BT_OK && o->separator != NULL && !p->task->answer->is_set)
		r = bt_error_hint(err, BT_HINT_PREDICT_MULTILABEL_ONLY,
		                  bt_error_set(err, BT_EARG,
		                               "the predictions are %s",
		                               p->task->outputs));
	if (r == BT_OK)
		r = bt_prediction_file_read(o->files[0], p->task, &found, &f,
		                            err);
	if (r == BT_OK)
		r = add_files(o, p, &f, &found, err);
	bt_prediction_file_clear(&f);
	bt_labels_clear(&found);
	if (r != BT_OK)
		bt_predictions_clear(p);
	return r;
}
