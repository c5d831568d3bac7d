/* SPDX-License-Identifier: MIT */
/* Words as characters or bytes, and the first tokens. */
#include "vocab_train/trainer_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "tokenizer/bpe.h"

#define PREFIX "##"
#define LAST_CHAR 0x10ffffu

void bt_trainer_clear(struct bt_trainer *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		free(s->text[i]);
	free(s->text);
	free(s->token);
	free(s->merge);
	memset(s, 0, sizeof(*s));
}

/* A character of the words. */
struct letter {
	uint64_t count;
	uint32_t first, later; /* ids at the start of words, and inside */
	bool inside;           /* not only at the start */
};

/* How many words are of two tokens or more, and their tokens. */
struct sizes {
	size_t words, tokens;
};

static void add_size(struct sizes *s, size_t n)
{
	if (n < 2)
		return;
	s->words++;
	s->tokens += n;
}

static void count_letters(const struct bt_word_counts *words, struct letter *l,
                          struct sizes *sizes)
{
	struct bt_word_counts_at at = {0};
	const uint8_t *p, *end;
	struct bt_word w;
	size_t n;
	uint32_t c;

	while (bt_word_counts_next(words, &at, &w)) {
		end = w.p + w.n;
		for (p = w.p, n = 0; p < end; p += bt_utf8_len(*p), n++) {
			c = bt_utf8_get(p);
			l[c].count += w.count;
			l[c].inside = l[c].inside || n > 0;
		}
		add_size(sizes, n);
	}
}

/* A character by how often it occurs. */
struct frequent {
	uint64_t count;
	uint32_t c;
};

static int by_count(const void *a, const void *b)
{
	const struct frequent *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->c > y->c) - (x->c < y->c);
}

/* Forgets all characters but the most frequent. Of equally frequent ones those
 * that come first in Unicode stay. */
static int limit_letters(const struct bt_trainer_state *t, struct letter *l)
{
	struct frequent *f = bt_array(LAST_CHAR + 1, sizeof(*f));
	size_t n = 0, i;
	uint32_t c;

	if (f == NULL)
		return BT_ENOMEM;
	for (c = 0; c <= LAST_CHAR; c++)
		if (l[c].count != 0)
			f[n++] = (struct frequent){l[c].count, c};
	t->out->letters = n;
	if (t->opts->alphabet != 0 && n > t->opts->alphabet) {
		qsort(f, n, sizeof(*f), by_count);
		for (i = t->opts->alphabet; i < n; i++)
			l[f[i].c].count = 0;
	}
	free(f);
	return BT_OK;
}

/* Makes tokens of the characters: all, then those inside of words. */
static int name_letters(struct bt_trainer_state *t, struct letter *l)
{
	struct bt_span none = {"", 0}, prefix = bt_span(PREFIX), s;
	uint8_t text[4];
	uint32_t c;
	int r = BT_OK;

	s.p = (const char *)text;
	for (c = 0; r == BT_OK && c <= LAST_CHAR; c++) {
		if (l[c].count == 0)
			continue;
		s.n = bt_utf8_put(text, c);
		r = bt_trainer_intern(t, none, s, &l[c].first);
	}
	for (c = 0; r == BT_OK && c <= LAST_CHAR; c++) {
		if (l[c].count == 0 || !l[c].inside)
			continue;
		s.n = bt_utf8_put(text, c);
		r = bt_trainer_intern(t, prefix, s, &l[c].later);
	}
	return r;
}

static int check_room(const struct bt_trainer_state *t, struct bt_error *err)
{
	if (t->out->n <= t->opts->size)
		return BT_OK;
	return bt_error_set(err, BT_ELIMIT,
	                    "special tokens and single characters alone are "
	                    "%zu tokens, more than %zu",
	                    t->out->n, t->opts->size);
}

static int make_room(struct bt_trainer_state *t, const struct sizes *s)
{
	if (s->words > UINT32_MAX)
		return BT_ELIMIT;
	t->word = bt_array(s->words, sizeof(*t->word));
	t->tokens = bt_array(s->tokens, sizeof(*t->tokens));
	return t->word != NULL && t->tokens != NULL ? BT_OK : BT_ENOMEM;
}

/* Adds a word without its tokens. */
static uint32_t *add_word(struct bt_trainer_state *t, size_t n, uint64_t count)
{
	struct bt_trainer_word *w = &t->word[t->words];
	uint32_t *token = t->words == 0 ? t->tokens : w[-1].token + w[-1].n;

	*w = (struct bt_trainer_word){count, token, (uint32_t)n};
	t->words++;
	return token;
}

/* Makes the words the ids of their characters. */
static void spell(struct bt_trainer_state *t, struct bt_word_counts *words,
                  const struct letter *l)
{
	struct bt_word_counts_at at = {0};
	const uint8_t *p, *end;
	struct bt_word w;
	uint32_t c, *to;
	size_t n;

	while (bt_word_counts_take(words, &at, &w)) {
		end = w.p + w.n;
		for (p = w.p, n = 0; p < end; p += bt_utf8_len(*p))
			n++;
		if (n < 2)
			continue;
		to = add_word(t, n, w.count);
		for (p = w.p; p < end; p += bt_utf8_len(*p)) {
			c = bt_utf8_get(p);
			*to++ = l[c].count == 0 ? BT_SYMBOL_NONE
			        : p == w.p      ? l[c].first
			                        : l[c].later;
		}
	}
}

static int begin_letters(struct bt_trainer_state *t,
                         struct bt_word_counts *words, struct bt_error *err)
{
	struct letter *l = bt_array0(LAST_CHAR + 1, sizeof(*l));
	struct sizes sizes = {0};
	int r;

	if (l == NULL)
		return BT_ENOMEM;
	count_letters(words, l, &sizes);
	r = limit_letters(t, l);
	if (r == BT_OK)
		r = name_letters(t, l);
	if (r == BT_OK)
		r = check_room(t, err);
	if (r == BT_OK)
		r = make_room(t, &sizes);
	if (r == BT_OK)
		spell(t, words, l);
	free(l);
	return r;
}

/* All bytes, in the order of the characters that they are written as. */
static int name_bytes(struct bt_trainer_state *t, uint32_t id[256])
{
	struct bt_span none = {"", 0}, s;
	uint16_t letter[256];
	uint8_t text[4];
	uint32_t c;
	int b;

	bt_byte_chars(letter);
	s.p = (const char *)text;
	for (c = 0; c < 0x144; c++)
		for (b = 0; b < 256; b++) {
			if (letter[b] != c)
				continue;
			s.n = bt_utf8_put(text, c);
			if (bt_trainer_intern(t, none, s, &id[b]) != BT_OK)
				return BT_ENOMEM;
		}
	t->out->letters = 256;
	return BT_OK;
}

static int begin_bytes(struct bt_trainer_state *t, struct bt_word_counts *words,
                       struct bt_error *err)
{
	struct bt_word_counts_at at = {0};
	struct sizes sizes = {0};
	struct bt_word w;
	uint32_t id[256], *to;
	size_t i;
	int r = name_bytes(t, id);

	if (r == BT_OK)
		r = check_room(t, err);
	while (r == BT_OK && bt_word_counts_next(words, &at, &w))
		add_size(&sizes, w.n);
	if (r == BT_OK)
		r = make_room(t, &sizes);
	if (r != BT_OK)
		return r;
	memset(&at, 0, sizeof(at));
	while (bt_word_counts_take(words, &at, &w)) {
		if (w.n < 2)
			continue;
		to = add_word(t, w.n, w.count);
		for (i = 0; i < w.n; i++)
			to[i] = id[w.p[i]];
	}
	return BT_OK;
}

static int begin(struct bt_trainer_state *t, struct bt_word_counts *words,
                 struct bt_error *err)
{
	struct bt_span none = {"", 0};
	uint32_t id;
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < t->opts->specials; i++)
		r = bt_trainer_intern(t, none, t->opts->special[i], &id);
	if (r != BT_OK)
		return r;
	return t->opts->kind == BT_WORDS_BYTES ? begin_bytes(t, words, err)
	                                       : begin_letters(t, words, err);
}

int bt_trainer_train(struct bt_word_counts *words,
                     const struct bt_trainer_opts *opts,
                     struct bt_trainer *made, struct bt_error *err)
{
	struct bt_trainer out = {0};
	struct bt_trainer_state t = {.opts = opts, .out = &out};
	int r;

	r = begin(&t, words, err);
	bt_word_counts_clear(words);
	if (r == BT_OK)
		r = bt_trainer_merge(&t);
	if (r == BT_ENOMEM)
		bt_error_nomem(err, "training a vocabulary");
	if (r == BT_ELIMIT) /* unless it says what already */
		bt_error_set(err, BT_ELIMIT, "there are too many words");
	free(t.word);
	free(t.tokens);
	free(t.slot);
	if (r == BT_OK)
		*made = out;
	else
		bt_trainer_clear(&out);
	return r;
}
