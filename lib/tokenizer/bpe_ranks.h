/* SPDX-License-Identifier: MIT */
/*
 * Which merge makes one of two tokens. A merge takes eight bytes, pair and
 * number together, and stands at one of two places in one line of the cache:
 * looking takes two loads, and no branch that depends on what is found. Few
 * find no room there and stand in a table beside, as do all of a vocabulary
 * that is too large.
 */
#ifndef BT_TOKENIZER_BPE_RANKS_H
#define BT_TOKENIZER_BPE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* Less than this many tokens, and merges, fit. */
#define BT_BPE_RANKS_TOKENS ((uint32_t)1 << 20)
#define BT_BPE_RANKS_MERGES ((uint32_t)1 << 22)

/* What is no token of a pair, and no merge. */
#define BT_BPE_RANKS_NOBODY (BT_BPE_RANKS_TOKENS - 1)
#define BT_NO_MERGE UINT32_MAX

/* A slot: first token << 42 | second << 22 | merge; or nothing. */
#define BT_SLOT_FIRST 42
#define BT_SLOT_SECOND 22
#define BT_SLOT_FREE ((uint64_t)1 << 62)
#define BT_SLOT_BESIDE ((uint64_t)1 << 63) /* a pair of here is beside */

struct bt_bpe_ranks_collision;

struct bt_bpe_ranks {
	uint64_t *slot; /* by hash; NULL: all are beside */
	unsigned shift; /* of a hash to a slot's number */
	struct bt_arena arena;
	struct bt_bpe_ranks_collision *beside; /* [mask + 1], by hash */
	size_t mask, n_beside;
};

/* Makes room for n merges of a vocabulary of so many tokens. */
int bt_bpe_ranks_init(struct bt_bpe_ranks *p, size_t n,
                      size_t tokens) BT_MUST_USE;
void bt_bpe_ranks_clear(struct bt_bpe_ranks *p);

/* Sets the merge of a pair. Returns 0 or BT_ENOMEM. */
int bt_bpe_ranks_put(struct bt_bpe_ranks *p, uint32_t a, uint32_t b,
                     uint32_t merge) BT_MUST_USE;

/* Any pair's merge, or BT_NO_MERGE. */
uint32_t bt_bpe_ranks_find(const struct bt_bpe_ranks *p, uint32_t a,
                           uint32_t b);

static inline uint64_t bt_bpe_ranks_key(uint32_t a, uint32_t b)
{
	return (uint64_t)a << BT_SLOT_FIRST | (uint64_t)b << BT_SLOT_SECOND;
}

static inline uint64_t bt_bpe_ranks_hash(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
}

/* From one place of a pair to the other. */
static inline size_t bt_bpe_ranks_other(size_t slot, uint64_t hash)
{
	return slot ^ ((hash >> 36 & 6) | 1);
}

/* The merge of a pair where there are slots; from BT_BPE_RANKS_MERGES on: none.
 */
static inline uint32_t bt_bpe_ranks_look(const struct bt_bpe_ranks *p,
                                         uint32_t a, uint32_t b)
{
	uint64_t key = bt_bpe_ranks_key(a, b), h = bt_bpe_ranks_hash(key), one,
	         two;
	size_t i = h >> p->shift;

	one = p->slot[i] ^ key;
	two = p->slot[bt_bpe_ranks_other(i, h)] ^ key;
	if (__builtin_expect((one | two) >> 63, 0))
		return bt_bpe_ranks_find(p, a, b);
	one = one < two ? one : two;
	return (uint32_t)(one < BT_BPE_RANKS_MERGES ? one
	                                            : BT_BPE_RANKS_MERGES);
}

#endif
