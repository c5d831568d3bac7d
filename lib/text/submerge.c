/* SPDX-License-Identifier: MIT */
/* The pairs of a vocabulary in training, merged one after the other. */
#include "text/subwords_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define NONE UINT32_MAX
#define PREFIX_LEN 2

/* Two tokens that were neighbours. */
struct pair {
	uint64_t key;   /* a << 32 | b */
	uint64_t count; /* in all words; what is merged is not taken away */
	uint32_t
	    found;  /* where it is new since the last merge: a place, NONE */
	bool ruled; /* it was merged */
};

/* A word in which a pair stands. */
struct place {
	uint32_t word, next;
};

/* A pair that could be merged in some words. */
struct chance {
	uint64_t count, key;
	uint32_t pair, place;
};

struct merger {
	struct bt_subtrain *t;
	struct pair *pair;
	size_t pairs, pairs_cap;
	uint32_t *slot; /* [slots] pairs by hash: 1 + which, 0: none */
	size_t slots;
	struct place *place;
	size_t places, places_cap;
	uint32_t free_place; /* a list of them */
	struct chance *heap;
	size_t chances, heap_cap;
	uint32_t *fresh; /* pairs of which found is set */
	size_t freshes, fresh_cap;
	size_t done; /* merges */
};

static size_t find_slot(const struct merger *m, uint64_t key)
{
	size_t i = (size_t)bt_hash_mix(key) & (m->slots - 1);

	while (m->slot[i] != 0 && m->pair[m->slot[i] - 1].key != key)
		i = (i + 1) & (m->slots - 1);
	return i;
}

static int more_slots(struct merger *m)
{
	size_t slots = m->slots == 0 ? 4096 : 2 * m->slots, i;
	uint32_t *slot = bt_array0(slots, sizeof(*slot));

	if (slot == NULL)
		return BT_ENOMEM;
	free(m->slot);
	m->slot = slot;
	m->slots = slots;
	for (i = 0; i < m->pairs; i++)
		slot[find_slot(m, m->pair[i].key)] = (uint32_t)i + 1;
	return BT_OK;
}

static int find_pair(struct merger *m, uint32_t a, uint32_t b, uint32_t *which)
{
	uint64_t key = (uint64_t)a << 32 | b;
	size_t i;

	if (2 * m->pairs >= m->slots && more_slots(m) != BT_OK)
		return BT_ENOMEM;
	i = find_slot(m, key);
	if (m->slot[i] == 0) {
		if (m->pairs == NONE - 1 ||
		    bt_grow(&m->pair, &m->pairs_cap, m->pairs + 1,
		            sizeof(*m->pair)) != BT_OK)
			return BT_ENOMEM;
		m->pair[m->pairs] = (struct pair){key, 0, NONE, false};
		m->slot[i] = (uint32_t)++m->pairs;
	}
	*which = m->slot[i] - 1;
	return BT_OK;
}

static int new_place(struct merger *m, struct place p, uint32_t *at)
{
	if (m->free_place != NONE) {
		*at = m->free_place;
		m->free_place = m->place[*at].next;
	} else {
		if (m->places == NONE ||
		    bt_grow(&m->place, &m->places_cap, m->places + 1,
		            sizeof(*m->place)) != BT_OK)
			return BT_ENOMEM;
		*at = (uint32_t)m->places++;
	}
	m->place[*at] = p;
	return BT_OK;
}

/* Counts a pair of neighbours in a word. */
static int add_pair(struct merger *m, uint32_t a, uint32_t b, size_t word)
{
	uint32_t which, at;
	struct pair *p;

	if (a == BT_SYMBOL_NONE || b == BT_SYMBOL_NONE)
		return BT_OK;
	if (find_pair(m, a, b, &which) != BT_OK)
		return BT_ENOMEM;
	p = &m->pair[which];
	p->count += m->t->word[word].count;
	if (p->found == NONE) {
		if (bt_grow(&m->fresh, &m->fresh_cap, m->freshes + 1,
		            sizeof(*m->fresh)) != BT_OK)
			return BT_ENOMEM;
		m->fresh[m->freshes++] = which;
	} else if (m->place[p->found].word == word) {
		return BT_OK;
	}
	if (new_place(m, (struct place){(uint32_t)word, p->found}, &at) !=
	    BT_OK)
		return BT_ENOMEM;
	p->found = at;
	return BT_OK;
}

static int drop_pair(struct merger *m, uint32_t a, uint32_t b, size_t word)
{
	uint32_t which;

	if (a == BT_SYMBOL_NONE || b == BT_SYMBOL_NONE)
		return BT_OK;
	if (find_pair(m, a, b, &which) != BT_OK)
		return BT_ENOMEM;
	m->pair[which].count -= m->t->word[word].count;
	return BT_OK;
}

static bool is_before(const struct chance *a, const struct chance *b)
{
	return a->count > b->count || (a->count == b->count && a->key < b->key);
}

static int push(struct merger *m, struct chance c)
{
	size_t i = m->chances, up;
	struct chance *h;

	if (bt_grow(&m->heap, &m->heap_cap, i + 1, sizeof(*m->heap)) != BT_OK)
		return BT_ENOMEM;
	h = m->heap;
	for (m->chances++; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!is_before(&c, &h[up]))
			break;
		h[i] = h[up];
	}
	h[i] = c;
	return BT_OK;
}

static struct chance pop(struct merger *m)
{
	struct chance *h = m->heap, top = h[0], c = h[--m->chances];
	size_t i = 0, down;

	while ((down = 2 * i + 1) < m->chances) {
		if (down + 1 < m->chances && is_before(&h[down + 1], &h[down]))
			down++;
		if (!is_before(&h[down], &c))
			break;
		h[i] = h[down];
		i = down;
	}
	h[i] = c;
	return top;
}

/* Makes chances of the pairs that are new. */
static int push_fresh(struct merger *m)
{
	struct pair *p;
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < m->freshes; i++) {
		p = &m->pair[m->fresh[i]];
		if (p->count > 0)
			r = push(m, (struct chance){p->count, p->key,
			                            m->fresh[i], p->found});
		p->found = NONE;
	}
	m->freshes = 0;
	return r;
}

/* Merges a and b to id wherever they stand in a word. */
static int merge_word(struct merger *m, size_t word, uint32_t a, uint32_t b,
                      uint32_t id)
{
	struct bt_sub_word *w = &m->t->word[word];
	uint32_t *s = m->t->symbol + w->at;
	size_t from, to = 0;
	int r = BT_OK;

	for (from = 0; r == BT_OK && from < w->n; from++, to++) {
		s[to] = s[from];
		if (s[from] != a || from + 1 == w->n || s[from + 1] != b)
			continue;
		s[to] = id;
		if (to > 0)
			r = drop_pair(m, s[to - 1], a, word);
		if (r == BT_OK && to > 0)
			r = add_pair(m, s[to - 1], id, word);
		from++;
		if (from + 1 == w->n)
			continue;
		if (r == BT_OK)
			r = drop_pair(m, b, s[from + 1], word);
		if (r == BT_OK)
			r = add_pair(m, id, s[from + 1], word);
	}
	w->n = to;
	return r;
}

/* Merges a pair in the words of a chance. */
static int merge(struct merger *m, const struct chance *c)
{
	const struct bt_subwords *o = m->t->out;
	uint32_t a = (uint32_t)(c->key >> 32), b = (uint32_t)c->key, id, at, k;
	struct bt_span second = o->token[b];
	int r;

	if (m->t->opts->kind != BT_WORDS_BYTES) {
		second.p += PREFIX_LEN;
		second.n -= PREFIX_LEN;
	}
	r = bt_sub_intern(m->t, o->token[a], second, &id);
	m->done++;
	m->pair[c->pair].ruled = true;
	for (at = c->place; r == BT_OK && at != NONE; at = k) {
		k = m->place[at].next;
		if (m->t->word[m->place[at].word].merged != m->done) {
			m->t->word[m->place[at].word].merged = m->done;
			r = merge_word(m, m->place[at].word, a, b, id);
		}
		m->place[at].next = m->free_place;
		m->free_place = at;
	}
	return r == BT_OK ? push_fresh(m) : r;
}

/* Notes the merge, for the last time if the pair was merged before. */
static int note(struct merger *m, const struct chance *c)
{
	struct bt_subwords *o = m->t->out;

	if (bt_grow(&o->merge, &o->merges_cap, o->merges + 1,
	            sizeof(*o->merge)) != BT_OK)
		return BT_ENOMEM;
	o->merge[o->merges++] = (struct bt_subword_merge){
	    (uint32_t)(c->key >> 32), (uint32_t)c->key};
	return BT_OK;
}

/* Of merges of the same pair, leaves the last. */
static int drop_repeats(struct merger *m)
{
	struct bt_subwords *o = m->t->out;
	size_t i = o->merges, to = o->merges;
	uint32_t which;

	while (i-- > 0) {
		if (find_pair(m, o->merge[i].a, o->merge[i].b, &which) != BT_OK)
			return BT_ENOMEM;
		if (!m->pair[which].ruled)
			continue;
		m->pair[which].ruled = false;
		o->merge[--to] = o->merge[i];
	}
	o->merges -= to;
	if (to > 0 && o->merges > 0)
		memmove(o->merge, o->merge + to, o->merges * sizeof(*o->merge));
	return BT_OK;
}

static int count_pairs(struct merger *m)
{
	const struct bt_subtrain *t = m->t;
	const uint32_t *s;
	size_t i, k;

	for (i = 0; i < t->words; i++) {
		s = t->symbol + t->word[i].at;
		for (k = 0; k + 1 < t->word[i].n; k++)
			if (add_pair(m, s[k], s[k + 1], i) != BT_OK)
				return BT_ENOMEM;
	}
	return push_fresh(m);
}

static int run(struct merger *m)
{
	const struct bt_subword_opts *o = m->t->opts;
	struct chance c;
	uint64_t now;
	int r = count_pairs(m);

	while (r == BT_OK && m->t->out->n < o->size && m->chances > 0) {
		c = pop(m);
		now = m->pair[c.pair].count;
		if (now != c.count) { /* other merges took some away */
			c.count = now;
			r = push(m, c);
			continue;
		}
		if (now == 0 || now < o->min_count)
			break;
		r = note(m, &c);
		if (r == BT_OK)
			r = merge(m, &c);
	}
	return r == BT_OK ? drop_repeats(m) : r;
}

int bt_sub_merge(struct bt_subtrain *t)
{
	struct merger m = {.t = t, .free_place = NONE};
	int r = t->words < NONE ? run(&m) : BT_ENOMEM;

	free(m.pair);
	free(m.slot);
	free(m.place);
	free(m.heap);
	free(m.fresh);
	return r;
}
