/* SPDX-License-Identifier: MIT */
#include "recordset/stats.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	struct lengths text, words, tokens;
	uint64_t questions, answered, no_answer;
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
	struct bt_feature labels, words, tags, question, context, answers;
	struct bt_span a, b;
	bool has_id, has_mask, has_ids;
	int64_t id, window;
	size_t ids;
	uint64_t mask;
};

static int look_texts(const struct bt_feature *f, struct found *x,
                      struct bt_error *err)
{
	static const struct {
		const char *name;
		size_t offset; /* in struct found */
	} lists[] = {{"label", offsetof(struct found, labels)},
	             {"words", offsetof(struct found, words)},
	             {"tags", offsetof(struct found, tags)},
	             {"question", offsetof(struct found, question)},
	             {"context", offsetof(struct found, context)},
	             {"answers", offsetof(struct found, answers)}};
	size_t i;

	if (bt_feature_is(f, "text_a"))
		return bt_feature_text(f, &x->a.p, &x->a.n, err);
	if (bt_feature_is(f, "text_b"))
		return bt_feature_text(f, &x->b.p, &x->b.n, err);
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (bt_feature_is(f, lists[i].name)) {
			memcpy((char *)x + lists[i].offset, f, sizeof(*f));
			break;
		}
	return BT_OK;
}

/* How many of the mask are not 0. */
static int look_mask(struct bt_recstats *s, const struct bt_feature *f,
                     struct found *x, struct bt_error *err)
{
	size_t n, i;
	int r = bt_feature_int64s(f, NULL, 0, &n, err);

	if (r == BT_OK &&
	    bt_grow(&s->scratch, &s->scratch_cap, n, sizeof(*s->scratch)))
		r = bt_error_nomem(err, "reading a feature");
	if (r == BT_OK)
		r = bt_feature_int64s(f, s->scratch, n, &n, err);
	x->has_mask = true;
	for (i = 0; r == BT_OK && i < n; i++)
		x->mask += s->scratch[i] != 0;
	return r;
}

static int look(struct bt_recstats *s, const struct bt_feature *f,
                struct found *x, struct bt_error *err)
{
	size_t n;
	int r = BT_OK;

	if (f->kind == BT_FEATURE_BYTES)
		return look_texts(f, x, err);
	if (f->kind != BT_FEATURE_INT64)
		return BT_OK;
	if (bt_feature_is(f, "label_ids")) {
		r = bt_feature_int64s(f, &x->id, 1, &n, err);
		x->has_id = r == BT_OK && n == 1;
	} else if (bt_feature_is(f, "input_ids")) {
		r = bt_feature_int64s(f, NULL, 0, &x->ids, err);
		x->has_ids = true;
	} else if (bt_feature_is(f, "input_mask")) {
		r = look_mask(s, f, x, err);
	} else if (bt_feature_is(f, "window")) {
		r = bt_feature_int64s(f, &x->window, 1, &n, err);
	}
	return r;
}

/* Adds the label of each text of a list, and their number to *n. */
static int add_all(struct bt_recstats *s, const struct bt_feature *list,
                   size_t *n, struct bt_error *err)
{
	struct bt_pb at = list->list;
	struct bt_span v;
	int r;

	while ((r = bt_feature_next_text(list, &at, &v.p, &v.n, err)) == 1) {
		r = add_label(s, v, err);
		if (r != BT_OK)
			return r;
		(*n)++;
	}
	return r;
}

/* The texts of the labels, or the number of one that has none. */
static int add_labels(struct bt_recstats *s, const struct found *x,
                      struct bt_error *err)
{
	char number[24];
	size_t n = 0;
	int r = BT_OK;

	if (x->labels.name != NULL) {
		r = add_all(s, &x->labels, &n, err);
	} else if (x->has_id) {
		snprintf(number, sizeof(number), "%" PRId64, x->id);
		return add_label(s, bt_span(number), err);
	}
	s->unlabelled += n == 0;
	return r;
}

static int count_texts(const struct bt_feature *list, size_t *n,
                       struct bt_error *err)
{
	struct bt_pb at = list->list;
	struct bt_span v;
	int r;

	*n = 0;
	while ((r = bt_feature_next_text(list, &at, &v.p, &v.n, err)) == 1)
		(*n)++;
	return r;
}

static int add_words(struct bt_recstats *s, const struct found *x,
                     struct bt_error *err)
{
	size_t n;
	int r = count_texts(&x->words, &n, err);

	if (r != BT_OK)
		return r;
	add_length(&s->words, n, s->records);
	s->unlabelled += x->tags.name == NULL;
	return x->tags.name != NULL ? add_all(s, &x->tags, &n, err) : BT_OK;
}

static int add_question(struct bt_recstats *s, const struct found *x,
                        struct bt_error *err)
{
	struct bt_span question, context;
	size_t n = 0;
	int r = bt_feature_text(&x->question, &question.p, &question.n, err);

	if (r == BT_OK)
		r = bt_feature_text(&x->context, &context.p, &context.n, err);
	if (r == BT_OK && x->answers.name != NULL)
		r = count_texts(&x->answers, &n, err);
	if (r != BT_OK)
		return r;
	add_length(&s->text, (uint64_t)question.n + context.n, s->records);
	s->questions++;
	s->answered += n > 0;
	s->no_answer += n == 0 && x->answers.name != NULL;
	return BT_OK;
}

/* What the record's text is, of which there are further windows. */
static int add_content(struct bt_recstats *s, const struct found *x,
                       struct bt_error *err)
{
	bool words = x->a.p == NULL && x->words.name != NULL;
	bool question = x->a.p == NULL && x->question.name != NULL &&
	                x->context.name != NULL;

	if (!words && !question)
		return add_labels(s, x, err);
	if (x->window > 0)
		return BT_OK;
	return words ? add_words(s, x, err) : add_question(s, x, err);
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
	return add_content(s, &x, err);
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
	bt_buf_printf(out, "\n%s: %zu, records without one: %" PRIu64 "\n",
	              s->words.n > 0 ? "tags" : "labels", n, s->unlabelled);
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
	if (s->questions > 0)
		bt_buf_printf(out,
		              "\nquestions: %" PRIu64 ", answered: %" PRIu64
		              ", without an answer: %" PRIu64 "\n",
		              s->questions, s->answered, s->no_answer);
	report_lengths(&s->words, "words", "words", out);
	report_lengths(&s->text, "texts", "bytes", out);
	report_lengths(&s->tokens, "tokens", "tokens", out);
	if (r == BT_OK && out->oom)
		r = bt_error_nomem(err, "writing statistics");
	return r;
}
