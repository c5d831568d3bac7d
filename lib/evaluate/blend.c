/* SPDX-License-Identifier: MIT */
#include "evaluate/blend.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "evaluate/prediction_file.h"
#include "io/out.h"
#include "task/probabilities.h"

struct blend {
	const struct bt_blend_opts *o;
	const struct bt_task *task;
	struct bt_prediction_file first; /* whose rows and labels count */
	double *sum;                     /* [first.rows][first.labels.n] */
	double weights;                  /* their sum */
};

static size_t width(const struct blend *b)
{
	return (size_t)b->first.labels.n;
}

/* The value of a row, and the row. */
struct place {
	double v;
	size_t row;
};

static int compare(const void *a, const void *b)
{
	double x = ((const struct place *)a)->v;
	double y = ((const struct place *)b)->v;

	return (x > y) - (x < y);
}

/* Makes ranks of a column of `rows` values, each `n` behind the one before it:
 * equal ones share theirs. The least one is 1/2 of a row above 0, the greatest
 * as much below 1. */
static void rank(float *value, size_t rows, size_t n, struct place *place)
{
	size_t i, k, end;

	for (i = 0; i < rows; i++)
		place[i] = (struct place){(double)value[i * n], i};
	qsort(place, rows, sizeof(*place), compare);
	for (i = 0; i < rows; i = end) {
		for (end = i; end < rows && !(place[end].v > place[i].v); end++)
			;
		for (k = i; k < end; k++)
			value[place[k].row * n] =
			    (float)((double)(i + end) / 2 / (double)rows);
	}
}

/* Ranks as what the task's models put out. */
static int make_ranks(const struct blend *b, struct bt_prediction_file *f,
                      struct bt_error *err)
{
	bool classes = b->task == &bt_task_classification;
	bool sigmoids = b->task->answer->is_set || b->task == &bt_task_ranking;
	size_t n = (size_t)f->labels.n, i;
	struct place *place;
	float *v;

	if (classes && n != 2)
		return bt_error_set(err, BT_EARG,
		                    "ranks are averaged for one of two "
		                    "classes, for each of any number of "
		                    "labels, and for numbers, not for %zu "
		                    "classes",
		                    n);
	for (i = 0; classes && i < f->rows; i++) {
		v = f->value + i * n;
		v[1] -= v[0];
		v[0] = -v[1];
	}
	place = bt_array(f->rows, sizeof(*place));
	if (place == NULL)
		return bt_error_nomem(err, "ranking predictions");
	for (i = 0; i < n; i++)
		rank(f->value + i, f->rows, n, place);
	free(place);
	for (i = 0; i < f->rows * n; i++)
		f->value[i] =
		    b->task == &bt_task_regression
		        ? f->value[i]
		        : bt_task_logit((double)f->value[i], sigmoids);
	return BT_OK;
}

/* The column of each of the first file's labels. */
static int find_columns(const struct blend *b,
                        const struct bt_prediction_file *f, int *column,
                        struct bt_error *err)
{
	int i;

	for (i = 0; i < b->first.labels.n; i++) {
		column[i] = bt_labels_find(&f->labels,
		                           bt_span(b->first.labels.name[i]));
		if (column[i] < 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "it lacks the label '%s'",
			                    b->first.labels.name[i]);
	}
	return f->labels.n == b->first.labels.n
	           ? BT_OK
	           : bt_error_set(err, BT_EFORMAT, "it has %d labels, not %d",
	                          f->labels.n, b->first.labels.n);
}

/* The row of f that belongs to row i of the first file. */
static int find_row(const struct blend *b, const struct bt_prediction_file *f,
                    size_t i, size_t *row, struct bt_error *err)
{
	struct bt_span id;

	*row = i;
	if (f->ids == NULL)
		return BT_OK;
	id = bt_string_set_get(b->first.ids, i);
	return bt_string_set_find(f->ids, id, row)
	           ? BT_OK
	           : bt_error_set(err, BT_EFORMAT, "it lacks the id '%.*s'",
	                          (int)(id.n < 60 ? id.n : 60), id.p);
}

/* Adds the i-th file, so that the weights of all add up to their number. */
static int add_rows(struct blend *b, const struct bt_prediction_file *f,
                    size_t file, struct bt_error *err)
{
	size_t i, k, row, n = width(b);
	double *one = bt_array(n, sizeof(*one)), share = 1;
	int *column = bt_array(n, sizeof(*column));
	int r = find_columns(b, f, column, err);

	if (r == BT_OK && (f->ids != NULL) != (b->first.ids != NULL))
		r = bt_error_set(err, BT_EFORMAT,
		                 "it has %sids, unlike the first file",
		                 f->ids != NULL ? "" : "no ");
	if (r == BT_OK && f->rows != b->first.rows)
		r = bt_error_set(err, BT_EFORMAT, "it has %zu rows, not %zu",
		                 f->rows, b->first.rows);
	if (b->o->weights != NULL)
		share =
		    b->o->weights[file] / b->weights * (double)b->o->n_files;
	for (i = 0; i < b->first.rows && r == BT_OK; i++) {
		r = find_row(b, f, i, &row, err);
		if (r != BT_OK)
			break;
		memset(one, 0, n * sizeof(*one));
		b->task->answer->add(f->value + row * n, column, (int)n, one);
		for (k = 0; k < n; k++)
			b->sum[i * n + k] += share * one[k];
	}
	free(one);
	free(column);
	return r;
}

static int read_file(const struct blend *b, const char *path,
                     const struct bt_labels *known,
                     struct bt_prediction_file *f, struct bt_error *err)
{
	int r;

	*f = (struct bt_prediction_file){.logits = true};
	r = bt_prediction_file_read(path, b->task, known, f, err);
	if (r == BT_OK && f->labels.n == 0)
		r = bt_error_hint(
		    err, BT_HINT_PROBA,
		    bt_error_set(err, BT_EFORMAT,
		                 "predictions %s: it has labels without "
		                 "probabilities",
		                 f->name));
	return r == BT_OK && b->o->ranks ? make_ranks(b, f, err) : r;
}

static int read_first(struct blend *b, struct bt_error *err)
{
	const char *path = b->o->files[0];
	const struct bt_labels none = {0};
	int r = BT_OK;

	b->task = b->o->task;
	if (b->task == NULL)
		r = bt_prediction_file_task(path, &bt_task_classification,
		                            &b->task, err);
	if (r == BT_OK && b->task == NULL)
		return bt_error_hint(
		    err, BT_HINT_PREDICTIONS_TASK,
		    bt_error_set(err, BT_EFORMAT,
		                 "the first file of predictions, '%s', does "
		                 "not say that they are of classes, labels or "
		                 "numbers, as their tensor streams do",
		                 path));
	return r == BT_OK ? read_file(b, path, &none, &b->first, err) : r;
}

static int read_all(struct blend *b, struct bt_error *err)
{
	struct bt_prediction_file more;
	size_t i;
	int r = read_first(b, err);

	if (r != BT_OK)
		return r;
	b->sum = bt_array0(b->first.rows * width(b), sizeof(*b->sum));
	if (b->sum == NULL)
		return bt_error_nomem(err, "averaging predictions");
	for (i = 0; b->o->weights != NULL && i < b->o->n_files; i++)
		b->weights += b->o->weights[i];
	r = add_rows(b, &b->first, 0, err);
	for (i = 1; i < b->o->n_files && r == BT_OK; i++) {
		r = read_file(b, b->o->files[i], &b->first.labels, &more, err);
		if (r == BT_OK && (r = add_rows(b, &more, i, err)) != BT_OK)
			bt_error_prefix(err, "predictions %s", more.name);
		bt_prediction_file_clear(&more);
	}
	return r;
}

static int write_all(const struct blend *b, struct bt_out *out,
                     struct bt_error *err)
{
	struct bt_predict_opts o = b->o->labels;
	size_t i, k, n = width(b);
	float *mean = bt_array(n, sizeof(*mean));
	struct bt_predict *p = NULL;
	struct bt_span id = {NULL, 0};
	int r;

	o.form = b->task->answer;
	o.log = b->o->log;
	r = bt_predict_new(&o, &b->first.labels, out, &p, err);
	for (i = 0; i < b->first.rows && r == BT_OK; i++) {
		if (b->first.ids != NULL)
			id = bt_string_set_get(b->first.ids, i);
		for (k = 0; k < n; k++)
			mean[k] =
			    o.form->mean(b->sum[i * n + k], b->o->n_files);
		r = bt_predict_add(p, i, id, mean, err);
	}
	if (r == BT_OK)
		r = bt_predict_finish(p, err);
	if (r == BT_OK)
		bt_predict_tell(p, b->o->log);
	bt_predict_free(p);
	free(mean);
	return r;
}

int bt_blend(const struct bt_blend_opts *o, struct bt_error *err)
{
	struct blend b = {.o = o};
	struct bt_out *out = NULL;
	int r = read_all(&b, err);

	if (r == BT_OK)
		r = bt_out_open(o->output,
		                o->labels.format == BT_PREDICT_TFRECORD
		                    ? BT_OUT_RECORDS
		                    : BT_OUT_TEXT,
		                &out, err);
	if (r == BT_OK)
		r = bt_out_end(out, write_all(&b, out, err), err);
	bt_prediction_file_clear(&b.first);
	free(b.sum);
	return r;
}
