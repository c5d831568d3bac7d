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
	unsigned bits, most;
	size_t kept; /* since it has this size */
	struct bt_arena arena;
};

/* Makes a few places, which will grow to 1 << most. Returns 0 or BT_ENOMEM. */
int bt_word_cache_init(struct bt_word_cache *c, unsigned most) BT_MUST_USE;
void bt_word_cache_clear(struct bt_word_cache *c);

/* Makes the places more where there are many words. Nothing that was looked for
 * before is to be kept afterwards. */
void bt_word_cache_grow(struct bt_word_cache *c);
static inline void bt_word_cache_tend(struct bt_word_cache *c)
{
	if (c->kept >> c->bits != 0 && c->bits < c->most)
		bt_word_cache_grow(c);
}

/* Words looked for at a time, where there are many. */
#define BT_WORDS_AHEAD 16

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

static inline struct bt_word_slot *
bt_word_place(const struct bt_word_cache *c, const uint64_t key[3], size_t n)
{
	/* odd numbers with bits everywhere, the first 2^64 / golden ratio */
	uint64_t h = (key[0] + n) * 0x9e3779b97f4a7c15u;

	h ^= key[1] * 0xbf58476d1ce4e5b9u;
	h ^= key[2] * 0x94d049bb133111ebu;
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
	return &c->slot[h >> (64 - c->bits)];
}

/* Sets q to the word of n bytes, at least one, at p, in a text that ends at
 * end, and begins to load its place. */
static inline void bt_word_seek(const struct bt_word_cache *c, const uint8_t *p,
                                size_t n, const uint8_t *end,
                                struct bt_word_query *q)
{
	q->slot = NULL;
	if (c->slot == NULL || n > BT_WORD_KEY)
		return;
	bt_word_key(p, n, end, q->key);
	q->n = n;
	q->slot = bt_word_place(c, q->key, n);
	__builtin_prefetch(q->slot);
}

/* True if the word is kept. */
static inline bool bt_word_is_kept(const struct bt_word_query *q)
{
	const struct bt_word_slot *s = q->slot;

	return s != NULL && s->len == q->n && s->key[0] == q->key[0] &&
	       s->key[1] == q->key[1] && s->key[2] == q->key[2];
}

/* Appends the pieces of a word that bt_word_is_kept, which begins at from.
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

/* Keeps the n pieces at p of a word that is not kept, if it can
 * be kept. */
void bt_word_keep(struct bt_word_cache *c, const struct bt_word_query *q,
                  size_t from, const struct bt_piece *p, size_t n);

#endif
