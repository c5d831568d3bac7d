/* SPDX-License-Identifier: MIT */
/* Answers as BERT's run_squad and Model Garden find them. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "format/charset.h"
#include "predict/spans_int.h"

int bt_spans_google_new(struct bt_spans *s, const struct bt_tok *tok,
                        struct bt_error *err)
{
	struct bt_spans_google *g = bt_array0(1, sizeof(*g));

	s->google = g;
	g->from = bt_array(s->o.best + 2, sizeof(*g->from));
	if (g->from == NULL)
		return bt_error_nomem(err, "finding answers");
	return bt_final_text_init(&g->text, tok, err);
}

void bt_spans_google_free(struct bt_spans_google *g)
{
	if (g == NULL)
		return;
	bt_final_text_clear(&g->text);
	bt_context_words_clear(&g->words);
	bt_buf_clear(&g->joined);
	bt_buf_clear(&g->texts);
	free(g->id);
	free(g->pair);
	free(g->from);
	free(g);
}

void bt_spans_google_begin(struct bt_spans_google *g)
{
	g->n = g->n_ids = 0;
}

/* Both are of the context, in order and near enough; and no other window shows
 * more around the first one. */
static bool suits(const struct bt_spans *s, const struct bt_token_place *place,
                  size_t first, size_t last)
{
	return place[first].start >= 0 && place[last].start >= 0 &&
	       place[first].max_context > 0 && last >= first &&
	       last - first < s->o.longest;
}

int bt_spans_google_add(struct bt_spans *s, const float *logits,
                        const int32_t *ids, const struct bt_token_place *place,
                        size_t n, size_t firsts, size_t lasts,
                        struct bt_error *err)
{
	struct bt_spans_google *g = s->google;
	struct bt_spans_pair *p;
	size_t i, k, a, b;

	if (bt_grow(&g->id, &g->ids_cap, g->n_ids + n, sizeof(*g->id)) ||
	    bt_grow(&g->pair, &g->cap, g->n + firsts * lasts + 1,
	            sizeof(*g->pair)))
		return bt_error_nomem(err, "finding answers");
	memcpy(g->id + g->n_ids, ids, n * sizeof(*ids));
	for (i = 0; i < firsts; i++)
		for (k = 0; k < lasts; k++) {
			a = s->first[i];
			b = s->last[k];
			if (!suits(s, place, a, b))
				continue;
			p = &g->pair[g->n];
			p->number = g->n++;
			p->token = g->n_ids + a;
			p->tokens = b - a + 1;
			p->first = place[a].start;
			p->last = place[b].start;
			p->start_logit = logits[2 * a];
			p->end_logit = logits[2 * b + 1];
			p->sum = (double)p->start_logit + (double)p->end_logit;
		}
	g->n_ids += n;
	return BT_OK;
}

static int by_sum(const void *a, const void *b)
{
	const struct bt_spans_pair *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Code points of the context before the byte at p. */
static int32_t code_point(const struct bt_spans *s, struct bt_span context,
                          const char *p)
{
	size_t at = (size_t)(p - context.p), from = 0, to = s->characters;
	size_t middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (s->at[middle] < at)
			from = middle + 1;
		else
			to = middle;
	}
	return (int32_t)from;
}

/* Where byte `at` of the words from number `word` on, joined, is in the
 * context. */
static const char *place_of(const struct bt_context_words *w, long word,
                            size_t at)
{
	for (; at > w->word[word].n; word++)
		at -= w->word[word].n + 1;
	return w->word[word].p + at;
}

/* The answer that two tokens are, in the words that they stand in. */
static int find_text(struct bt_spans *s, const struct bt_spans_pair *p,
                     struct bt_span context, struct bt_spans_answer *a,
                     struct bt_error *err)
{
	struct bt_spans_google *g = s->google;
	long first, last, i;
	struct bt_span joined;
	size_t at;
	int r = bt_spans_check_place(s, p->first, p->last, err);

	if (r != BT_OK)
		return r;
	first = bt_context_words_at(&g->words, context.p + s->at[p->first]);
	last = bt_context_words_at(&g->words, context.p + s->at[p->last]);
	if (last < first)
		return bt_error_set(err, BT_EFORMAT,
		                    "tokens stand for the characters %ld and "
		                    "%ld of the context, which are not in "
		                    "their order",
		                    (long)p->first, (long)p->last);
	if (first < 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "a token stands for the character %ld of "
		                    "the context, which is a blank",
		                    (long)p->first);
	bt_buf_reset(&g->joined);
	for (i = first; i <= last; i++) {
		if (i > first)
			bt_buf_putc(&g->joined, ' ');
		bt_buf_put(&g->joined, g->words.word[i].p, g->words.word[i].n);
	}
	if (g->joined.oom)
		return bt_error_nomem(err, "finding answers");
	joined = (struct bt_span){g->joined.data, g->joined.len};
	r = bt_final_text_find(&g->text, g->id + p->token, p->tokens, joined,
	                       &a->text, err);
	if (r != BT_OK)
		return r;
	at = (size_t)(a->text.p - joined.p);
	a->start = code_point(s, context, place_of(&g->words, first, at));
	a->end =
	    code_point(s, context, place_of(&g->words, first, at + a->text.n));
	return BT_OK;
}

/* Whether the text is one of the answers'. */
static bool seen(const struct bt_spans *s, struct bt_span text)
{
	const struct bt_spans_google *g = s->google;
	struct bt_span other;
	size_t i;

	for (i = 0; i < s->n; i++) {
		other.p = bt_buf_at(&g->texts, g->from[i]);
		other.n = s->answer[i].text.n;
		if (bt_span_equal(other, text))
			return true;
	}
	return false;
}

static void append(struct bt_spans *s, const struct bt_spans_answer *a)
{
	struct bt_spans_google *g = s->google;

	g->from[s->n] = g->texts.len;
	s->answer[s->n++] = *a;
	bt_buf_put(&g->texts, a->text.p, a->text.n);
}

/* One answer of a text each, the empty one where it stands among them. */
static int walk(struct bt_spans *s, bool may_lack, struct bt_span context,
                struct bt_error *err)
{
	struct bt_spans_google *g = s->google;
	const struct bt_spans_pair *p = g->pair, *end = p + g->n;
	struct bt_spans_answer a;
	bool none = may_lack; /* it is still to come */
	int r = BT_OK;

	while (r == BT_OK && s->n < s->o.best && (p < end || none)) {
		if (none && (p == end || p->sum < s->none.sum)) {
			append(s, &s->none);
			none = false;
			continue;
		}
		a = bt_spans_answer(p->start_logit, p->end_logit, p->sum);
		r = find_text(s, p++, context, &a, err);
		if (r == BT_OK && !seen(s, a.text))
			append(s, &a);
	}
	if (r == BT_OK && none)
		append(s, &s->none);
	return r;
}

int bt_spans_google_list(struct bt_spans *s, bool may_lack,
                         struct bt_span context, struct bt_error *err)
{
	struct bt_spans_google *g = s->google;
	struct bt_spans_answer empty = bt_spans_answer(0, 0, 0);
	size_t i;
	int r;

	if (bt_charset_check(BT_CHARSET_UTF8, context.p, context.n) < context.n)
		return bt_error_set(err, BT_EFORMAT, "context is not UTF-8");
	r = bt_context_words_read(&g->words, context, err);
	if (g->n > 1)
		qsort(g->pair, g->n, sizeof(*g->pair), by_sum);
	s->n = 0;
	bt_buf_reset(&g->texts);
	if (r == BT_OK)
		r = walk(s, may_lack, context, err);
	empty.text = bt_span("empty");
	if (r == BT_OK && s->n == 0)
		append(s, &empty);
	if (r == BT_OK && g->texts.oom)
		r = bt_error_nomem(err, "finding answers");
	for (i = 0; r == BT_OK && i < s->n; i++)
		s->answer[i].text.p = bt_buf_at(&g->texts, g->from[i]);
	return r;
}
