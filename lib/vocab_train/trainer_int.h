/* SPDX-License-Identifier: MIT */
/*
 * Training, whose memory is four things: the words as tokens (struct
 * bt_trainer_text), how often each pair of tokens occurs (struct
 * bt_trainer_pairs), the merges that are to be considered (struct
 * bt_trainer_chances), each with the list of the words it would change (struct
 * bt_trainer_lists). There are millions of each, so all are packed.
 */
#ifndef BT_VOCAB_TRAIN_TRAINER_INT_H
#define BT_VOCAB_TRAIN_TRAINER_INT_H

#include "base/mem.h"
#include "vocab_train/trainer.h"

/* Stands where a character is not in the alphabet. */
#define BT_SYMBOL_NONE UINT32_MAX

/* Words of two tokens or more in units of two bytes, or of four if ids need
 * them. A word is a head, how many tokens it has and how often it occurs, then
 * its tokens; where it gets fewer the rest stays unused. */
struct bt_trainer_text {
	struct bt_arena mem;
	uint64_t units; /* of which are filled, from BT_TRAINER_FIRST on */
	size_t longest; /* tokens of a word */
	bool wide;
};

struct bt_trainer_word {
	uint64_t first; /* the unit of its first token */
	uint64_t count;
	size_t n;
};

#define BT_TRAINER_FIRST 1
#define BT_TRAINER_UNITS ((uint64_t)1 << 39) /* less than that */

/* Units that a word takes: 0 if it has no two tokens. */
size_t bt_trainer_text_need(const struct bt_trainer_text *t, size_t n,
                            uint64_t count);

/* Adds a word, for which there is room, without its tokens; w is set. */
void bt_trainer_text_add(struct bt_trainer_text *t, size_t n, uint64_t count,
                         struct bt_trainer_word *w);

/* The word whose head is at a unit; a word with fewer tokens than it has. */
void bt_trainer_text_word(const struct bt_trainer_text *t, uint64_t at,
                          struct bt_trainer_word *w);
void bt_trainer_text_shorten(struct bt_trainer_text *t, uint64_t at, size_t n);

static inline uint32_t bt_trainer_text_get(const struct bt_trainer_text *t,
                                           uint64_t i)
{
	uint32_t v = t->wide ? ((const uint32_t *)t->mem.base)[i]
	                     : ((const uint16_t *)t->mem.base)[i];

	return !t->wide && v == UINT16_MAX ? BT_SYMBOL_NONE : v;
}

static inline void bt_trainer_text_set(struct bt_trainer_text *t, uint64_t i,
                                       uint32_t id)
{
	if (t->wide)
		((uint32_t *)t->mem.base)[i] = id;
	else
		((uint16_t *)t->mem.base)[i] = (uint16_t)id;
}

/* A pair of tokens, of which there are less than 2^24. */
static inline uint64_t bt_trainer_key(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 24 | b;
}

static inline uint32_t bt_trainer_key_a(uint64_t key)
{
	return (uint32_t)(key >> 24);
}

static inline uint32_t bt_trainer_key_b(uint64_t key)
{
	return (uint32_t)(key & 0xffffff);
}

/* Numbers by pair: 0 where none was set. Zero is empty. */
#define BT_TRAINER_PARTS 64
struct bt_trainer_pairs {
	struct bt_trainer_part {
		struct bt_arena mem;
		uint32_t n, cap;
	} part[BT_TRAINER_PARTS];
	uint64_t *large; /* [larges] numbers that need more than four bytes */
	size_t larges, larges_cap;
};

uint64_t bt_trainer_pairs_get(const struct bt_trainer_pairs *p, uint64_t key);

/* Adds to a number, modulo 2^64. Returns 0 or BT_ENOMEM. */
int bt_trainer_pairs_add(struct bt_trainer_pairs *p, uint64_t key,
                         uint64_t more) BT_MUST_USE;
void bt_trainer_pairs_clear(struct bt_trainer_pairs *p);

/* Lists of places, which are units where words begin: ascending, each as its
 * distance from the one before. What stands for a list is a number: 0 for an
 * empty one, an odd number for one place, else where it lies. */
struct bt_trainer_lists {
	struct bt_arena mem;
	uint64_t end, freed; /* bytes */
};

/* One list of bytes bytes, in order, is written with bt_varint_put from *at of
 * mem on. Returns 0 or BT_ENOMEM. */
int bt_trainer_lists_add(struct bt_trainer_lists *l, size_t bytes,
                         uint64_t *list, uint64_t *at) BT_MUST_USE;
void bt_trainer_lists_free(struct bt_trainer_lists *l, uint64_t list);

static inline uint64_t bt_trainer_list_of_one(uint64_t place)
{
	return place << 1 | 1;
}

struct bt_trainer_list_at {
	const uint8_t *p, *end;
	uint64_t place;
	bool one;
};

/* The places of a list, one after the other. */
void bt_trainer_list_begin(const struct bt_trainer_lists *l, uint64_t list,
                           struct bt_trainer_list_at *at);
bool bt_trainer_list_next(struct bt_trainer_list_at *at) BT_MUST_USE;

/* A pair that could be merged in some words. */
struct bt_trainer_chance {
	uint64_t count, key, list;
	uint64_t turn; /* of equal ones the first goes first */
};

/* Those that occur often enough to come soon are a heap, the others wait,
 * packed, in the order of their lists. Zero is empty. */
struct bt_trainer_chances {
	struct bt_trainer_chance *heap;
	size_t n, cap;
	uint64_t turns;
	uint64_t least;       /* that is in the heap; 0: not begun */
	struct bt_arena wait; /* packed */
	size_t waiting;
	uint64_t last_list; /* of those that wait */
	struct bt_trainer_lists lists;
};

int bt_trainer_chances_put(struct bt_trainer_chances *c, uint64_t key,
                           uint64_t count, uint64_t list) BT_MUST_USE;

/* Takes the one of the largest count, of these of the smallest key, out.
 * Returns 1, 0 if there is none of count 1 or more, or BT_ENOMEM. */
int bt_trainer_chances_take(struct bt_trainer_chances *c,
                            struct bt_trainer_chance *chance) BT_MUST_USE;

/* Moves lists together, if there is much unused between them. Returns 0 or
 * BT_ENOMEM. */
int bt_trainer_chances_tidy(struct bt_trainer_chances *c) BT_MUST_USE;
void bt_trainer_chances_clear(struct bt_trainer_chances *c);

/* What training works on. */
struct bt_trainer_state {
	const struct bt_trainer_opts *opts;
	struct bt_trainer *out;
	struct bt_trainer_text text;
	uint32_t *slot; /* [slots] tokens by hash: 1 + id, 0: none */
	size_t slots;
};

/* The id of the token that is a and b together; a new one if there is none.
 * Returns 0 or BT_ENOMEM. */
int bt_trainer_intern(struct bt_trainer_state *t, struct bt_span a,
                      struct bt_span b, uint32_t *id) BT_MUST_USE;

/* Merges pairs until out is full. */
int bt_trainer_merge(struct bt_trainer_state *t) BT_MUST_USE;

#endif
