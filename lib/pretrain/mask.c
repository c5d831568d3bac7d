/* SPDX-License-Identifier: MIT */
/*
 * Words, or n-grams of them, are shuffled and taken from the end as long as
 * there is room for tokens. Devlin et al. 2018, "BERT", 3.1: of 80 % of them
 * all tokens become the mask, of 10 % random ones, and 10 % stay.
 */
#include "pretrain/mask_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pretrain/python_random_int.h"

static int find_roles(struct bt_mask *m, const struct bt_tok *tok,
                      struct bt_error *err)
{
	struct bt_span s;
	uint32_t i;

	m->cls = bt_tok_role(tok, BT_TOK_CLS);
	m->sep = bt_tok_role(tok, BT_TOK_SEP);
	m->mask = bt_tok_role(tok, BT_TOK_MASK);
	if (m->mask < 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "the vocabulary has no token for a mask");
	for (i = 0; i < m->vocabulary; i++) {
		s = bt_tok_token(tok, (int32_t)i);
		m->goes_on[i] = s.n >= 2 && memcmp(s.p, "##", 2) == 0;
	}
	return BT_OK;
}

int bt_mask_init(struct bt_mask *m, const struct bt_mask_opts *o,
                 const struct bt_tok *tok, struct bt_mt19937 *random,
                 int64_t seed, struct bt_error *err)
{
	size_t grams, k, n = (size_t)o->ngram;

	*m = (struct bt_mask){.o = *o,
	                      .random = random,
	                      .vocabulary = (uint32_t)bt_tok_size(tok)};
	bt_python_random_init(&m->sizes, seed);
	if (!bt_size_mul(n, o->tokens, &grams))
		return bt_error_nomem(err, "masking tokens");
	m->goes_on = bt_array0(m->vocabulary, sizeof(*m->goes_on));
	m->gram = bt_array(o->tokens, sizeof(*m->gram));
	m->list = bt_array(grams, sizeof(*m->list));
	m->count = bt_array(n, sizeof(*m->count));
	m->weight = bt_array(n, sizeof(*m->weight));
	m->chosen = bt_array(o->tokens, sizeof(*m->chosen));
	m->masked = bt_array(o->tokens, sizeof(*m->masked));
	if (m->goes_on == NULL || m->gram == NULL || m->list == NULL ||
	    m->count == NULL || m->weight == NULL || m->chosen == NULL ||
	    m->masked == NULL)
		return bt_error_nomem(err, "masking tokens");
	for (k = 0; k < n; k++)
		m->weight[k] =
		    (k > 0 ? m->weight[k - 1] : 0) + 1 / (double)(k + 1);
	return find_roles(m, tok, err);
}

void bt_mask_clear(struct bt_mask *m)
{
	free(m->goes_on);
	free(m->gram);
	free(m->list);
	free(m->count);
	free(m->weight);
	free(m->chosen);
	free(m->masked);
	memset(m, 0, sizeof(*m));
}

/* Fills m->gram with words, or tokens, but for special ones. */
static uint32_t find_grams(struct bt_mask *m, const int32_t *ids, size_t n)
{
	bool inside = false, special;
	uint32_t grams = 0, i;

	for (i = 0; i < n; i++) {
		special = ids[i] == m->cls || ids[i] == m->sep;
		if (m->o.words && inside && m->goes_on[ids[i]]) {
			m->gram[grams - 1].end = i + 1;
			continue;
		}
		inside = !special;
		if (inside)
			m->gram[grams++] = (struct bt_gram){i, i + 1};
	}
	return grams;
}

/* The n-grams of each size, shuffled. */
static void list_ngrams(struct bt_mask *m, uint32_t grams)
{
	struct bt_gram *list;
	uint32_t i, j, size;
	int k;

	for (k = 0; k < m->o.ngram; k++) {
		list = m->list + (size_t)k * m->o.tokens;
		size = (uint32_t)k + 1;
		m->count[k] = 0;
		for (i = 0; i + size <= grams; i++) {
			for (j = i; j + 1 < i + size; j++)
				if (m->gram[j].end != m->gram[j + 1].begin)
					break;
			if (j + 1 == i + size)
				list[m->count[k]++] = (struct bt_gram){
				    m->gram[i].begin, m->gram[j].end};
		}
	}
	for (k = 0; k < m->o.ngram; k++)
		bt_python_random_shuffle(m->random,
		                         m->list + (size_t)k * m->o.tokens,
		                         m->count[k], sizeof(*m->list));
}

static bool any_left(const struct bt_mask *m)
{
	int k = 0;

	while (k < m->o.ngram && m->count[k] == 0)
		k++;
	return k < m->o.ngram;
}

/* A size less one, n with the weight 1 / n: random.choices(). */
static int draw_size(struct bt_mask *m)
{
	int k = 0, last = m->o.ngram - 1;
	double at;

	if (last == 0)
		return 0;
	at = bt_python_random_real(&m->sizes) * m->weight[last];
	while (k < last && m->weight[k] <= at)
		k++;
	return k;
}

/* Fills m->chosen with n-grams that have `most` tokens at most together, and
 * none in common. */
static size_t choose(struct bt_mask *m, size_t n, size_t most)
{
	size_t chosen = 0, tokens = 0, size;
	struct bt_gram g;
	int k;

	memset(m->masked, 0, n * sizeof(*m->masked));
	while (tokens < most && any_left(m)) {
		k = draw_size(m);
		if (tokens + (size_t)k + 1 > most) {
			m->count[k] = 0;
			continue;
		}
		if (m->count[k] == 0)
			continue;
		g = m->list[(size_t)k * m->o.tokens + --m->count[k]];
		size = g.end - g.begin;
		if (tokens + size > most ||
		    memchr(m->masked + g.begin, 1, size) != NULL)
			continue;
		memset(m->masked + g.begin, 1, size);
		tokens += size;
		m->chosen[chosen++] = g;
	}
	return chosen;
}

enum { TO_MASK, STAYS, TO_RANDOM };

static int draw_action(struct bt_mask *m)
{
	if (bt_python_random_real(m->random) < 0.8)
		return TO_MASK;
	return bt_python_random_real(m->random) < 0.5 ? STAYS : TO_RANDOM;
}

static void replace(struct bt_mask *m, struct bt_gram g, int32_t *ids)
{
	int action = draw_action(m);
	uint32_t i;

	for (i = g.begin; i < g.end && action != STAYS; i++)
		ids[i] = action == TO_MASK ? m->mask
		                           : (int32_t)bt_python_random_below(
		                                 m->random, m->vocabulary);
}

size_t bt_mask_apply(struct bt_mask *m, int32_t *ids, size_t n,
                     int32_t *position, int32_t *label)
{
	/* Python's round() takes the even one of two neighbours, as rint() */
	double share = fmax(1, rint((double)n * m->o.prob));
	size_t most = share < (double)m->o.most ? (size_t)share : m->o.most;
	size_t chosen, i, k = 0;

	list_ngrams(m, find_grams(m, ids, n));
	chosen = choose(m, n, most);
	for (i = 0; i < n; i++)
		if (m->masked[i]) {
			position[k] = (int32_t)i;
			label[k++] = ids[i];
		}
	for (i = 0; i < chosen; i++)
		replace(m, m->chosen[i], ids);
	return k;
}
