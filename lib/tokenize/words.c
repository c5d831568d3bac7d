/* SPDX-License-Identifier: MIT */
/*
 * A text that is divided into words already, each of which is to be tagged:
 * every word is encoded by itself, as Hugging Face's is_split_into_words does,
 * and belongs to exactly one window.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tokenize/job_int.h"

void bt_tokenize_words_clear(struct bt_tokenize_words *s)
{
	free(s->piece);
	free(s->at);
	free(s->ids);
	free(s->types);
	free(s->word);
	bt_buf_clear(&s->text);
}

static bool is_blank_token(const struct bt_tok *tok,
                           const struct bt_encoding *e)
{
	struct bt_span t = {NULL, 0};

	if (e->n > 0)
		t = bt_tok_token(tok, e->ids[0]);
	return t.n > 2 && memcmp(t.p, "\xc4\xa0", 2) == 0; /* U+0120 */
}

/* Which special tokens go around a text, and whether a word needs a blank
 * before it, because to byte-level BPE a blank is a part of the word. */
static int learn(const struct bt_tokenize *j, struct bt_tokenize_worker *w,
                 struct bt_error *err)
{
	struct bt_tok_encode_opts how = {.special = j->opts.special,
	                                 .offsets = true};
	const struct bt_span none = {NULL, 0};
	struct bt_tokenize_words *s = &w->words;
	struct bt_encoding e;
	size_t i;
	bool text = false;
	int r = bt_tok_encode(j->tok, w->scratch, bt_span("a"), none, &how, &e,
	                      err);

	for (i = 0; r == BT_OK && i < e.n; i++) {
		text |= e.text[i] >= 0;
		if (e.text[i] >= 0)
			continue;
		if (text && s->n_after < BT_TOKENIZE_SPECIALS)
			s->after[s->n_after++] = e.ids[i];
		else if (s->n_before < BT_TOKENIZE_SPECIALS)
			s->before[s->n_before++] = e.ids[i];
	}
	how.special = false;
	if (r == BT_OK)
		r = bt_tok_encode(j->tok, w->scratch, bt_span("a"), none, &how,
		                  &e, err);
	s->blank = r == BT_OK && !is_blank_token(j->tok, &e);
	if (r == BT_OK)
		r = bt_tok_encode(j->tok, w->scratch, bt_span(" a"), none, &how,
		                  &e, err);
	s->blank = s->blank && r == BT_OK && is_blank_token(j->tok, &e);
	s->ready = true;
	return r;
}

/* Appends the tokens of a word, at most `most` of them. What the tokenizer
 * leaves out is one unknown token, so that the word can be tagged. */
static int add_word(const struct bt_tokenize *j, struct bt_tokenize_worker *w,
                    struct bt_span word, size_t most, struct bt_error *err)
{
	const struct bt_tok_encode_opts how = {0};
	const struct bt_span none = {NULL, 0};
	struct bt_tokenize_words *s = &w->words;
	int32_t unknown = bt_tok_role(j->tok, BT_TOK_UNK);
	size_t n, from = s->n > 0 ? s->at[s->n] : 0;
	struct bt_encoding e;
	int r;

	bt_buf_reset(&s->text);
	if (s->blank && word.n > 0)
		bt_buf_putc(&s->text, ' ');
	bt_buf_put(&s->text, word.p, word.n);
	if (s->text.oom)
		return BT_ENOMEM;
	word = (struct bt_span){bt_buf_str(&s->text), s->text.len};
	r = bt_tok_encode(j->tok, w->scratch, word, none, &how, &e, err);
	if (r != BT_OK)
		return bt_error_prefix(err, "word %zu", s->n - s->first + 1);
	n = e.n == 0 ? 1 : e.n < most ? e.n : most;
	if (bt_grow(&s->piece, &s->piece_cap, from + n, sizeof(*s->piece)) ||
	    bt_grow(&s->at, &s->at_cap, s->n + 2, sizeof(*s->at)))
		return BT_ENOMEM;
	if (e.n > 0)
		memcpy(s->piece + from, e.ids, n * sizeof(*e.ids));
	else
		s->piece[from] =
		    unknown >= 0 ? unknown : bt_tok_role(j->tok, BT_TOK_PAD);
	s->unknown += e.n == 0 ? 1 : e.unknown;
	s->lost += e.n > n ? e.n - n : 0;
	s->at[s->n] = from;
	s->at[++s->n] = from + n;
	return BT_OK;
}

/* The words of a feature, which may not be there. */
static int add_list(const struct bt_tokenize *j, struct bt_tokenize_worker *w,
                    struct bt_tokenize_text *x, const struct bt_feature *f,
                    struct bt_error *err)
{
	struct bt_pb at = f->list;
	struct bt_span word;
	int r = BT_OK;

	while (r == BT_OK && f->name != NULL &&
	       (r = bt_feature_next_text(f, &at, &word.p, &word.n, err)) == 1) {
		r = j->opts.mend ? bt_tokenize_mend(w, 0, &word, &x->mended)
		                 : BT_OK;
		if (r == BT_OK)
			r = add_word(j, w, word, w->words.room, err);
	}
	return r;
}

/* Tokens from the first of word a to the last before word b. */
static size_t tokens(const struct bt_tokenize_words *s, size_t a, size_t b)
{
	return s->at[b] - s->at[a];
}

int bt_tokenize_words(const struct bt_tokenize *j, struct bt_tokenize_worker *w,
                      struct bt_tokenize_text *x, struct bt_error *err)
{
	struct bt_tokenize_words *s = &w->words;
	size_t specials;
	int r = s->ready ? BT_OK : learn(j, w, err);

	s->n = s->first = s->unknown = 0;
	specials = s->n_before + s->n_after;
	if (r == BT_OK && j->opts.format != BT_TOKENIZE_TFRECORD &&
	    j->opts.format != BT_TOKENIZE_IDS)
		return bt_error_set(err, BT_EFORMAT,
		                    "holds words, which this format does not "
		                    "show");
	if (r == BT_OK && j->opts.layout != BT_LAYOUT_FULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "holds words, for which this layout has no "
		                    "features");
	if (r == BT_OK && j->opts.prompt != NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "holds words, which no prompt goes before");
	s->room = j->opts.max_length == 0 ? SIZE_MAX : j->opts.max_length;
	if (s->room <= specials)
		return bt_error_set(err, BT_EARG,
		                    "%zu tokens leave no room for a word",
		                    s->room);
	s->room -= specials;
	if (r == BT_OK)
		r = add_list(j, w, x, &x->rec.before_list, err);
	s->first = s->own_to = s->n;
	s->lost = 0;
	if (r == BT_OK)
		r = add_list(j, w, x, &x->rec.word_list, err);
	s->last = s->n;
	x->e.cut = s->lost;
	if (r == BT_OK && s->last == s->first)
		r = bt_error_set(err, BT_EFORMAT, "holds no words");
	if (r == BT_OK)
		r = add_list(j, w, x, &x->rec.after_list, err);
	if (r != BT_OK)
		return r;
	x->e.whole = tokens(s, s->first, s->last) + x->e.cut + specials;
	if (!j->opts.cut && x->e.whole - specials > s->room)
		return bt_error_set(err, BT_ELIMIT,
		                    "the text has %zu tokens, more than %zu",
		                    x->e.whole, j->opts.max_length);
	return BT_OK;
}

/* The record of words a .. b-1, of which it has own .. s->own_to-1. */
static int fill(struct bt_tokenize_words *s, size_t a, size_t own, size_t b,
                struct bt_encoding *e)
{
	size_t n = s->n_before + tokens(s, a, b) + s->n_after, i = 0, k, at;

	if (bt_grow(&s->ids, &s->ids_cap, n, sizeof(*s->ids)) ||
	    bt_grow(&s->types, &s->types_cap, n, 1) ||
	    bt_grow(&s->word, &s->word_cap, n, sizeof(*s->word)))
		return BT_ENOMEM;
	memset(s->types, 0, n);
	for (k = 0; k < s->n_before; k++, i++) {
		s->ids[i] = s->before[k];
		s->word[i] = -1;
	}
	for (k = a; k < b; k++)
		for (at = s->at[k]; at < s->at[k + 1]; at++, i++) {
			s->ids[i] = s->piece[at];
			s->word[i] = k >= own && k < s->own_to
			                 ? (int32_t)(k - s->first)
			                 : -1;
		}
	for (k = 0; k < s->n_after; k++, i++) {
		s->ids[i] = s->after[k];
		s->word[i] = -1;
	}
	e->ids = s->ids;
	e->types = s->types;
	e->n = n;
	return BT_OK;
}

int bt_tokenize_words_window(const struct bt_tokenize *j,
                             struct bt_tokenize_worker *w,
                             struct bt_tokenize_text *x)
{
	struct bt_tokenize_words *s = &w->words;
	size_t margin = j->opts.windows ? j->opts.stride / 2 : s->room / 4;
	size_t own = s->own_to, a = own, b, left = tokens(s, own, s->last);

	/* what stands before the first own word, as far as it fits: half of the
	 * room that the last words leave */
	if (left < s->room && (s->room - left) / 2 > margin)
		margin = (s->room - left) / 2;
	while (a > 0 && tokens(s, a - 1, own) <= margin)
		a--;
	while (tokens(s, a, own + 1) > s->room)
		a++;
	for (b = own + 1; b < s->n && tokens(s, a, b + 1) <= s->room; b++)
		;
	/* the last words belong to the next window, which sees what follows */
	s->own_to = b < s->last ? b : s->last;
	while (b < s->last && s->own_to - 1 > own &&
	       tokens(s, s->own_to - 1, b) <= margin)
		s->own_to--;
	while (b >= s->last && a > 0 && tokens(s, a - 1, b) <= s->room)
		a--;
	x->e.windows = x->window + 1 + (s->own_to < s->last);
	x->e.unknown = x->window == 0 ? s->unknown : 0;
	if (fill(s, a, own, b, &x->e) != BT_OK)
		return BT_ENOMEM;
	x->word = s->word;
	return BT_OK;
}
