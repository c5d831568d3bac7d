/* SPDX-License-Identifier: MIT */
#include "predict/questions.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int bt_questions_init(struct bt_questions *q, const struct bt_spans_opts *o,
                      bt_question_fn *fn, void *ctx, struct bt_error *err)
{
	memset(q, 0, sizeof(*q));
	q->fn = fn;
	q->ctx = ctx;
	q->windows.join = BT_WINDOWS_FIRST;
	return bt_spans_init(&q->spans, o, err);
}

void bt_questions_clear(struct bt_questions *q)
{
	bt_spans_clear(&q->spans);
	bt_windows_clear(&q->windows);
	bt_buf_clear(&q->payloads);
	bt_buf_clear(&q->first);
	free(q->end);
	free(q->number);
	bt_token_rec_clear(&q->window);
	bt_token_rec_clear(&q->rec);
}

int bt_questions_look(void *questions, size_t k, uint64_t number,
                      const void *data, size_t len, struct bt_error *err)
{
	struct bt_questions *q = questions;

	if (k == 0)
		bt_buf_reset(&q->payloads);
	bt_buf_put(&q->payloads, data, len);
	if (q->payloads.oom ||
	    bt_grow(&q->end, &q->end_cap, k + 1, sizeof(*q->end)) ||
	    bt_grow(&q->number, &q->number_cap, k + 1, sizeof(*q->number)))
		return bt_error_nomem(err, "reading a record");
	q->end[k] = q->payloads.len;
	q->number[k] = number;
	return BT_OK;
}

static int blame(uint64_t number, struct bt_error *err)
{
	return bt_error_prefix(err, "record %llu", (unsigned long long)number);
}

int bt_questions_finish(struct bt_questions *q, struct bt_error *err)
{
	int r;

	if (!q->within)
		return BT_OK;
	q->within = false;
	r = bt_token_rec_read(q->first.data, q->first.len, &q->rec, err);
	if (r == BT_OK)
		r = q->fn(q->ctx, q->n++, &q->rec, &q->spans, err);
	return r == BT_OK ? BT_OK : blame(q->begun_by, err);
}

/* The question that a payload is the first window of. */
static int begin(struct bt_questions *q, const char *data, size_t len,
                 uint64_t number, struct bt_error *err)
{
	bt_spans_begin(&q->spans);
	q->within = true;
	q->begun_by = number;
	bt_buf_reset(&q->first);
	bt_buf_put(&q->first, data, len);
	return q->first.oom ? bt_error_nomem(err, "reading a record") : BT_OK;
}

/* Whether the window is such as answers can be found in. */
static int check(const struct bt_token_rec *window, size_t n,
                 struct bt_error *err)
{
	if (!window->has_places)
		return bt_error_hint(
		    err, BT_HINT_TASK_QUESTIONS,
		    bt_error_set(err, BT_EFORMAT,
		                 "has no 'token_starts' to find answers by"));
	if (window->n != n || n == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "has %zu tokens, and the model %zu",
		                    window->n, n);
	return BT_OK;
}

int bt_questions_add(struct bt_questions *q, size_t k, size_t n,
                     const float *logits, struct bt_error *err)
{
	size_t from = k > 0 ? q->end[k - 1] : 0, len = q->end[k] - from;
	const char *data = bt_buf_at(&q->payloads, from);
	int r = bt_token_rec_read(data, len, &q->window, err);

	if (r == BT_OK)
		r = check(&q->window, n, err);
	if (r == BT_OK)
		r = bt_windows_take(&q->windows, &q->window, err);
	if (r < 0)
		return blame(q->number[k], err);
	if (r == 1) {
		r = bt_questions_finish(q, err);
		if (r == BT_OK)
			r = begin(q, data, len, q->number[k], err);
		if (r != BT_OK)
			return r;
	}
	r = bt_spans_add(&q->spans, logits, q->window.ids, q->window.place, n,
	                 err);
	return r == BT_OK ? BT_OK : blame(q->number[k], err);
}
