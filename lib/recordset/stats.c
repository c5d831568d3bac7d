/* SPDX-License-Identifier: MIT */
#include "recordset/stats.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/string_set.h"
#include "format/escape.h"
#include "format/tf_example.h"

/* Class 0 is length 0, class k lengths 2^(k-1) .. 2^k - 1. */
#define CLASSES 34

struct lengths {
	uint64_t n, sum, min, max, longest; /* longest: record, from 1 */
	uint64_t classes[CLASSES];
};

struct bt_recstats {
	uint64_t records, bytes, unlabelled;
	struct bt_string_set *labels;
	uint64_t *counts; /* of each label */
	size_t counts_cap;
	struct lengths text, tokens;
	int64_t *scratch;
	size_t scratch_cap;
};

struct bt_recstats *bt_recstats_new(void)
{
	struct bt_recstats *s = bt_array0(1, sizeof(*s));

	s->labels = bt_string_set_new();
	return s;
}

void bt_recstats_free(struct bt_recstats *s)
{
	if (s == NULL)
		return;
	bt_string_set_free(s->labels);
	free(s->counts);
	free(s->scratch);
	free(s);
}

static void add_length(struct lengths *l, uint64_t n, uint64_t record)
{
	int k = 0;

	if (l->n == 0 || n < l->min)
		l->min = n;
	if (l->n == 0 || n > l->max) {
		l->max = n;
		l->longest = record;
	}
	l->n++;
	l->sum += n;
	while (k < CLASSES - 1 && n >> k != 0)
		k++;
	l->classes[k]++;
}

static int add_label(struct bt_recstats *s, struct bt_span label,
                     struct bt_error *err)
{
	size_t before = bt_string_set_count(s->labels), i;

	if (bt_string_set_add(s->labels, label, &i) != BT_OK ||
	    bt_grow(&s->counts, &s->counts_cap, i + 1, sizeof(*s->counts)) !=
	        BT_OK)
		return bt_error_nomem(err, "counting labels");
	if (i == before)
		s->counts[i] = 0;
	s->counts[i]++;
	return BT_OK;
}

/* What one record says. */
struct found {
	struct bt_feature labels;
	struct bt_span a, b;
	bool has_id, has_mask, has_ids;
	int64_t id;
	size_t ids;
	uint64_t mask;
};

static int look(struct bt_recstats *s, const struct bt_feature *f,
                struct found *x, struct bt_error *err)
{
	size_t n, i;
	int r = BT_OK;

	if (f->kind == BT_FEATURE_BYTES) {
		if (bt_feature_is(f, "label"))
			x->labels = *f;
		else if (bt_feature_is(f, "text_a"))
			r = bt_feature_text(f, &x->a.p, &x->a.n, err);
		else if (bt_feature_is(f, "text_b"))
			r = bt_feature_text(f, &x->b.p, &x->b.n, err);
	} else if (f->kind == BT_FEATURE_INT64) {
		if (bt_feature_is(f, "label_ids")) {
			r = bt_feature_int64s(f, &x->id, 1, &n, err);
			x->has_id = r == BT_OK && n == 1;
		} else if (bt_feature_is(f, "input_ids")) {
			r = bt_feature_int64s(f, NULL, 0, &x->ids, err);
			x->has_ids = true;
		} else if (bt_feature_is(f, "input_mask")) {
			r = bt_feature_int64s(f, NULL, 0, &n, err);
			if (r == BT_OK && bt_grow(&s->scratch, &s->scratch_cap,
			                          n, sizeof(*s->scratch)))
				r = bt_error_nomem(err, "reading a feature");
			if (r == BT_OK)
				r = bt_feature_int64s(f, s->scratch, n, &n,
				                      err);
			x->has_mask = true;
			for (i = 0; r == BT_OK && i < n; i++)
				x->mask += s->scratch[i] != 0;
		}
	}
	return r;
}

/* The texts of the labels, or the number of one that has none. */
static int add_labels(struct bt_recstats *s, const struct found *x,
                      struct bt_error *err)
{
	struct bt_pb at = x->labels.list;
	struct bt_span v;
	char number[24];
	size_t n = 0;
	int r = BT_OK;

	while (x->labels.name != NULL &&
	       (r = bt_feature_next_text(&x->labels, &at, &v.p, &v.n, err)) ==
	           1) {
		r = add_label(s, v, err);
		if (r != BT_OK)
			return r;
		n++;
	}
	if (r == BT_OK && x->labels.name == NULL && x->has_id) {
		snprintf(number, sizeof(number), "%" PRId64, x->id);
		return add_label(s, bt_span(number), err);
	}
	s->unlabelled += n == 0;
	return r;
}

int bt_recstats_add(struct bt_recstats *s, const void *data, size_t len,
                    struct bt_error *err)
{
	struct found x = {.has_id = false};
	struct bt_example in;
	struct bt_feature f;
	int r;

	bt_example_open(&in, data, len);
	while ((r = bt_example_next(&in, &f, err)) == 1) {
		r = look(s, &f, &x, err);
		if (r != BT_OK)
			return r;
	}
	if (r != BT_OK)
		return r;
	s->records++;
	s->bytes += len + 16; /* with its frame */
	if (x.a.p != NULL)
		add_length(&s->text, (uint64_t)x.a.n + x.b.n, s->records);
	if (x.has_ids)
		add_length(&s->tokens, x.has_mask ? x.mask : x.ids, s->records);
	return add_labels(s, &x, err);
}

static void report_lengths(const struct lengths *l, const char *what,
                           const char *unit, struct bt_buf *out)
{
	uint64_t lo, hi;
	int k;

	if (l->n == 0)
		return;
	bt_buf_printf(out,
	              "\n%s: %" PRIu64 " %s in all, mean %.1f, least %" PRIu64
	              ", most %" PRIu64 " (record %" PRIu64 "), empty %" PRIu64
	              "\n",
	              what, l->sum, unit, (double)l->sum / (double)l->n, l->min,
	              l->max, l->longest, l->classes[0]);
	for (k = 0; k < CLASSES; k++) {
		if (l->classes[k] == 0)
			continue;
		lo = k == 0 ? 0 : (uint64_t)1 << (k - 1);
		hi = k == 0 ? 0 : ((uint64_t)1 << k) - 1;
		bt_buf_printf(out, "%10" PRIu64 "  %" PRIu64, l->classes[k],
		              lo);
		if (hi > lo)
			bt_buf_printf(out, "-%" PRIu64, hi);
		bt_buf_printf(out, "\n");
	}
}

/* A label in the order of the report: the most frequent first. */
struct row {
	uint64_t count;
	struct bt_span label;
};

static int by_count(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return bt_span_compare(x->label, y->label);
}

static int report_labels(const struct bt_recstats *s, struct bt_buf *out,
                         struct bt_error *err)
{
	size_t n = bt_string_set_count(s->labels), i;
	struct row *rows;

	if (n == 0)
		return BT_OK;
	rows = bt_array(n, sizeof(*rows));
	if (rows == NULL)
		return bt_error_nomem(err, "counting labels");
	for (i = 0; i < n; i++) {
		rows[i].count = s->counts[i];
		rows[i].label = bt_string_set_get(s->labels, i);
	}
	qsort(rows, n, sizeof(*rows), by_count);
	bt_buf_printf(out, "\nlabels: %zu, records without one: %" PRIu64 "\n",
	              n, s->unlabelled);
	for (i = 0; i < n; i++) {
		bt_buf_printf(out, "%10" PRIu64 "  ", rows[i].count);
		bt_escape(out, rows[i].label, "");
		bt_buf_putc(out, '\n');
	}
	free(rows);
	return BT_OK;
}

int bt_recstats_report(const struct bt_recstats *s, struct bt_buf *out,
                       struct bt_error *err)
{
	int r;

	bt_buf_printf(out, "records: %" PRIu64 ", bytes: %" PRIu64 "\n",
	              s->records, s->bytes);
	r = report_labels(s, out, err);
	report_lengths(&s->text, "texts", "bytes", out);
	report_lengths(&s->tokens, "tokens", "tokens", out);
	if (r == BT_OK && out->oom)
		r = bt_error_nomem(err, "writing statistics");
	return r;
}
