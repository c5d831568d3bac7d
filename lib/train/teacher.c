/* SPDX-License-Identifier: MIT */
#include "train/teacher.h"

#include <math.h>
#include <stdlib.h>

#include "base/crc32c.h"
#include "base/mem.h"
#include "evaluate/prediction_file.h"

/* softmax(x / t) */
static int soften(const double *x, size_t n, double t, float *out,
                  struct bt_error *err)
{
	double max = -INFINITY, sum = 0;
	size_t k;

	for (k = 0; k < n; k++)
		max = fmax(max, x[k]);
	if (!isfinite(max))
		return bt_error_set(err, BT_EFORMAT, "all probabilities are 0");
	for (k = 0; k < n; k++)
		sum += exp((x[k] - max) / t);
	for (k = 0; k < n; k++)
		out[k] = (float)(exp((x[k] - max) / t) / sum);
	return BT_OK;
}

/* The file's column of each label. */
static int find_columns(const struct bt_prediction_file *f,
                        const struct bt_labels *l, int *column,
                        struct bt_error *err)
{
	int k;

	if (f->labels.n == 0)
		return bt_error_hint(err, BT_HINT_PROBA,
		                     bt_error_set(err, BT_EFORMAT,
		                                  "labels alone, without "
		                                  "probabilities"));
	if (f->labels.n != l->n)
		return bt_error_set(err, BT_EFORMAT,
		                    "outputs for %d labels, but the model has "
		                    "%d",
		                    f->labels.n, l->n);
	for (k = 0; k < l->n; k++) {
		column[k] = bt_labels_find(&f->labels, bt_span(l->name[k]));
		if (column[k] < 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "no output is for the model's "
			                    "label '%.100s'",
			                    l->name[k]);
	}
	if (f->ids == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "rows have no ids to match them by");
	return BT_OK;
}

/* The row of an example. */
static int find_row(const struct bt_prediction_file *f, struct bt_span id,
                    size_t *at, struct bt_error *err)
{
	if (id.p == NULL)
		return bt_error_hint(
		    err, BT_HINT_NUMBER_ROWS,
		    bt_error_set(err, BT_EFORMAT,
		                 "training records without ids match no rows"));
	if (bt_string_set_find(f->ids, id, at))
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "no row has the id '%.*s' of a training record",
	                    (int)(id.n < 60 ? id.n : 60), id.p);
}

/* What is read, and what is made of it. */
struct teaching {
	const struct bt_prediction_file *f;
	const struct bt_task *task;
	const struct bt_dataset *d;
	size_t n; /* labels */
	const int *column, *inside;
	double t;  /* temperature */
	double *x; /* [n] */
};

/* The file's row, at the temperature. */
static int make_row(const struct teaching *a, size_t at, float *row,
                    struct bt_error *err)
{
	bool number = a->task->answer->is_number;
	double *x = a->x;
	size_t k;
	int r;

	for (k = 0; k < a->n; k++) {
		x[k] = (double)a->f->value[at * a->n + (size_t)a->column[k]];
		row[k] = (float)(number ? x[k] : 1 / (1 + exp(-x[k] / a->t)));
	}
	if (number || a->task->answer->is_set)
		return BT_OK;
	r = soften(x, a->n, a->t, row, err);
	return r == BT_OK ? r : bt_error_prefix(err, "row %zu", at + 1);
}

static int fill(const struct teaching *a, float *rows, struct bt_error *err)
{
	size_t i, at;
	int r = BT_OK;

	for (i = 0; i < a->d->n && r == BT_OK; i++, rows += a->n) {
		r = find_row(a->f, bt_dataset_id(a->d, i), &at, err);
		if (r == BT_OK)
			r = make_row(a, at, rows, err);
	}
	return r;
}

/* A further token of a word goes on with what the word begins. */
static void continue_tags(const struct teaching *a, float *row)
{
	size_t k;

	for (k = 0; k < a->n; k++)
		if ((size_t)a->inside[k] != k) {
			row[a->inside[k]] += row[k];
			row[k] = 0;
		}
}

/* Rows of an example's tokens, of which the first word is number *word of
 * `words`, from row `first` of the file on. */
static int fill_tokens(const struct teaching *a, size_t i, size_t first,
                       size_t words, size_t *word, float *rows,
                       struct bt_error *err)
{
	uint64_t at;
	int32_t label;
	int r = BT_OK;

	for (at = a->d->start[i]; at < a->d->start[i + 1] && r == BT_OK; at++) {
		label = a->d->token_label[at];
		*word += bt_token_begins(label);
		if (*word > words)
			break;
		if (bt_token_learns(label) >= 0)
			r = make_row(a, first + *word - 1, rows + at * a->n,
			             err);
		if (r == BT_OK && label <= BT_TOKEN_FURTHER(0))
			continue_tags(a, rows + at * a->n);
	}
	return r;
}

/* A text is an example, or several that are its windows, which have its words
 * in order. */
static int fill_words(const struct teaching *a, float *rows,
                      struct bt_error *err)
{
	const struct bt_dataset *d = a->d;
	size_t i, text = 0, word = 0, words = 0;
	struct bt_span id = {NULL, 0};
	int r = BT_OK;

	for (i = 0; i < d->n && r == BT_OK; i++) {
		if (d->continues[i] != BT_CONTINUES_TEXT) {
			id = bt_dataset_id(d, i);
			r = find_row(a->f, id, &text, err);
			if (r != BT_OK)
				return r;
			words = a->f->first[text + 1] - a->f->first[text];
			word = 0;
		}
		r = fill_tokens(a, i, a->f->first[text], words, &word, rows,
		                err);
		if (r == BT_OK && word != words &&
		    (word > words || i + 1 == d->n ||
		     d->continues[i + 1] != BT_CONTINUES_TEXT))
			r = bt_error_set(err, BT_EFORMAT,
			                 "%zu rows are of words of the text "
			                 "'%.*s', of which the training "
			                 "records hold %s%zu words",
			                 words, (int)(id.n < 60 ? id.n : 60),
			                 id.p, word > words ? "at least " : "",
			                 word);
	}
	return r;
}

size_t bt_teacher_rows(const struct bt_dataset *d)
{
	return d->token_label != NULL ? (size_t)d->start[d->n] : d->n;
}

/* Makes all rows of what was read. */
static int teach(const struct bt_prediction_file *f, const struct bt_task *task,
                 const struct bt_labels *l, const struct bt_dataset *d,
                 double t, float *rows, struct bt_error *err)
{
	size_t n = (size_t)l->n;
	int *column = bt_array(n, sizeof(*column)), *inside, r;
	double *x = bt_array(n, sizeof(*x));

	inside = bt_dataset_inside(l);
	if (column == NULL || inside == NULL || x == NULL)
		r = bt_error_nomem(err, "reading the teacher's predictions");
	else
		r = find_columns(f, l, column, err);
	if (r == BT_OK) {
		const struct teaching a = {f, task, d, n, column, inside, t, x};

		r = d->token_label != NULL ? fill_words(&a, rows, err)
		                           : fill(&a, rows, err);
	}
	free(column);
	free(inside);
	free(x);
	return r == BT_OK ? r : bt_error_prefix(err, "teacher %s", f->name);
}

int bt_teacher_read(const char *path, const struct bt_task *task,
                    const struct bt_labels *l, const struct bt_dataset *d,
                    double t, float **res, uint32_t *crc, struct bt_error *err)
{
	struct bt_prediction_file f = {.logits = true};
	size_t values;
	float *rows = NULL;
	int r = bt_prediction_file_read(path, task, l, &f, err);

	if (r != BT_OK)
		return r;
	if (bt_size_mul(bt_teacher_rows(d), (size_t)l->n, &values))
		rows = bt_array0(values, sizeof(*rows));
	if (rows == NULL || bt_teacher_rows(d) > UINT32_MAX)
		r = bt_error_nomem(err, "reading the teacher's predictions");
	else
		r = teach(&f, task, l, d, t, rows, err);
	if (r == BT_OK) {
		*crc = bt_crc32c(0, rows, values * sizeof(*rows));
		*res = rows;
		rows = NULL;
	}
	free(rows);
	bt_prediction_file_clear(&f);
	return r;
}
