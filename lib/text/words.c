/* SPDX-License-Identifier: MIT */
#include "text/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "io/charset.h"
#include "text/tok_int.h"

#define MIN_SLOTS 1024
#define MAX_WORDS ((size_t)1 << 31)

static size_t find_slot(const struct bt_words *w, const void *word, size_t n)
{
	size_t i = (size_t)bt_hash(word, n) & (w->slots - 1);
	const struct bt_word *k;

	for (; w->slot[i] != 0; i = (i + 1) & (w->slots - 1)) {
		k = &w->word[w->slot[i] - 1];
		if (k->n == n && memcmp(w->text + k->at, word, n) == 0)
			break;
	}
	return i;
}

static int more_slots(struct bt_words *w)
{
	size_t slots = w->slots == 0 ? MIN_SLOTS : 2 * w->slots, i;
	uint32_t *slot = bt_array0(slots, sizeof(*slot));

	if (slot == NULL)
		return BT_ENOMEM;
	free(w->slot);
	w->slot = slot;
	w->slots = slots;
	for (i = 0; i < w->n; i++)
		slot[find_slot(w, w->text + w->word[i].at, w->word[i].n)] =
		    (uint32_t)i + 1;
	return BT_OK;
}

int bt_words_add(struct bt_words *w, const void *word, size_t n, uint64_t count)
{
	size_t i;

	if (n > UINT32_MAX || w->n == MAX_WORDS)
		return BT_ELIMIT;
	if (2 * w->n >= w->slots && more_slots(w) != BT_OK)
		return BT_ENOMEM;
	i = find_slot(w, word, n);
	if (w->slot[i] != 0) {
		w->word[w->slot[i] - 1].count += count;
		return BT_OK;
	}
	if (bt_grow(&w->word, &w->cap, w->n + 1, sizeof(*w->word)) != BT_OK ||
	    bt_grow(&w->text, &w->text_cap, w->text_n + n, 1) != BT_OK)
		return BT_ENOMEM;
	memcpy(w->text + w->text_n, word, n);
	w->word[w->n] = (struct bt_word){w->text_n, (uint32_t)n, count};
	w->text_n += n;
	w->slot[i] = (uint32_t)++w->n;
	return BT_OK;
}

int bt_words_add_all(struct bt_words *w, const struct bt_words *more)
{
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < more->n; i++)
		r = bt_words_add(w, more->text + more->word[i].at,
		                 more->word[i].n, more->word[i].count);
	return r;
}

/* A word to be sorted. */
struct sorted {
	struct bt_span s;
	struct bt_word word;
};

static int compare(const void *a, const void *b)
{
	return bt_span_compare(((const struct sorted *)a)->s,
	                       ((const struct sorted *)b)->s);
}

int bt_words_sort(struct bt_words *w)
{
	struct sorted *s = bt_array(w->n, sizeof(*s));
	size_t i;

	if (s == NULL)
		return BT_ENOMEM;
	for (i = 0; i < w->n; i++) {
		s[i].word = w->word[i];
		s[i].s.p = w->text + w->word[i].at;
		s[i].s.n = w->word[i].n;
	}
	qsort(s, w->n, sizeof(*s), compare);
	for (i = 0; i < w->n; i++)
		w->word[i] = s[i].word;
	free(s);
	free(w->slot);
	w->slot = NULL;
	w->slots = 0;
	return BT_OK;
}

void bt_words_clear(struct bt_words *w)
{
	free(w->word);
	free(w->text);
	free(w->slot);
	memset(w, 0, sizeof(*w));
}

/* A tokenizer whose model counts the words that it is given. */
struct bt_word_cutter {
	struct bt_tok tok;
	struct bt_model model;
};

struct bt_word_scratch {
	struct bt_tok_buffers buffers;
	struct bt_pieces none;
};

static int count_word(const struct bt_model *model, void *work,
                      const uint8_t *text, size_t from, size_t to,
                      struct bt_pieces *out)
{
	(void)model;
	(void)out;
	return bt_words_add(work, text + from, to - from, 1);
}

static int add_bert(struct bt_tok *t, bool lower, struct bt_error *err)
{
	struct bt_bertnorm_opts o = {BT_SCHOOL_HF, true, true, lower, lower};
	int r = bt_norm_bert(&o, &t->norm[0], err);

	if (r != BT_OK)
		return r;
	t->norms = 1;
	r = bt_pretok_bert(bt_norm_bert_table(t->norm[0]), &t->pretok[0], err);
	if (r == BT_OK)
		t->pretoks = 1;
	return r;
}

int bt_word_cutter_new(enum bt_word_kind kind, bool lower,
                       struct bt_word_cutter **cutter, struct bt_error *err)
{
	static const struct bt_model_ops ops = {.cut = count_word};
	struct bt_word_cutter *c = bt_array0(1, sizeof(*c));
	int r;

	if (c == NULL)
		return bt_error_nomem(err, "counting words");
	c->model.ops = &ops;
	c->tok.model = &c->model;
	c->tok.bytes.split = true;
	r = kind == BT_WORDS_BERT ? add_bert(&c->tok, lower, err)
	                          : bt_tok_add_bytes(&c->tok, err);
	if (r != BT_OK) {
		bt_word_cutter_free(c);
		return r;
	}
	*cutter = c;
	return BT_OK;
}

void bt_word_cutter_free(struct bt_word_cutter *c)
{
	int i;

	if (c == NULL)
		return;
	for (i = 0; i < c->tok.pretoks; i++)
		bt_pretok_free(c->tok.pretok[i]);
	for (i = 0; i < c->tok.norms; i++)
		bt_norm_free(c->tok.norm[i]);
	bt_buf_clear(&c->tok.steps);
	free(c->tok.table);
	free(c);
}

struct bt_word_scratch *bt_word_scratch_new(void)
{
	return bt_array0(1, sizeof(struct bt_word_scratch));
}

void bt_word_scratch_free(struct bt_word_scratch *s)
{
	if (s == NULL)
		return;
	bt_tok_buffers_clear(&s->buffers);
	free(s->none.piece);
	free(s);
}

int bt_word_cut(const struct bt_word_cutter *c, struct bt_word_scratch *s,
                struct bt_span text, struct bt_words *words,
                struct bt_error *err)
{
	size_t good = bt_charset_check(BT_CHARSET_UTF8, text.p, text.n);

	if (text.n > INT32_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "a text of %zu bytes is too long", text.n);
	if (good != text.n)
		return bt_error_set(err, BT_EFORMAT,
		                    "the text is not valid UTF-8 at byte %zu",
		                    good);
	s->buffers.work = words;
	if (bt_tok_run(&c->tok, &s->buffers, text, false, &s->none) != BT_OK)
		return bt_error_nomem(err, "counting words");
	return BT_OK;
}
