/* SPDX-License-Identifier: MIT */
#include "tokenizer/pre_tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tokenizer/regex.h"

struct split {
	struct bt_pre_tokenizer part;
	const uint8_t *table;
	struct bt_split_opts opts; /* with a string of its own */
	struct bt_regex *regex;
};

int bt_pattern_find(const char *regex)
{
	static const char *const known[] = {
	    [BT_PAT_GPT2] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| "
	                    "?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
	    [BT_PAT_LLAMA3] = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{"
	                      "N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+["
	                      "\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
	    [BT_PAT_QWEN2] = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}"
	                     "]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+["
	                     "\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
	    [BT_PAT_SPACES] = " {2,}",
	    [BT_PAT_WHITES] = "\\s+",
	};

	return BT_STR_ROW(regex, known);
}

/* Behind the white characters, or the spaces, at at. */
static size_t run_white(const struct split *p, const uint8_t *text, size_t at,
                        size_t to)
{
	while (at < to && p->table[bt_utf8_get(text + at)] & BT_SPLIT_WHITE)
		at += bt_utf8_len(text[at]);
	return at;
}

static size_t run_spaces(const uint8_t *text, size_t at, size_t to)
{
	size_t end = at;

	while (end < to && text[end] == ' ')
		end++;
	return end - at >= 2 ? end : at;
}

/* 0: white, 1: part of a word, 2: other */
static int word_kind(const struct split *p, const uint8_t *text, size_t at)
{
	uint32_t c = bt_utf8_get(text + at);

	if (c < 0x80 && p->table[c] & (BT_SPLIT_LETTER | BT_SPLIT_NUMBER))
		return 1;
	if (bt_char_is_word(c))
		return 1;
	return p->table[c] & BT_SPLIT_WHITE ? 0 : 2;
}

static size_t run_words(const struct split *p, const uint8_t *text, size_t at,
                        size_t to)
{
	int k = word_kind(p, text, at);

	if (k == 0)
		return at;
	while (at < to && word_kind(p, text, at) == k)
		at += bt_utf8_len(text[at]);
	return at;
}

static size_t one(const struct split *p, const uint8_t *text, size_t at,
                  unsigned mask)
{
	return p->table[bt_utf8_get(text + at)] & mask
	           ? at + bt_utf8_len(text[at])
	           : at;
}

/* The end of the match at at, or at. */
static size_t match(const struct split *p, const uint8_t *text, size_t at,
                    size_t to)
{
	const struct bt_span *s = &p->opts.string;

	switch (p->opts.pattern) {
	case BT_PAT_GPT2:
		return bt_match_gpt2(p->table, text, at, to);
	case BT_PAT_LLAMA3:
		return bt_match_llama3(p->table, text, at, to, 3);
	case BT_PAT_QWEN2:
		return bt_match_llama3(p->table, text, at, to, 1);
	case BT_PAT_SPACES:
		return run_spaces(text, at, to);
	case BT_PAT_WHITES:
		return run_white(p, text, at, to);
	case BT_PAT_WORDS:
		return run_words(p, text, at, to);
	case BT_PAT_WHITE:
		return one(p, text, at, BT_SPLIT_WHITE);
	case BT_PAT_PUNCT:
		return one(p, text, at, BT_SPLIT_PUNCT);
	case BT_PAT_NUMBER:
		return one(p, text, at, BT_SPLIT_NUMBER | BT_SPLIT_LATE);
	case BT_PAT_STRING:
	case BT_PAT_REGEX: /* has another loop */
		break;
	}
	return to - at >= s->n && memcmp(text + at, s->p, s->n) == 0 ? at + s->n
	                                                             : at;
}

/* Cutting a text. A word waits until it is known whether it grows. */
struct cutter {
	const struct split *p;
	struct bt_encode_run *run;
	const struct bt_text_view *v;
	int next;
	size_t from, to; /* the word that waits; equal: none */
	bool is_match;   /* the last stretch was one */
};

static int flush(struct cutter *c)
{
	int r = BT_OK;

	if (c->from < c->to)
		r = bt_encode_run_next(c->run, c->v, c->from, c->to, c->next);
	c->from = c->to;
	return r;
}

/* True if the stretch continues the word that waits. */
static bool goes_on(const struct cutter *c, bool is_match)
{
	if (c->from == c->to)
		return false;
	switch (c->p->opts.behavior) {
	case BT_CONTIGUOUS:
		return is_match == c->is_match;
	case BT_PREVIOUS:
		return is_match && !c->is_match;
	case BT_NEXT:
		return !is_match && c->is_match;
	default:
		return false;
	}
}

static int add(struct cutter *c, size_t from, size_t to, bool is_match)
{
	int r = BT_OK;

	if (from == to)
		return BT_OK;
	is_match = is_match != c->p->opts.invert;
	if (goes_on(c, is_match)) {
		c->to = to;
		c->is_match = is_match;
		return BT_OK;
	}
	r = flush(c);
	c->from = c->to = to;
	if (!is_match || c->p->opts.behavior != BT_REMOVED)
		c->from = from;
	c->is_match = is_match;
	return r;
}

/* The same where matches cover the text and are the words: many at once. */
static int cover_run(const struct bt_pre_tokenizer *pretok,
                     struct bt_encode_run *run, const struct bt_text_view *v,
                     size_t from, size_t to, int next)
{
	const struct split *p = (const struct split *)pretok;
	struct bt_word_batch b;
	size_t at, end;
	int r = BT_OK;

	bt_word_batch_init(&b, run, v, to, next);
	if (p->opts.pattern == BT_PAT_GPT2)
		r = bt_match_gpt2_all(p->table, &b, from);
	else
		for (at = from; at < to && r == BT_OK; at = end) {
			end = match(p, v->text, at, to);
			r = bt_word_batch_add(&b, at, end);
		}
	return r == BT_OK ? bt_word_batch_flush(&b) : r;
}

static bool covers(const struct bt_split_opts *o)
{
	return (o->pattern == BT_PAT_GPT2 || o->pattern == BT_PAT_LLAMA3 ||
	        o->pattern == BT_PAT_QWEN2) &&
	       o->behavior == BT_ISOLATED;
}

static int split_run(const struct bt_pre_tokenizer *pretok,
                     struct bt_encode_run *run, const struct bt_text_view *v,
                     size_t from, size_t to, int next)
{
	struct cutter c = {
	    (const struct split *)pretok, run, v, next, from, from, false};
	size_t at = from, end;

	while (at < to) {
		end = match(c.p, v->text, at, to);
		if (end == at) {
			at += bt_utf8_len(v->text[at]);
			continue;
		}
		if (add(&c, from, at, false) != BT_OK ||
		    add(&c, at, end, true) != BT_OK)
			return BT_ENOMEM;
		from = at = end;
	}
	if (add(&c, from, to, false) != BT_OK)
		return BT_ENOMEM;
	return flush(&c);
}

static int regex_run(const struct bt_pre_tokenizer *pretok,
                     struct bt_encode_run *run, const struct bt_text_view *v,
                     size_t from, size_t to, int next)
{
	struct cutter c = {
	    (const struct split *)pretok, run, v, next, from, from, false};
	struct bt_regex_iter it;
	size_t at = from, start, end;
	int r = bt_regex_begin(&it, c.p->regex, v->text + from, to - from);

	while (r == BT_OK && (r = bt_regex_next(&it, &start, &end)) == 1) {
		r = add(&c, at, from + start, false);
		if (r == BT_OK && start == end) { /* cuts */
			r = flush(&c);
			c.is_match = !c.p->opts.invert;
		} else if (r == BT_OK) {
			r = add(&c, from + start, from + end, true);
		}
		at = from + end;
	}
	bt_regex_end(&it);
	if (r == BT_ELIMIT)
		return bt_encode_run_too_hard(run);
	if (r == BT_OK)
		r = add(&c, at, to, false);
	return r == BT_OK ? flush(&c) : r;
}

static void split_free(struct bt_pre_tokenizer *pretok)
{
	struct split *p = (struct split *)pretok;

	bt_regex_free(p->regex);
	free((char *)(uintptr_t)p->opts.string.p);
	free(p);
}

int bt_pre_tokenizer_split(const uint8_t *table,
                           const struct bt_split_opts *opts,
                           struct bt_pre_tokenizer **pretok,
                           struct bt_error *err)
{
	static const struct bt_pre_tokenizer_ops ops = {split_run, split_free};
	static const struct bt_pre_tokenizer_ops other = {regex_run,
	                                                  split_free};
	static const struct bt_pre_tokenizer_ops cover = {cover_run,
	                                                  split_free};
	struct split *p = bt_array0(1, sizeof(*p));
	int r = BT_OK;

	p->part.ops = covers(opts) ? &cover : &ops;
	p->table = table;
	p->opts = *opts;
	p->opts.string.p = bt_strndup(opts->string.p, opts->string.n);
	if (p->opts.string.p == NULL)
		r = bt_error_nomem(err, "opening a tokenizer");
	else if (opts->pattern == BT_PAT_REGEX)
		r = bt_regex_new(opts->string, &p->regex, err);
	if (r != BT_OK) {
		split_free(&p->part);
		return r;
	}
	if (p->regex != NULL)
		p->part.ops = &other;
	*pretok = &p->part;
	return BT_OK;
}

struct bytes {
	struct bt_pre_tokenizer part;
	const uint8_t *table;
	bool prefix, split;
};

/* Copies text[from .. to-1] of v with a space before it, which comes from its
 * first character. */
static int put_space(struct bt_encode_run *run, struct bt_text_view *v,
                     size_t *from, size_t *to, int next)
{
	struct bt_offset_text *b = bt_encode_run_buffer(run, next);
	static const uint8_t space = ' ';
	size_t i, n = *to - *from;

	if (bt_offset_text_room(b, n + 1) != BT_OK)
		return BT_ENOMEM;
	bt_offset_text_put(b, &space, 1,
	                   v->src != NULL ? v->src[*from] : *from);
	memcpy(b->text + 1, v->text + *from, n);
	for (i = 0; b->want_src && i < n; i++)
		b->src[i + 1] =
		    v->src != NULL ? v->src[*from + i] : (uint32_t)(*from + i);
	/* without a view's src, each byte stands for itself: its character */
	for (i = 1; b->want_src && v->src == NULL && i <= n; i++)
		if ((b->text[i] & 0xc0) == 0x80)
			b->src[i] = b->src[i - 1];
	b->n = n + 1;
	v->text = b->text;
	v->beyond = b->cap - b->n;
	v->src = b->want_src ? b->src : NULL;
	*from = 0;
	*to = b->n;
	return BT_OK;
}

static int bytes_run(const struct bt_pre_tokenizer *pretok,
                     struct bt_encode_run *run, const struct bt_text_view *view,
                     size_t from, size_t to, int next)
{
	const struct bytes *p = (const struct bytes *)pretok;
	struct bt_text_view v = *view;
	struct bt_word_batch b;

	if (p->prefix && v.text[from] != ' ' &&
	    put_space(run, &v, &from, &to, next) != BT_OK)
		return BT_ENOMEM;
	if (!p->split)
		return bt_encode_run_next(run, &v, from, to, next);
	bt_word_batch_init(&b, run, &v, to, next);
	if (bt_match_gpt2_all(p->table, &b, from) != BT_OK)
		return BT_ENOMEM;
	return bt_word_batch_flush(&b);
}

struct bt_pre_tokenizer *bt_pre_tokenizer_bytes(const uint8_t *table,
                                                bool prefix, bool split)
{
	static const struct bt_pre_tokenizer_ops ops = {bytes_run, NULL};
	struct bytes *p = bt_array0(1, sizeof(*p));

	p->part.ops = &ops;
	p->table = table;
	p->prefix = prefix;
	p->split = split;
	return &p->part;
}
