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

/* The characters of the words: how often, and the ids they get; and the units
 * that the words will take as tokens. */
struct letters {
	uint64_t units;
	uint64_t *count; /* [LAST_CHAR + 1] */
	bool *inside;    /* not only at the beginning of words */
	uint32_t *first, *later;
};

static void count_letters(const struct bt_trainer_state *t,
                          const struct bt_word_counts *words, struct letters *l)
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
			l->count[c] += w.count;
			l->inside[c] = l->inside[c] || n > 0;
		}
		l->units += bt_trainer_text_need(&t->text, n, w.count);
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
static int limit_letters(const struct bt_trainer_state *t, struct letters *l)
{
	struct frequent *f = bt_array(LAST_CHAR + 1, sizeof(*f));
	size_t n = 0, i;
	uint32_t c;

	if (f == NULL)
		return BT_ENOMEM;
	for (c = 0; c <= LAST_CHAR; c++)
		if (l->count[c] != 0)
			f[n++] = (struct frequent){l->count[c], c};
	t->out->letters = n;
	if (t->opts->alphabet != 0 && n > t->opts->alphabet) {
		qsort(f, n, sizeof(*f), by_count);
		for (i = t->opts->alphabet; i < n; i++)
			l->count[f[i].c] = 0;
	}
	free(f);
	return BT_OK;
}

static int name_letters(struct bt_trainer_state *t, struct letters *l)
{
	struct bt_span none = {"", 0}, prefix = bt_span(PREFIX), s;
	uint8_t text[4];
	uint32_t c;
	int r = BT_OK;

	s.p = (const char *)text;
	for (c = 0; r == BT_OK && c <= LAST_CHAR; c++) {
		l->first[c] = BT_SYMBOL_NONE;
		if (l->count[c] == 0)
			continue;
		s.n = bt_utf8_put(text, c);
		r = bt_trainer_intern(t, none, s, &l->first[c]);
	}
	for (c = 0; r == BT_OK && c <= LAST_CHAR; c++) {
		l->later[c] = BT_SYMBOL_NONE;
		if (l->count[c] == 0 || !l->inside[c])
			continue;
		s.n = bt_utf8_put(text, c);
		r = bt_trainer_intern(t, prefix, s, &l->later[c]);
	}
	return r;
}

static bool has_room(const struct bt_trainer_state *t, struct bt_error *err)
{
	if (t->out->n <= t->opts->size)
		return true;
	bt_error_set(err, BT_ELIMIT,
	             "special tokens and single characters alone are %zu "
	             "tokens, more than %zu",
	             t->out->n, t->opts->size);
	return false;
}

/* Takes memory for the words as tokens. */
static int take_units(struct bt_trainer_state *t, uint64_t units)
{
	if (units >= BT_TRAINER_UNITS - BT_TRAINER_FIRST)
		return BT_ENOMEM;
	t->text.units = BT_TRAINER_FIRST;
	return bt_arena_init(&t->text.mem, (size_t)(BT_TRAINER_FIRST + units) *
	                                       (t->text.wide ? 4 : 2));
}

/* Makes the words the ids of their characters. */
static void spell(struct bt_trainer_state *t, struct bt_word_counts *words,
                  const struct letters *l)
{
	struct bt_word_counts_at at = {0};
	const uint8_t *p, *end;
	struct bt_trainer_word to;
	struct bt_word w;
	size_t n;
	uint32_t c;

	while (bt_word_counts_take(words, &at, &w)) {
		end = w.p + w.n;
		for (p = w.p, n = 0; p < end; p += bt_utf8_len(*p))
			n++;
		if (n < 2)
			continue;
		bt_trainer_text_add(&t->text, n, w.count, &to);
		for (p = w.p; p < end; p += bt_utf8_len(*p)) {
			c = bt_utf8_get(p);
			bt_trainer_text_set(&t->text, to.first++,
			                    p == w.p ? l->first[c]
			                             : l->later[c]);
		}
	}
}

static int begin_letters(struct bt_trainer_state *t,
                         struct bt_word_counts *words, struct bt_error *err)
{
	struct letters l = {0};
	int r = BT_ENOMEM;

	l.count = bt_array0(LAST_CHAR + 1, sizeof(*l.count));
	l.inside = bt_array0(LAST_CHAR + 1, sizeof(*l.inside));
	l.first = bt_array(LAST_CHAR + 1, sizeof(*l.first));
	l.later = bt_array(LAST_CHAR + 1, sizeof(*l.later));
	if (l.count != NULL && l.inside != NULL && l.first != NULL &&
	    l.later != NULL) {
		count_letters(t, words, &l);
		r = limit_letters(t, &l);
	}
	if (r == BT_OK)
		r = name_letters(t, &l);
	if (r == BT_OK && !has_room(t, err))
		r = BT_ELIMIT;
	if (r == BT_OK)
		r = take_units(t, l.units);
	if (r == BT_OK)
		spell(t, words, &l);
	free(l.count);
	free(l.inside);
	free(l.first);
	free(l.later);
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
	struct bt_trainer_word to;
	struct bt_word w;
	uint64_t units = 0;
	uint32_t id[256];
	size_t i;
	int r = name_bytes(t, id);

	if (r == BT_OK && !has_room(t, err))
		return BT_ELIMIT;
	while (r == BT_OK && bt_word_counts_next(words, &at, &w))
		units += bt_trainer_text_need(&t->text, w.n, w.count);
	if (r == BT_OK)
		r = take_units(t, units);
	if (r != BT_OK)
		return r;
	memset(&at, 0, sizeof(at));
	while (bt_word_counts_take(words, &at, &w)) {
		if (w.n < 2)
			continue;
		bt_trainer_text_add(&t->text, w.n, w.count, &to);
		for (i = 0; i < w.n; i++)
			bt_trainer_text_set(&t->text, to.first + i, id[w.p[i]]);
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

	t.text.wide = opts->size > UINT16_MAX;
	r = begin(&t, words, err);
	bt_word_counts_clear(words);
	if (r == BT_OK)
		r = bt_trainer_merge(&t);
	if (r == BT_ENOMEM)
		bt_error_nomem(err, "training a vocabulary");
	bt_arena_clear(&t.text.mem);
	free(t.slot);
	if (r == BT_OK)
		*made = out;
	else
		bt_trainer_clear(&out);
	return r;
}
