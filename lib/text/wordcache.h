/* SPDX-License-Identifier: MIT */
/*
 * The pieces of words that a thread met, since words come again: a table of
 * one cache line a word, by hash, where a new word takes the place of an old
 * one. Words of more than BT_WORD_KEY bytes or BT_WORD_KEPT pieces are not
 * kept, nor are those whose pieces do not follow each other. A struct
 * bt_word_cache belongs to one thread and one model; zero keeps nothing.
 */
#ifndef BT_TEXT_WORDCACHE_H
#define BT_TEXT_WORDCACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "text/piece.h"

#define BT_WORD_KEY 24
#define BT_WORD_KEPT 7

struct bt_word_slot {
	uint64_t key[3]; /* all of the word's bytes, some of them twice */
	int32_t id[BT_WORD_KEPT];
	uint8_t size[BT_WORD_KEPT];
	uint8_t len, n; /* bytes of the word, 0: free; pieces */
};
_Static_assert(sizeof(struct bt_word_slot) == 64, "a cache line");

struct bt_word_cache {
	struct bt_word_slot *slot; /* [1 << bits], or NULL */
	unsigned bits;
	struct bt_arena arena;
};

/* Makes 1 << bits places. Returns 0 or BT_ENOMEM. */
int bt_word_cache_init(struct bt_word_cache *c, unsigned bits) BT_MUST_USE;
void bt_word_cache_clear(struct bt_word_cache *c);

/* A word that is looked for. */
struct bt_word_query {
	uint64_t key[3];
	size_t n;
	struct bt_word_slot *slot; /* its place; NULL: it is not to be kept */
};

static inline uint64_t bt_word_load(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return v;
}

/* One way for most words, since to guess their lengths costs more. */
static inline void bt_word_key(const uint8_t *p, size_t n, const uint8_t *end,
                               uint64_t key[3])
{
	key[1] = key[2] = 0;
	if (n > 8) {
		key[0] = bt_word_load(p, 8);
		key[1] = bt_word_load(p + n - 8, 8);
		if (n > 16)
			key[2] = bt_word_load(p + 8, 8);
	} else if (end - p >= 8) {
		key[0] = bt_word_load(p, 8) & UINT64_MAX >> (64 - 8 * n);
	} else {
		key[0] = bt_word_load(p, n);
	}
}

/* Sets q to the word of n bytes, at least one, at p, in a text that ends at
 * end. True if it is kept. */
static inline bool bt_word_find(const struct bt_word_cache *c, const uint8_t *p,
                                size_t n, const uint8_t *end,
                                struct bt_word_query *q)
{
	struct bt_word_slot *s;
	uint64_t h;

	q->slot = NULL;
	if (c->slot == NULL || n > BT_WORD_KEY)
		return false;
	bt_word_key(p, n, end, q->key);
	q->n = n;
	/* odd numbers with bits everywhere, the first 2^64 / golden ratio */
	h = (q->key[0] + n) * 0x9e3779b97f4a7c15u;
	h ^= q->key[1] * 0xbf58476d1ce4e5b9u;
	h ^= q->key[2] * 0x94d049bb133111ebu;
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
	q->slot = s = &c->slot[h >> (64 - c->bits)];
	return s->len == n && s->key[0] == q->key[0] &&
	       s->key[1] == q->key[1] && s->key[2] == q->key[2];
}

/* Appends the pieces of a word that bt_word_find found, which begins at from.
 * Returns 0 or BT_ENOMEM. */
static inline int bt_word_recall(const struct bt_word_query *q, size_t from,
                                 struct bt_pieces *out)
{
	const struct bt_word_slot *s = q->slot;
	struct bt_piece *p;
	uint32_t at = (uint32_t)from;
	unsigned i;

	if (bt_pieces_room(out, BT_WORD_KEPT) != BT_OK)
		return BT_ENOMEM;
	p = out->piece + out->n;
	out->n += s->n;
	p->id = s->id[0];
	p->start = at;
	p->end = at += s->size[0];
	for (i = 1; i < s->n; i++) {
		p[i].id = s->id[i];
		p[i].start = at;
		at += s->size[i];
		p[i].end = at;
	}
	return BT_OK;
}

/* Keeps the n pieces at p of the word that bt_word_find did not find, if it can
 * be kept. */
void bt_word_keep(const struct bt_word_query *q, size_t from,
                  const struct bt_piece *p, size_t n);

#endif
