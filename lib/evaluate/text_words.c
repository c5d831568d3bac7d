/* SPDX-License-Identifier: MIT */
#include "evaluate/text_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int bt_text_words_init(struct bt_text_words *w, const struct bt_tok *tok,
                       struct bt_error *err)
{
	memset(w, 0, sizeof(*w));
	w->tok = tok;
	return bt_tok_scratch_new(tok, &w->scratch, err);
}

void bt_text_words_clear(struct bt_text_words *w)
{
	bt_tok_scratch_free(w->scratch);
	free(w->word);
	free(w->of);
	memset(w, 0, sizeof(*w));
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static size_t characters(const char *s, size_t n)
{
	size_t i, sum = 0;

	for (i = 0; i < n; i++)
		sum += (s[i] & 0xc0) != 0x80;
	return sum;
}

static struct bt_text_word *add_word(struct bt_text_words *w)
{
	if (bt_grow(&w->word, &w->word_cap, w->n + 1, sizeof(*w->word)) !=
	    BT_OK)
		return NULL;
	memset(&w->word[w->n], 0, sizeof(*w->word));
	w->word[w->n].text = -1;
	return &w->word[w->n++];
}

/* Whether the token belongs to none of the texts. */
static bool is_special(const struct bt_text_words *w, int32_t id)
{
	return id == bt_tok_role(w->tok, BT_TOK_CLS) ||
	       id == bt_tok_role(w->tok, BT_TOK_SEP) ||
	       id == bt_tok_role(w->tok, BT_TOK_PAD);
}

/* Token i is a word of its own, of no text. */
static int add_piece(struct bt_text_words *w, int32_t id, size_t i,
                     bool special)
{
	struct bt_text_word *x = add_word(w);

	if (x == NULL)
		return BT_ENOMEM;
	x->word = bt_tok_token(w->tok, id);
	x->special = special;
	w->of[i] = w->n - 1;
	return BT_OK;
}

static int find_pieces(struct bt_text_words *w, const struct bt_text_tokens *t)
{
	size_t i;
	int r = BT_OK;

	w->n = 0;
	for (i = 0; r == BT_OK && i < t->n; i++)
		r = add_piece(w, t->ids[i], i, is_special(w, t->ids[i]));
	return r;
}

/* Makes the last word that reaches from byte `from` to `to` of a text, counted
 * from its word before, if that is of the same text. */
static void place(struct bt_text_words *w, const struct bt_text_tokens *t,
                  int text, size_t from, size_t to)
{
	struct bt_text_word *x = &w->word[w->n - 1], *y;
	const char *s = t->text[text].p;
	size_t byte = 0, chars = 0;

	while (from < to && is_space(s[from]))
		from++;
	while (to > from && is_space(s[to - 1]))
		to--;
	for (y = x; y-- > w->word;)
		if (y->text == text && y->word.p - s <= (ptrdiff_t)from) {
			byte = (size_t)(y->word.p - s);
			chars = y->start;
			break;
		}
	x->text = text;
	x->word = (struct bt_span){s + from, to - from};
	x->start = chars + characters(s + byte, from - byte);
	x->end = x->start + characters(s + from, to - from);
}

/* Divides the record's tokens into words. Token i of it is, from `first` on and
 * until `last`, token i + skip of e; all others are as e's first and last. */
static int divide(struct bt_text_words *w, const struct bt_text_tokens *t,
                  const struct bt_encoding *e, size_t first, size_t last,
                  size_t skip)
{
	size_t i, k, j;

	w->n = 0;
	for (i = 0; i < t->n; i = k) {
		j = i + skip;
		k = i + 1;
		if (i < first || i >= last || e->text[j] < 0) {
			if (add_piece(w, t->ids[i], i, true) != BT_OK)
				return BT_ENOMEM;
			continue;
		}
		while (k < last && e->text[k + skip] == e->text[j] &&
		       e->word[k + skip] == e->word[j])
			k++;
		if (add_word(w) == NULL)
			return BT_ENOMEM;
		place(w, t, e->text[j], e->start[j], e->end[k - 1 + skip]);
		for (; i < k; i++)
			w->of[i] = w->n - 1;
	}
	return 1;
}

static bool equal(const int32_t *a, const int32_t *b, size_t n)
{
	return n == 0 || memcmp(a, b, n * sizeof(*a)) == 0;
}

/* 1 if the record is all of e, or a part of its text between all of its special
 * tokens; 0 if not. */
static int match(struct bt_text_words *w, const struct bt_text_tokens *t,
                 const struct bt_encoding *e)
{
	size_t before = 0, behind = 0, at = 0, n;

	if (e->n == t->n && equal(e->ids, t->ids, t->n))
		return divide(w, t, e, 0, t->n, 0);
	while (before < e->n && e->text[before] < 0)
		before++;
	while (behind < e->n - before && e->text[e->n - 1 - behind] < 0)
		behind++;
	if (t->text[1].p != NULL || t->n >= e->n || t->n <= before + behind ||
	    !equal(e->ids, t->ids, before) ||
	    !equal(e->ids + e->n - behind, t->ids + t->n - behind, behind))
		return 0;
	n = t->n - before - behind;
	if (t->window > 0) /* it begins behind the one before it */
		at = w->at + 1;
	for (; at + n <= e->n - before - behind; at++)
		if (equal(e->ids + before + at, t->ids + before, n)) {
			w->at = at;
			return divide(w, t, e, before, before + n, at);
		}
	return 0;
}

/* Encodes the texts, cut to max_length tokens unless that is 0; compares. */
static int try(struct bt_text_words *w, const struct bt_text_tokens *t,
               size_t max_length, enum bt_tok_truncation cut)
{
	struct bt_tok_encode_opts how = {.special = true,
	                                 .offsets = true,
	                                 .max_length = max_length,
	                                 .cut = cut};
	struct bt_error why = {0};
	struct bt_encoding e;
	int r = bt_tok_encode(w->tok, w->scratch, t->text[0], t->text[1], &how,
	                      &e, &why);

	if (r != BT_OK)
		return r == BT_ENOMEM ? r : 0;
	return match(w, t, &e);
}

int bt_text_words_find(struct bt_text_words *w, const struct bt_text_tokens *t,
                       struct bt_error *err)
{
	int cut, r = 0;

	if (bt_grow(&w->of, &w->of_cap, t->n, sizeof(*w->of)) != BT_OK)
		return bt_error_nomem(err, "finding words");
	if (t->window == 0)
		w->at = 0;
	if (t->text[0].p != NULL)
		r = try(w, t, 0, BT_TOK_TRUNCATION_LONGEST);
	for (cut = 0;
	     r == 0 && t->text[1].p != NULL && cut <= BT_TOK_TRUNCATION_SECOND;
	     cut++)
		r = try(w, t, t->n, (enum bt_tok_truncation)cut);
	if (r == 0)
		return find_pieces(w, t) == BT_OK
		           ? 0
		           : bt_error_nomem(err, "finding words");
	return r == 1 ? 1 : bt_error_nomem(err, "finding words");
}
