/* SPDX-License-Identifier: MIT */
/*
 * Which merge makes one of two tokens. A merge takes eight bytes, pair and
 * number together, and stands at one of two places in one line of the cache:
 * looking takes two loads, and no branch that depends on what is found. Few
 * find no room there and stand in a table beside, as do all of a vocabulary
 * that is too large.
 */
#ifndef BT_TEXT_BPE_PAIRS_H
#define BT_TEXT_BPE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* Less than this many tokens, and merges, fit. */
#define BT_PAIRS_TOKENS ((uint32_t)1 << 20)
#define BT_PAIRS_MERGES ((uint32_t)1 << 22)

/* What is no token of a pair, and no merge. */
#define BT_PAIRS_NOBODY (BT_PAIRS_TOKENS - 1)
#define BT_NO_MERGE UINT32_MAX

/* A slot: first token << 42 | second << 22 | merge; or nothing. */
#define BT_SLOT_FIRST 42
#define BT_SLOT_SECOND 22
#define BT_SLOT_FREE ((uint64_t)1 << 62)
#define BT_SLOT_BESIDE ((uint64_t)1 << 63) /* a pair of here is beside */

struct bt_pair_beside;

struct bt_pairs {
	uint64_t *slot; /* by hash; NULL: all are beside */
	unsigned shift; /* of a hash to a slot's number */
	struct bt_arena arena;
	struct bt_pair_beside *beside; /* [mask + 1], by hash */
	size_t mask, n_beside;
};

/* Makes room for n merges of a vocabulary of so many tokens. */
int bt_pairs_init(struct bt_pairs *p, size_t n, size_t tokens) BT_MUST_USE;
void bt_pairs_clear(struct bt_pairs *p);

/* Sets the merge of a pair. Returns 0 or BT_ENOMEM. */
int bt_pairs_put(struct bt_pairs *p, uint32_t a, uint32_t b,
                 uint32_t merge) BT_MUST_USE;

/* Any pair's merge, or BT_NO_MERGE. */
uint32_t bt_pairs_find(const struct bt_pairs *p, uint32_t a, uint32_t b);

static inline uint64_t bt_pairs_key(uint32_t a, uint32_t b)
{
	return (uint64_t)a << BT_SLOT_FIRST | (uint64_t)b << BT_SLOT_SECOND;
}

static inline uint64_t bt_pairs_hash(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
}

/* From one place of a pair to the other. */
static inline size_t bt_pairs_other(size_t slot, uint64_t hash)
{
	return slot ^ ((hash >> 36 & 6) | 1);
}

/* The merge of a pair where there are slots; from BT_PAIRS_MERGES on: none. */
static inline uint32_t bt_pairs_look(const struct bt_pairs *p, uint32_t a,
                                     uint32_t b)
{
	uint64_t key = bt_pairs_key(a, b), h = bt_pairs_hash(key), one, two;
	size_t i = h >> p->shift;

	one = p->slot[i] ^ key;
	two = p->slot[bt_pairs_other(i, h)] ^ key;
	if (__builtin_expect((one | two) >> 63, 0))
		return bt_pairs_find(p, a, b);
	one = one < two ? one : two;
	return (uint32_t)(one < BT_PAIRS_MERGES ? one : BT_PAIRS_MERGES);
}

#endif
