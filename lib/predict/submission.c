/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "predict/submission_int.h"

/* More answers that do not fit are not waited for. */
#define MANY ((size_t)1000)

void bt_submission_free(struct bt_submission *s)
{
	if (s == NULL)
		return;
	free(s->name);
	bt_buf_clear(&s->header);
	bt_buf_clear(&s->ids);
	bt_buf_clear(&s->unknown.names);
	bt_buf_clear(&s->twice.names);
	bt_buf_clear(&s->misplaced.names);
	bt_string_set_free(s->set);
	free(s->id_end);
	free(s->column);
	free(s->label);
	free(s->value);
	free(s);
}

/* Room for the answers. */
static int reserve(struct bt_submission *s, struct bt_error *err)
{
	size_t n, i;

	if (!bt_size_mul(s->rows, s->values, &n))
		return bt_error_nomem(err, "reading the sample");
	s->label = bt_array(s->rows, sizeof(*s->label));
	s->value = bt_array(n, sizeof(*s->value));
	if (s->label == NULL || s->value == NULL)
		return bt_error_nomem(err, "reading the sample");
	for (i = 0; i < s->rows; i++)
		s->label[i] = -1;
	return BT_OK;
}

int bt_submission_open(const struct bt_submission_opts *o,
                       const struct bt_labels *labels,
                       struct bt_submission **res, struct bt_error *err)
{
	struct bt_submission *s = bt_array0(1, sizeof(*s));
	int r;

	s->o = *o;
	s->labels = labels;
	s->set = bt_string_set_new();
	r = bt_submission_read(s, err);
	if (r == BT_OK)
		r = reserve(s, err);
	if (r != BT_OK) {
		bt_submission_free(s);
		return r;
	}
	*res = s;
	return BT_OK;
}

static struct bt_span without_zeros(struct bt_span v)
{
	while (v.n > 1 && *v.p == '0') {
		v.p++;
		v.n--;
	}
	return v;
}

/* A number that the sample lists with other zeros before it, or NULL. */
static bool find_likeness(const struct bt_submission *s, struct bt_span id,
                          struct bt_span *like)
{
	size_t i;

	id = without_zeros(id);
	for (i = 0; i < s->rows; i++) {
		*like = bt_submission_id(s, i);
		if (bt_span_equal(without_zeros(*like), id))
			return true;
	}
	return false;
}

static void note_unknown(struct bt_submission *s, struct bt_span id)
{
	struct bt_span like;

	bt_submission_values_add(&s->unknown, id);
	if (s->unknown.n == 1 && find_likeness(s, id, &like))
		bt_buf_printf(&s->unknown.names, " (it lists '%.*s')",
		              (int)(like.n < 60 ? like.n : 60), like.p);
}

/* What does not match; ids without an answer if all answers are there. */
static int mismatch(struct bt_submission *s, bool all, struct bt_error *err)
{
	struct bt_submission_values missing = {0};
	struct bt_buf b = BT_BUF_INIT;
	size_t i;

	/* one that no prediction fits has other reasons */
	if (s->twice.n == 0 && s->unknown.n + s->extra < s->answers)
		(void)bt_error_hint(err, BT_HINT_SAMPLE_INCOMPLETE, 0);
	for (i = 0; all && i < s->rows; i++)
		if (s->label[i] < 0)
			bt_submission_values_add(&missing,
			                         bt_submission_id(s, i));
	if (s->unknown.n > 0)
		bt_buf_printf(&b,
		              "%zu of %zu predictions are for ids that it "
		              "does not list: %s",
		              s->unknown.n, s->answers,
		              bt_submission_values_str(&s->unknown));
	if (s->twice.n > 0)
		bt_buf_printf(&b, "%s%zu of %zu predictions repeat an id: %s",
		              b.len > 0 ? "; " : "", s->twice.n, s->answers,
		              bt_submission_values_str(&s->twice));
	if (missing.n > 0)
		bt_buf_printf(&b, "%s%zu of its %zu ids have no prediction: %s",
		              b.len > 0 ? "; " : "", missing.n, s->rows,
		              bt_submission_values_str(&missing));
	bt_error_set(err, BT_EFORMAT, "sample %s: %s", s->name, bt_buf_str(&b));
	bt_buf_clear(&missing.names);
	bt_buf_clear(&b);
	return BT_EFORMAT;
}

/* The row that an answer is for; s->rows if there is none. */
static size_t find_row(struct bt_submission *s, struct bt_span id)
{
	size_t row = s->answers - 1, at;

	if (s->o.in_order) {
		if (s->set != NULL && id.p != NULL &&
		    bt_string_set_find(s->set, id, &at) && at != row)
			bt_submission_values_add(&s->misplaced, id);
		return row < s->rows ? row : s->rows;
	}
	if (!bt_string_set_find(s->set, id, &row)) {
		if (s->o.ignore_extra)
			s->extra++;
		else
			note_unknown(s, id);
		return s->rows;
	}
	if (s->label[row] < 0)
		return row;
	bt_submission_values_add(&s->twice, id);
	return s->rows;
}

int bt_submission_set(struct bt_submission *s, struct bt_span id, int label,
                      const double *p, struct bt_error *err)
{
	size_t row, i, k = 0;

	s->answers++;
	row = find_row(s, id);
	if (row == s->rows)
		return s->unknown.n + s->twice.n < MANY
		           ? BT_OK
		           : mismatch(s, false, err);
	s->label[row] = label;
	for (i = 0; i < s->width; i++)
		if (s->column[i] >= 0)
			s->value[row * s->values + k++] =
			    (float)p[s->column[i]];
	return BT_OK;
}

static int check_complete(struct bt_submission *s, struct bt_error *err)
{
	size_t empty = 0, i;

	if (s->o.in_order && s->answers != s->rows)
		return bt_error_set(err, BT_EFORMAT,
		                    "sample %s has %zu rows, and there are %zu "
		                    "predictions to fill them in order",
		                    s->name, s->rows, s->answers);
	if (s->misplaced.n > 0)
		return bt_error_hint(
		    err, BT_HINT_SAMPLE_BY_ID,
		    bt_error_set(
		        err, BT_EFORMAT,
		        "sample %s: the records are in another order: %zu of "
		        "%zu have the id of another row: %s",
		        s->name, s->misplaced.n, s->answers,
		        bt_submission_values_str(&s->misplaced)));
	for (i = 0; i < s->rows; i++)
		empty += s->label[i] < 0;
	if (s->unknown.n + s->twice.n > 0 || empty == s->rows ||
	    (empty > 0 && s->o.missing == NULL))
		return mismatch(s, true, err);
	if (empty > 0)
		bt_log_warn(
		    s->o.log, "ids-without-prediction", BT_HINT_NONE,
		    "%zu of the %zu ids of sample %s have no prediction and "
		    "get '%s'",
		    empty, s->rows, s->name, s->o.missing);
	if (s->extra > 0)
		bt_log_warn(
		    s->o.log, "predictions-without-id", BT_HINT_NONE,
		    "%zu of %zu predictions are for ids that sample %s does "
		    "not list: they are left out",
		    s->extra, s->answers, s->name);
	return BT_OK;
}

bool bt_submission_takes_label(const struct bt_submission *s)
{
	size_t i;

	for (i = 0; s != NULL && i < s->width; i++)
		if (s->column[i] == BT_SUBMISSION_LABEL)
			return true;
	return false;
}

static void put_row(const struct bt_submission *s, size_t row, struct bt_buf *b)
{
	const struct bt_labels *l = s->o.texts != NULL ? s->o.texts : s->labels;
	const float *value = s->value + row * s->values;
	char number[32];
	size_t i;

	for (i = 0; i < s->width; i++) {
		if (i > 0)
			bt_buf_putc(b, s->delimiter);
		if (s->column[i] == BT_SUBMISSION_ID) {
			bt_csv_put(b, bt_submission_id(s, row), s->delimiter);
		} else if (s->label[row] < 0) {
			bt_csv_put(b, bt_span(s->o.missing), s->delimiter);
		} else if (s->column[i] == BT_SUBMISSION_LABEL) {
			bt_csv_put(b, bt_span(l->name[s->label[row]]),
			           s->delimiter);
		} else {
			bt_format_f32(number, sizeof(number), *value++);
			bt_buf_puts(b, number);
		}
	}
	bt_buf_putc(b, '\n');
}

int bt_submission_write(struct bt_submission *s, struct bt_out *out,
                        struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i;
	int r = check_complete(s, err);

	if (r == BT_OK && s->header.oom)
		r = bt_error_nomem(err, "reading the sample");
	if (r == BT_OK)
		r = bt_out_write(out, s->header.data, s->header.len, err);
	for (i = 0; i < s->rows && r == BT_OK; i++) {
		bt_buf_reset(&b);
		put_row(s, i, &b);
		r = b.oom ? bt_error_nomem(err, "printing")
		          : bt_out_write(out, b.data, b.len, err);
	}
	bt_buf_clear(&b);
	return r;
}
