/* SPDX-License-Identifier: MIT */
/*
 * The pieces of words that a thread met, since words come again: a table by
 * hash, of which a line of the processor's cache holds two words, or one that
 * is long. Where a line is full its neighbour takes what has room there; else a
 * new word takes the place of the older one. Words of more than
 * BT_WORD_KEY bytes or BT_WORD_KEPT pieces are not kept, nor are those whose
 * pieces do not follow each other up to the end. A struct bt_word_cache belongs
 * to one thread and one model; zero keeps nothing.
 */
#ifndef BT_TOKENIZER_WORD_CACHE_H
#define BT_TOKENIZER_WORD_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "tokenizer/token_buffer.h"

#define BT_WORD_BITS 16 /* of most lines that a thread keeps: 4 MB */
#define BT_WORD_KEY 23
#define BT_WORD_KEPT 7
#define BT_WORD_SHORT 15 /* most bytes, and pieces, of half a line */
#define BT_WORD_FEW 3

struct bt_word_slot {
	uint64_t key[2]; /* the word's first bytes, and zeros; the last byte is
	                  * its length, or BT_WORD_LONG; 0: free */
	int32_t id[BT_WORD_FEW];
	uint8_t size[2]; /* of the first pieces; the last has the rest */
	uint8_t unused, n;
};
#define BT_WORD_LONG 255 /* more bytes than BT_WORD_SHORT */

/* The other half of a line whose word is long or has many pieces. */
struct bt_word_more {
	uint64_t key;    /* bytes behind the first BT_WORD_SHORT, and zeros */
	uint8_t size[5]; /* of the third piece and those behind */
	uint8_t len, unused;
	uint8_t both; /* BT_WORD_LONG, which ends no short word's key */
	int32_t id[BT_WORD_KEPT - BT_WORD_FEW];
};

struct bt_word_line {
	struct bt_word_slot first;
	union {
		struct bt_word_slot second;
		struct bt_word_more more;
	};
};
_Static_assert(sizeof(struct bt_word_line) == 64, "a cache line");
_Static_assert(offsetof(struct bt_word_more, both) == 15,
               "where keys have their length");

/* How a half's key ends: the length of a short word, BT_WORD_LONG, or 0. */
static inline unsigned bt_word_mark(const struct bt_word_slot *s)
{
	return (unsigned)(s->key[1] >> 56);
}

struct bt_word_cache {
	struct bt_word_line *line; /* [1 << bits], or NULL */
	unsigned bits, most;
	unsigned shift; /* of a hash to the line's number */
	unsigned quick; /* most bytes of words whose key is made in line */
	size_t kept;    /* since it has this size */
	struct bt_arena arena;
};

/* Makes a few lines, which will grow to 1 << most. Returns 0 or BT_ENOMEM. */
int bt_word_cache_init(struct bt_word_cache *c, unsigned most) BT_MUST_USE;
void bt_word_cache_clear(struct bt_word_cache *c);

/* Makes the lines more where there are many words: three for two lines. Nothing
 * that was looked for before is to be kept afterwards. */
void bt_word_cache_grow(struct bt_word_cache *c);
static inline void bt_word_cache_tend(struct bt_word_cache *c)
{
	if (c->bits < c->most && c->kept >> (c->bits - 1) > 2)
		bt_word_cache_grow(c);
}

/* Words looked for at a time, where there are many. */
#define BT_WORDS_AHEAD 32

/* A word that is looked for. */
struct bt_word_query {
	uint64_t key[2], more; /* as in the line; more: of long words */
	size_t n;
	struct bt_word_line *line; /* its place; NULL: it is not to be kept */
};

static inline uint64_t bt_word_eight(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

/* Which bits of a key are of a word of n bytes. */
extern const uint64_t bt_word_mask[BT_WORD_SHORT + 1][2];

static inline struct bt_word_line *bt_word_place(const struct bt_word_cache *c,
                                                 const uint64_t key[2])
{
	/* odd numbers with bits everywhere, the first 2^64 / golden ratio */
	uint64_t h = key[0] + key[1] * 0xbf58476d1ce4e5b9u;

	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
	return &c->line[h >> c->shift];
}

/* The same as bt_word_seek, of any word, behind which nothing is read. */
void bt_word_seek_any(const struct bt_word_cache *c, const uint8_t *p, size_t n,
                      struct bt_word_query *q);

/* Sets q to the word of n bytes, at least one, at p, in a text that can be read
 * up to end, and begins to load its place. */
static inline void bt_word_seek(const struct bt_word_cache *c, const uint8_t *p,
                                size_t n, const uint8_t *end,
                                struct bt_word_query *q)
{
	if (n > c->quick || end - p < 16) {
		bt_word_seek_any(c, p, n, q);
		return;
	}
	/* one way for all, since to guess their lengths costs more */
	q->key[0] = bt_word_eight(p) & bt_word_mask[n][0];
	q->key[1] = (bt_word_eight(p + 8) & bt_word_mask[n][1]) | (uint64_t)n
	                                                              << 56;
	q->n = n;
	q->line = bt_word_place(c, q->key);
	__builtin_prefetch(q->line);
}

/* 0 if the key is that of this half of its line. */
static inline uint64_t bt_word_differs(const struct bt_word_slot *s,
                                       const struct bt_word_query *q)
{
	return (s->key[0] ^ q->key[0]) | (s->key[1] ^ q->key[1]);
}

/* Looks for it in the neighbour of its line. */
const struct bt_word_slot *bt_word_find_beside(const struct bt_word_cache *c,
                                               struct bt_word_query *q);

/* Looks for it in its line. Which half it is cannot be guessed, so that both
 * are looked at. */
static inline const struct bt_word_slot *
bt_word_find_in(const struct bt_word_query *q)
{
	const struct bt_word_line *l = q->line;
	uint64_t first, second;

	if (l == NULL)
		return NULL;
	first = bt_word_differs(&l->first, q);
	if (q->n > BT_WORD_SHORT)
		return first == 0 && l->more.key == q->more &&
		               l->more.len == q->n
		           ? &l->first
		           : NULL;
	second = bt_word_differs(&l->second, q);
	if (first != 0 && second != 0)
		return NULL;
	return second == 0 ? &l->second : &l->first;
}

/* Where the word is kept, or NULL; q->line is then the line that has it. */
static inline const struct bt_word_slot *
bt_word_find(const struct bt_word_cache *c, struct bt_word_query *q)
{
	const struct bt_word_slot *s = bt_word_find_in(q);

	return s != NULL ? s : bt_word_find_beside(c, q);
}

/* Sets the third of n pieces and those behind. */
void bt_word_recall_many(const struct bt_word_line *l, struct bt_piece *p);

/* Appends the pieces of a word that bt_word_find found, which begins at from.
 * Returns 0 or BT_ENOMEM. */
static inline int bt_word_recall(const struct bt_word_query *q,
                                 const struct bt_word_slot *s, size_t from,
                                 struct bt_pieces *out)
{
	uint32_t at = (uint32_t)from, next = at + s->size[0];
	struct bt_piece *p;

	if (bt_pieces_room(out, BT_WORD_KEPT) != BT_OK)
		return BT_ENOMEM;
	p = out->piece + out->n;
	out->n += s->n;
	/* all three, since to guess their number costs more */
	p[0] = (struct bt_piece){s->id[0], at, next};
	p[1] = (struct bt_piece){s->id[1], next, next + s->size[1]};
	p[2] =
	    (struct bt_piece){s->id[2], next + s->size[1], at + (uint32_t)q->n};
	if (s->n > BT_WORD_FEW)
		bt_word_recall_many(q->line, p);
	return BT_OK;
}

/* The same where they are ids. */
static inline int bt_word_recall_ids(const struct bt_word_query *q,
                                     const struct bt_word_slot *s,
                                     struct bt_pieces *out)
{
	int32_t *id;

	if (bt_pieces_room_ids(out, BT_WORD_KEPT) != BT_OK)
		return BT_ENOMEM;
	id = out->id + out->n;
	out->n += s->n;
	/* one store, of what is behind the ids, too */
	memcpy(id, (const uint8_t *)s + offsetof(struct bt_word_slot, id), 16);
	if (s->n > BT_WORD_FEW)
		memcpy(id + BT_WORD_FEW, q->line->more.id,
		       sizeof(q->line->more.id));
	return BT_OK;
}

/* Keeps the n pieces at p of a word that is not kept, if it can
 * be kept. */
void bt_word_keep(struct bt_word_cache *c, const struct bt_word_query *q,
                  size_t from, const struct bt_piece *p, size_t n);

#endif
