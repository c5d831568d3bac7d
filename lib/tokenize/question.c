/* SPDX-License-Identifier: MIT */
/*
 * A question and the context that answers it: the question, which is never
 * divided, stands before each window of the context. Windows, and which tokens
 * are the answer, are as in transformers' run_qa example; which window shows
 * most around a token is as in BERT's run_squad.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "record/windows.h"
#include "tokenize/job_int.h"

void bt_tokenize_question_clear(struct bt_tokenize_question *q)
{
	free(q->place);
}

/* White space of Python's str.strip. */
static bool is_space(uint32_t c)
{
	return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) ||
	       c == 0x85 || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
	       c == 0x202f || c == 0x205f || c == 0x3000;
}

/* Without white space at its beginning, of which byte-level BPE would make a
 * part of the first word. s is UTF-8 up to its first 16 bytes of it. */
static struct bt_span strip(struct bt_span s)
{
	const uint8_t *p = (const uint8_t *)s.p;
	unsigned k;

	while (s.n > 0) {
		k = bt_utf8_len(*p);
		if (k > s.n || !is_space(bt_utf8_get(p)))
			break;
		p += k;
		s.n -= k;
	}
	s.p = (const char *)p;
	return s;
}

/* Where the first answer stands in the context, in code points. */
static int find_answer(const struct bt_question *from,
                       struct bt_tokenize_question *q, struct bt_error *err)
{
	struct bt_pb at = from->answers.list;
	struct bt_span answer, c = from->context;
	struct bt_cursor place = {0, 0};
	size_t n;
	int r;

	q->has_answer = q->found = false;
	if (from->answers.name == NULL)
		return BT_OK;
	r = bt_feature_next_text(&from->answers, &at, &answer.p, &answer.n,
	                         err);
	if (r != 1)
		return r;
	r = bt_feature_int64s(&from->starts, &q->start, 1, &n, err);
	if (r != BT_OK)
		return r;
	while (place.chars < q->start && place.byte < c.n) {
		n = place.byte + bt_utf8_len((uint8_t)c.p[place.byte]);
		if (n > c.n)
			break; /* not UTF-8 */
		bt_cursor_move(&place, c.p, (uint32_t)n);
	}
	if (place.chars != q->start || c.n - place.byte < answer.n ||
	    memcmp(c.p + place.byte, answer.p, answer.n) != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "the context does not have the first "
		                    "answer at its answer_start, %lld",
		                    (long long)q->start);
	q->has_answer = true;
	q->end = bt_cursor_move(&place, c.p, place.byte + (uint32_t)answer.n);
	return BT_OK;
}

/* Whether the question, which has n tokens, leaves room for the context. */
static int check_room(const struct bt_tokenize *j, size_t n,
                      struct bt_error *err)
{
	size_t specials = bt_tok_specials(j->tok, true);
	size_t most = j->opts.question_length;

	if (n + specials >= most)
		return bt_error_set(err, BT_EFORMAT,
		                    "the question has %zu tokens, which with "
		                    "%zu special ones leave no room for the "
		                    "context in %zu",
		                    n, specials, most);
	if (j->opts.cut && most - n - specials <= j->opts.question_stride)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "the question has %zu tokens and leaves room for %zu of "
		    "the context, not more than windows are to share (%zu)",
		    n, most - n - specials, j->opts.question_stride);
	return BT_OK;
}

/* Encodes the texts: the first window. */
static int encode(const struct bt_tokenize *j, struct bt_tokenize_worker *w,
                  struct bt_tokenize_text *x, struct bt_error *err)
{
	const struct bt_tok_encode_opts how = {
	    .special = true,
	    .offsets = true,
	    .max_length = j->opts.question_length,
	    .max_first = j->opts.max_question,
	    .cut = BT_TOK_TRUNCATION_SECOND,
	    .windows = j->opts.cut,
	    .stride = j->opts.question_stride};
	struct bt_tokenize_question *q = &w->question;
	struct bt_error why = {0};
	size_t n;
	int r = bt_tok_encode(j->tok, w->scratch, x->rec.text_a, x->rec.text_b,
	                      &how, &x->e, &why);

	n = bt_tok_tokens(w->scratch, 0);
	q->tokens = bt_tok_tokens(w->scratch, 1);
	if (r == BT_ENOMEM)
		return r;
	if (r != BT_OK && q->tokens > 0 && check_room(j, n, err) != BT_OK)
		return err->code;
	if (r != BT_OK)
		return bt_error_set(err, r, "%s", why.text);
	if (!j->opts.cut && (x->e.cut > 0 || x->e.cut_first > 0))
		return bt_error_set(err, BT_ELIMIT,
		                    "the question and its context have %zu "
		                    "tokens, more than fit",
		                    x->e.whole + x->e.cut_first);
	q->keep = q->step = q->tokens > 0 ? q->tokens : 1;
	if (x->e.windows > 1) {
		q->keep = how.max_length - (x->e.whole - q->tokens);
		q->step = q->keep - how.stride;
	}
	return BT_OK;
}

static int refuse(const struct bt_tokenize *j, struct bt_error *err)
{
	if (!j->opts.special)
		return bt_error_set(err, BT_EFORMAT,
		                    "holds a question, which needs special "
		                    "tokens");
	if (j->opts.layout != BT_LAYOUT_FULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "holds a question, for which this layout "
		                    "has no features");
	return BT_OK;
}

int bt_tokenize_question(const struct bt_tokenize *j,
                         struct bt_tokenize_worker *w,
                         struct bt_tokenize_text *x, struct bt_error *err)
{
	struct bt_span id = x->rec.id;
	int r = refuse(j, err);

	if (r == BT_OK)
		r = find_answer(&x->rec.question, &w->question, err);
	x->rec.text_a = strip(x->rec.question.question);
	x->rec.text_b = x->rec.question.context;
	if (r == BT_OK && j->opts.prompt != NULL)
		r = bt_tokenize_prompt(w, j->opts.prompt, &x->rec.text_a);
	if (r == BT_OK)
		r = encode(j, w, x, err);
	if (r == BT_OK || r == BT_ENOMEM)
		return r;
	if (id.n > 0)
		bt_error_prefix(err, "question '%.*s'",
		                (int)(id.n < 100 ? id.n : 100), id.p);
	return r;
}

/* The tokens of the answer in tokens first .. last, which are the window's of
 * the context: the last that begins not behind it, and the first behind which
 * no token ends before its end. */
static void find_tokens(const struct bt_tokenize_question *q,
                        struct bt_tokenize_text *x, size_t first, size_t last)
{
	const struct bt_token_place *place = q->place;
	size_t a = first, b = last;

	if (place[first].start > q->start || place[last].end < q->end)
		return;
	while (a < last && place[a + 1].start <= q->start)
		a++;
	while (b > first && place[b - 1].end >= q->end)
		b--;
	/* several tokens of one character that is the answer */
	x->start_position = (int64_t)(a < b ? a : b);
	x->end_position = (int64_t)(a < b ? b : a);
}

int bt_tokenize_question_window(const struct bt_tokenize *j,
                                struct bt_tokenize_worker *w,
                                struct bt_tokenize_text *x)
{
	struct bt_tokenize_question *q = &w->question;
	const struct bt_encoding *e = &x->e;
	const char *context = x->rec.text_b.p;
	size_t i, first = 0, n = 0, cls = 0, p = x->window * q->step;
	bool left = bt_tok_cuts_left(j->tok);

	if (bt_grow(&q->place, &q->place_cap, e->n, sizeof(*q->place)))
		return BT_ENOMEM;
	for (i = 0; i < e->n; i++)
		if (e->text[i] == 1 && n++ == 0)
			first = i;
	for (i = 0; i < e->n; i++) {
		q->place[i] = (struct bt_token_place){-1, -1, 0};
		if (e->text[i] != 1)
			continue;
		q->place[i].start =
		    (int32_t)bt_cursor_move(&x->start[1], context, e->start[i]);
		q->place[i].end =
		    (int32_t)bt_cursor_move(&x->end[1], context, e->end[i]);
		q->place[i].max_context = bt_windows_show_most(
		    &(struct bt_windows_cut){q->tokens, q->keep, q->step},
		    x->window, left ? p + n - 1 - (i - first) : p + i - first);
	}
	while (cls + 1 < e->n && e->ids[cls] != bt_tok_role(j->tok, BT_TOK_CLS))
		cls++;
	x->place = q->place;
	x->start_position = x->end_position = (int64_t)cls;
	if (q->has_answer && n > 0)
		find_tokens(q, x, first, first + n - 1);
	q->found = q->found || x->start_position != (int64_t)cls;
	return BT_OK;
}
