/* SPDX-License-Identifier: MIT */
#include "task/sample.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/set.h"

struct bt_sample {
	char *name; /* of the file, for messages */
	const struct bt_labels *labels;
	struct bt_buf header; /* as it is to be written */
	struct bt_set *ids;   /* in the sample's order */
	int *column;          /* [columns] class of each; NULL: the label */
	size_t columns;       /* answers of a row */
	int32_t *label;       /* [ids]; -1: not yet answered */
	float *value;         /* [ids, columns] probabilities */
};

void bt_sample_free(struct bt_sample *s)
{
	if (s == NULL)
		return;
	free(s->name);
	bt_buf_clear(&s->header);
	bt_set_free(s->ids);
	free(s->column);
	free(s->label);
	free(s->value);
	free(s);
}

/* Which class each column but the first stands for. */
static int read_columns(struct bt_sample *s, const struct bt_csv *csv,
                        bool proba, struct bt_error *err)
{
	const struct bt_span *names = bt_csv_names(csv);
	size_t n = bt_csv_width(csv), i;

	if (n < 2)
		return bt_error_set(err, BT_EFORMAT,
		                    "%s has %zu columns, a submission at least "
		                    "two",
		                    s->name, n);
	s->columns = n - 1;
	for (i = 0; i < n; i++) {
		if (i > 0)
			bt_buf_putc(&s->header, ',');
		bt_csv_put(&s->header, names[i], ',');
	}
	bt_buf_putc(&s->header, '\n');
	if (n == 2 && !proba)
		return BT_OK;
	s->column = bt_array(n, sizeof(*s->column));
	if (s->column == NULL)
		return bt_error_nomem(err, "reading the sample");
	for (i = 1; i < n; i++) {
		s->column[i - 1] = bt_labels_find(s->labels, names[i]);
		if (s->column[i - 1] < 0 && n == 2 && s->labels->n == 2)
			s->column[0] = 1;
		if (s->column[i - 1] < 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "column '%.*s' of %s is none of "
			                    "the model's %d labels",
			                    (int)names[i].n, names[i].p,
			                    s->name, s->labels->n);
	}
	return BT_OK;
}

static int read_ids(struct bt_sample *s, struct bt_csv *csv,
                    struct bt_error *err)
{
	const struct bt_span *f;
	size_t before, i;
	int r;

	while ((r = bt_csv_next(csv, &f, err)) == 1) {
		before = bt_set_count(s->ids);
		if (bt_set_add(s->ids, f[0], NULL) != BT_OK)
			return bt_error_nomem(err, "reading the sample");
		if (bt_set_count(s->ids) > before)
			continue;
		bt_error_set(err, BT_EFORMAT, "id '%.*s' stands there twice",
		             (int)f[0].n, f[0].p);
		bt_csv_blame(csv, err);
		return bt_error_prefix(err, "%s", s->name);
	}
	if (r < 0)
		return bt_error_prefix(err, "cannot read %s", s->name);
	s->label = bt_array(bt_set_count(s->ids), sizeof(*s->label));
	s->value = bt_array(bt_set_count(s->ids) *
	                        (s->column != NULL ? s->columns : 0),
	                    sizeof(*s->value));
	if (s->label == NULL || s->value == NULL)
		return bt_error_nomem(err, "reading the sample");
	for (i = 0; i < bt_set_count(s->ids); i++)
		s->label[i] = -1;
	return BT_OK;
}

int bt_sample_open(const char *path, bool proba, const struct bt_labels *labels,
                   struct bt_sample **res, struct bt_error *err)
{
	struct bt_csv_opts opts = BT_CSV_OPTS_INIT;
	struct bt_sample *s = bt_array0(1, sizeof(*s));
	struct bt_csv *csv;
	int r;

	if (s == NULL)
		return bt_error_nomem(err, "reading the sample");
	s->labels = labels;
	s->ids = bt_set_new();
	r = bt_csv_open(path, &opts, &csv, err);
	if (r != BT_OK) {
		bt_sample_free(s);
		return r;
	}
	s->name = bt_strndup(bt_csv_name(csv), strlen(bt_csv_name(csv)));
	if (s->ids == NULL || s->name == NULL)
		r = bt_error_nomem(err, "reading the sample");
	if (r == BT_OK)
		r = read_columns(s, csv, proba, err);
	if (r == BT_OK)
		r = read_ids(s, csv, err);
	bt_csv_close(csv);
	if (r != BT_OK) {
		bt_sample_free(s);
		return r;
	}
	*res = s;
	return BT_OK;
}

int bt_sample_set(struct bt_sample *s, struct bt_span id, int label,
                  const double *p, struct bt_error *err)
{
	size_t i, k;

	if (!bt_set_find(s->ids, id, &i))
		return bt_error_set(err, BT_EFORMAT,
		                    "there is a prediction for id '%.*s', "
		                    "which %s does not list",
		                    (int)id.n, id.p, s->name);
	if (s->label[i] >= 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "there are two predictions for id '%.*s'",
		                    (int)id.n, id.p);
	s->label[i] = label;
	for (k = 0; s->column != NULL && k < s->columns; k++)
		s->value[i * s->columns + k] = (float)p[s->column[k]];
	return BT_OK;
}

/* All ids must have their answer. */
static int check_complete(const struct bt_sample *s, struct bt_error *err)
{
	size_t n = bt_set_count(s->ids), i, missing = 0, first = 0;
	struct bt_span id;

	for (i = n; i-- > 0;)
		if (s->label[i] < 0) {
			missing++;
			first = i;
		}
	if (missing == 0)
		return BT_OK;
	id = bt_set_get(s->ids, first);
	return bt_error_set(err, BT_EFORMAT,
	                    "%zu of the %zu ids in %s have no prediction (the "
	                    "first is '%.*s')",
	                    missing, n, s->name, (int)id.n, id.p);
}

static void put_row(const struct bt_sample *s, size_t i, struct bt_buf *b)
{
	char number[32];
	size_t k;

	bt_csv_put(b, bt_set_get(s->ids, i), ',');
	if (s->column == NULL) {
		bt_buf_putc(b, ',');
		bt_csv_put(b, bt_span(s->labels->name[s->label[i]]), ',');
	}
	for (k = 0; s->column != NULL && k < s->columns; k++) {
		bt_format_f32(number, sizeof(number),
		              s->value[i * s->columns + k]);
		bt_buf_printf(b, ",%s", number);
	}
	bt_buf_putc(b, '\n');
}

int bt_sample_write(const struct bt_sample *s, struct bt_out *out,
                    struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i;
	int r = check_complete(s, err);

	if (r == BT_OK)
		r = bt_out_write(out, s->header.data, s->header.len, err);
	for (i = 0; i < bt_set_count(s->ids) && r == BT_OK; i++) {
		bt_buf_reset(&b);
		put_row(s, i, &b);
		r = b.oom ? bt_error_nomem(err, "printing")
		          : bt_out_write(out, b.data, b.len, err);
	}
	bt_buf_clear(&b);
	return r;
}
