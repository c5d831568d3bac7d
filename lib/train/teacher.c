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

static int fill(const struct bt_prediction_file *f, const struct bt_task *task,
                const int *column, const struct bt_dataset *d, double t,
                float *rows, struct bt_error *err)
{
	size_t n = (size_t)f->labels.n, i, k, at;
	double *x = bt_array(n, sizeof(*x));
	int r = x != NULL ? BT_OK : bt_error_nomem(err, "reading predictions");

	for (i = 0; i < d->n && r == BT_OK; i++, rows += n) {
		r = find_row(f, bt_dataset_id(d, i), &at, err);
		for (k = 0; k < n && r == BT_OK; k++) {
			x[k] = (double)f->value[at * n + (size_t)column[k]];
			rows[k] = (float)(task->answer->is_number
			                      ? x[k]
			                      : 1 / (1 + exp(-x[k] / t)));
		}
		if (r != BT_OK || task->answer->is_number ||
		    task->answer->is_set)
			continue;
		r = soften(x, n, t, rows, err);
		if (r != BT_OK)
			bt_error_prefix(err, "row %zu", at + 1);
	}
	free(x);
	return r;
}

int bt_teacher_read(const char *path, const struct bt_task *task,
                    const struct bt_labels *l, const struct bt_dataset *d,
                    double t, float **res, uint32_t *crc, struct bt_error *err)
{
	struct bt_prediction_file f = {.logits = true};
	size_t n = (size_t)l->n, values;
	float *rows = NULL;
	int *column, r;

	r = bt_prediction_file_read(path, task, l, &f, err);
	if (r != BT_OK)
		return r;
	column = bt_array(n, sizeof(*column));
	if (bt_size_mul(d->n, n, &values))
		rows = bt_array(values, sizeof(*rows));
	if (column == NULL || rows == NULL)
		r = bt_error_nomem(err, "reading the teacher's predictions");
	if (r == BT_OK && ((r = find_columns(&f, l, column, err)) ||
	                   (r = fill(&f, task, column, d, t, rows, err))))
		bt_error_prefix(err, "teacher %s", f.name);
	if (r == BT_OK) {
		*crc = bt_crc32c(0, rows, values * sizeof(*rows));
		*res = rows;
		rows = NULL;
	}
	free(rows);
	free(column);
	bt_prediction_file_clear(&f);
	return r;
}
