/* SPDX-License-Identifier: MIT */
#include "finetune/masking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/philox.h"
#include "finetune/dataset.h"
#include "tokenizer/tokenizer.h"

enum { SPECIAL, BEGINS, GOES_ON }; /* a token, of a word */

static bool starts(struct bt_span s, const char *with)
{
	size_t n = strlen(with);

	return s.n >= n && memcmp(s.p, with, n) == 0;
}

/* What marks the tokens of a vocabulary that begin a word, or go on with one:
 * WordPiece has "##" before the latter, SentencePiece and byte-level BPE have a
 * sign for the space before the former. */
static int kind_of(struct bt_span token, const char *space)
{
	if (token.n == 0)
		return SPECIAL;
	if (space != NULL)
		return starts(token, space) ? BEGINS : GOES_ON;
	return starts(token, "##") ? GOES_ON : BEGINS;
}

#define SENTENCEPIECE "\xe2\x96\x81"
#define BYTE_LEVEL "\xc4\xa0"

/* The sign of a space, or NULL: that which more tokens have. */
static const char *find_space(const struct bt_tok *tok)
{
	size_t n = bt_tok_size(tok), pieces = 0, spaces = 0, signs = 0, i;
	struct bt_span s;

	for (i = 0; i < n; i++) {
		s = bt_tok_token(tok, (int32_t)i);
		pieces += starts(s, "##");
		signs += starts(s, SENTENCEPIECE);
		spaces += starts(s, BYTE_LEVEL);
	}
	if (pieces >= signs && pieces >= spaces)
		return NULL;
	return signs > spaces ? SENTENCEPIECE : BYTE_LEVEL;
}

int bt_masking_init(struct bt_masking *m, const struct bt_tok *tok,
                    double share, bool whole_words, uint64_t seed,
                    struct bt_error *err)
{
	const char *space = find_space(tok);
	int32_t i, id;
	bool any = false;
	int role;

	*m = (struct bt_masking){.share = share,
	                         .whole_words = whole_words,
	                         .seed = seed,
	                         .mask = bt_tok_role(tok, BT_TOK_MASK),
	                         .tokens = (int32_t)bt_tok_size(tok)};
	if (m->mask < 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "the tokenizer has no token for a mask");
	m->kind = bt_array((size_t)m->tokens, 1);
	if (m->kind == NULL)
		return bt_error_nomem(err, "masking tokens");
	for (i = 0; i < m->tokens; i++)
		m->kind[i] = (uint8_t)kind_of(bt_tok_token(tok, i), space);
	for (role = 0; role < BT_TOK_ROLES; role++)
		if ((id = bt_tok_role(tok, (enum bt_tok_role)role)) >= 0 &&
		    id < m->tokens)
			m->kind[id] = SPECIAL;
	for (i = 0; i < m->tokens; i++)
		any |= m->kind[i] != SPECIAL;
	if (any)
		return BT_OK;
	bt_masking_clear(m);
	return bt_error_set(err, BT_EFORMAT,
	                    "the tokenizer has only special tokens");
}

void bt_masking_clear(struct bt_masking *m)
{
	free(m->kind);
	free(m->word);
	free(m->label);
	memset(m, 0, sizeof(*m));
}

static int kind_at(const struct bt_masking *m, int32_t id)
{
	return id < m->tokens ? m->kind[id] : SPECIAL;
}

size_t bt_masking_most(const struct bt_masking *m, size_t n)
{
	double k = floor(m->share * (double)n + 0.5);

	return n == 0 ? 0 : k < 1 ? 1 : (size_t)k;
}

/* Whether token i goes on with what token i - 1 belongs to. */
static bool goes_on(const struct bt_masking *m, const int32_t *ids, size_t i)
{
	return m->whole_words && kind_at(m, ids[i]) == GOES_ON && i > 0 &&
	       kind_at(m, ids[i - 1]) != SPECIAL;
}

/* Fills m->word; *tokens are those that are not special. */
static size_t find_words(struct bt_masking *m, size_t n, const int32_t *ids,
                         size_t *tokens)
{
	size_t i, words = 0;

	*tokens = 0;
	if (bt_grow(&m->word, &m->cap, n, sizeof(*m->word)) != BT_OK)
		return 0; /* no text is so long */
	for (i = 0; i < n; i++) {
		if (kind_at(m, ids[i]) == SPECIAL)
			continue;
		++*tokens;
		if (!goes_on(m, ids, i))
			m->word[words++] = (uint32_t)i;
	}
	return words;
}

/* Random numbers of one text at one step, one after the other. */
struct draws {
	const struct bt_masking *m;
	uint32_t step;
	uint64_t element;
};

static uint64_t draw(struct draws *d, uint64_t below)
{
	return bt_random_below(d->m->seed, BT_PURPOSE_MASK, d->step,
	                       d->element++, below);
}

static void replace(const struct bt_masking *m, struct draws *d, int32_t *id)
{
	uint64_t chance = draw(d, 10);

	if (chance < 8)
		*id = m->mask;
	if (chance != 8)
		return;
	do
		*id = (int32_t)draw(d, (uint64_t)m->tokens);
	while (m->kind[*id] == SPECIAL);
}

/* Chooses words of the text, in an order drawn by lot, as long as they fit in:
 * label is what was BT_TOKEN_INSIDE throughout. */
static size_t choose(struct bt_masking *m, struct draws *d, size_t n,
                     const int32_t *ids, int32_t *label)
{
	size_t tokens, words = find_words(m, n, ids, &tokens), i, k, at, end;
	size_t most = bt_masking_most(m, tokens), done = 0;

	for (i = 0; i < n; i++)
		label[i] = BT_TOKEN_INSIDE;
	for (i = 0; i < words && done < most; i++) {
		k = i + (size_t)draw(d, words - i);
		at = m->word[k];
		m->word[k] = m->word[i];
		for (end = at + 1; end < n && goes_on(m, ids, end);)
			end++;
		if (done + (end - at) > most)
			continue;
		done += end - at;
		while (end-- > at)
			label[end] = ids[end];
	}
	return done;
}

static struct draws draws_of(const struct bt_masking *m, uint32_t step,
                             uint64_t number)
{
	return (struct draws){m, step, number << 24};
}

size_t bt_masking_apply(struct bt_masking *m, uint32_t step, uint64_t number,
                        size_t n, int32_t *ids, int32_t *label)
{
	struct draws d = draws_of(m, step, number);
	size_t done = choose(m, &d, n, ids, label), i;

	for (i = 0; i < n; i++)
		if (label[i] != BT_TOKEN_INSIDE)
			replace(m, &d, &ids[i]);
	return done;
}

size_t bt_masking_count(struct bt_masking *m, uint32_t step, uint64_t number,
                        size_t n, const int32_t *ids)
{
	struct draws d = draws_of(m, step, number);
	size_t tokens;

	if (m->whole_words &&
	    bt_grow(&m->label, &m->label_cap, n, sizeof(*m->label)) == BT_OK)
		return choose(m, &d, n, ids, m->label);
	(void)find_words(m, n, ids, &tokens);
	return bt_masking_most(m, tokens);
}

void bt_masking_fix(struct bt_masking *m, struct bt_dataset *d)
{
	size_t i, at;

	for (i = 0; i < d->n; i++) {
		at = (size_t)d->start[i];
		if (bt_dataset_selected(d, i) == 0)
			(void)bt_masking_apply(
			    m, BT_MASKING_FIXED, d->before + i,
			    bt_dataset_length(d, i), d->ids + at,
			    d->token_label + at);
	}
}

bool bt_masking_finds(struct bt_masking *m, const struct bt_dataset *d)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (bt_dataset_selected(d, i) > 0 ||
		    bt_masking_count(m, 0, i, bt_dataset_length(d, i),
		                     d->ids + d->start[i]) > 0)
			return true;
	return false;
}

void bt_masking_mark(const struct bt_masking *m, struct bt_dataset *d)
{
	size_t i, n = d->n > 0 ? (size_t)d->start[d->n] : 0;

	for (i = 0; i < n; i++)
		if (d->ids[i] == m->mask)
			d->token_label[i] = BT_TOKEN_UNLABELLED;
}

int bt_masking_each(const struct bt_masking *m, const struct bt_dataset *d,
                    size_t i, size_t *at, size_t most, struct bt_dataset *out,
                    struct bt_error *err)
{
	size_t n = bt_dataset_length(d, i), k, copies = 0;
	const int32_t *ids = d->ids + d->start[i];
	const int32_t *label = d->token_label + d->start[i]; /* former ids */
	int32_t id;
	struct bt_token_rec rec = {.types = d->types + d->start[i],
	                           .n = n,
	                           .per_token = true,
	                           .selects = true,
	                           .has_token_labels = true,
	                           .weight = d->weight[i]};
	int r = BT_OK;

	rec.ids = bt_array(n, sizeof(*rec.ids));
	rec.token_label = bt_array(n, sizeof(*rec.token_label));
	if (rec.ids == NULL || rec.token_label == NULL)
		r = bt_error_nomem(err, "masking tokens");
	for (k = 0; k < n && r == BT_OK; k++) {
		rec.ids[k] = label[k] >= 0 ? label[k] : ids[k];
		rec.token_label[k] = BT_TOKEN_INSIDE;
	}
	for (k = *at; k < n && copies < most && r == BT_OK; k++) {
		id = rec.ids[k];
		if (kind_at(m, id) == SPECIAL)
			continue;
		copies++;
		rec.ids[k] = m->mask;
		rec.token_label[k] = id;
		r = bt_dataset_add(out, &rec, BT_NEXT_UNKNOWN, err);
		rec.ids[k] = id;
		rec.token_label[k] = BT_TOKEN_INSIDE;
	}
	*at = k;
	free(rec.ids);
	free(rec.token_label);
	return r;
}
