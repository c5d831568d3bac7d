/* SPDX-License-Identifier: MIT */
#include "tokenizer/bpe_ranks.h"

#include <stdlib.h>
#include <string.h>

#define LINE 8 /* slots of a line of the cache */
#define FIRST_BESIDE 16

/* A merge for which there was no slot. */
struct bt_bpe_ranks_collision {
	uint64_t key; /* first << 32 | second; NOBODY: free */
	uint32_t merge;
};
#define NOBODY UINT64_MAX

static uint64_t key_beside(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* Where the key is, or the free place where it would be. */
static struct bt_bpe_ranks_collision *place_beside(const struct bt_bpe_ranks *p,
                                                   uint64_t key)
{
	uint64_t h = bt_bpe_ranks_hash(key);
	size_t i = (h ^ h >> 32) & p->mask;

	while (p->beside[i].key != NOBODY && p->beside[i].key != key)
		i = (i + 1) & p->mask;
	return &p->beside[i];
}

static int take_beside(struct bt_bpe_ranks *p, size_t size)
{
	struct bt_bpe_ranks_collision *old = p->beside;
	size_t i, was = old == NULL ? 0 : p->mask + 1;

	p->beside = bt_array(size, sizeof(*p->beside));
	if (p->beside == NULL) {
		p->beside = old;
		return BT_ENOMEM;
	}
	p->mask = size - 1;
	for (i = 0; i < size; i++)
		p->beside[i].key = NOBODY;
	for (i = 0; i < was; i++)
		if (old[i].key != NOBODY)
			*place_beside(p, old[i].key) = old[i];
	free(old);
	return BT_OK;
}

static int put_beside(struct bt_bpe_ranks *p, uint64_t key, uint32_t merge)
{
	struct bt_bpe_ranks_collision *at;

	if (2 * p->n_beside > p->mask &&
	    take_beside(p, 2 * (p->mask + 1)) != BT_OK)
		return BT_ENOMEM;
	at = place_beside(p, key);
	p->n_beside += at->key == NOBODY;
	at->key = key;
	at->merge = merge;
	return BT_OK;
}

int bt_bpe_ranks_init(struct bt_bpe_ranks *p, size_t n, size_t tokens)
{
	unsigned bits = 3;
	size_t i;

	memset(p, 0, sizeof(*p));
	if (take_beside(p, FIRST_BESIDE) != BT_OK)
		return BT_ENOMEM;
	if (n >= BT_BPE_RANKS_MERGES || tokens > BT_BPE_RANKS_NOBODY)
		return BT_OK;
	while ((size_t)1 << bits < 2 * n)
		bits++;
	if (bt_arena_init(&p->arena, sizeof(*p->slot) << bits) != BT_OK)
		return BT_ENOMEM;
	p->slot = p->arena.base;
	p->shift = 64 - bits;
	for (i = 0; i >> bits == 0; i++)
		p->slot[i] = BT_SLOT_FREE;
	return BT_OK;
}

void bt_bpe_ranks_clear(struct bt_bpe_ranks *p)
{
	bt_arena_clear(&p->arena);
	free(p->beside);
	p->slot = NULL;
	p->beside = NULL;
}

static uint64_t pair_of(uint64_t slot)
{
	return slot & ~BT_SLOT_BESIDE & ~(uint64_t)(BT_BPE_RANKS_MERGES - 1);
}

static bool is_free(uint64_t slot)
{
	return slot & BT_SLOT_FREE;
}

/* Sets a slot; what is said of other pairs stays. */
static void fill(uint64_t *slot, uint64_t v)
{
	*slot = (*slot & BT_SLOT_BESIDE) | v;
}

/* Moves what is in slot i to its other place; false: that is taken. */
static bool make_way(struct bt_bpe_ranks *p, size_t i)
{
	uint64_t v = p->slot[i] & ~BT_SLOT_BESIDE;
	size_t to = bt_bpe_ranks_other(i, bt_bpe_ranks_hash(pair_of(v)));

	if (!is_free(p->slot[to]))
		return false;
	fill(&p->slot[to], v);
	return true;
}

int bt_bpe_ranks_put(struct bt_bpe_ranks *p, uint32_t a, uint32_t b,
                     uint32_t merge)
{
	uint64_t key, h;
	size_t i, k;

	if (p->slot == NULL)
		return put_beside(p, key_beside(a, b), merge);
	key = bt_bpe_ranks_key(a, b);
	h = bt_bpe_ranks_hash(key);
	i = h >> p->shift;
	k = bt_bpe_ranks_other(i, h);
	if (pair_of(p->slot[i]) == key)
		fill(&p->slot[i], key | merge);
	else if (pair_of(p->slot[k]) == key)
		fill(&p->slot[k], key | merge);
	else if (is_free(p->slot[i]) ||
	         (!is_free(p->slot[k]) && make_way(p, i)))
		fill(&p->slot[i], key | merge);
	else if (is_free(p->slot[k]) || make_way(p, k))
		fill(&p->slot[k], key | merge);
	else {
		p->slot[i] |= BT_SLOT_BESIDE;
		return put_beside(p, key_beside(a, b), merge);
	}
	return BT_OK;
}

uint32_t bt_bpe_ranks_find(const struct bt_bpe_ranks *p, uint32_t a, uint32_t b)
{
	const struct bt_bpe_ranks_collision *at;
	uint64_t key, h, slot;
	size_t i, k;

	if (p->slot != NULL) {
		key = bt_bpe_ranks_key(a, b);
		h = bt_bpe_ranks_hash(key);
		i = h >> p->shift;
		for (k = 0; k < 2; k++, i = bt_bpe_ranks_other(i, h)) {
			slot = p->slot[i];
			if (pair_of(slot) == key)
				return (uint32_t)slot &
				       (BT_BPE_RANKS_MERGES - 1);
		}
		if (!(p->slot[i] & BT_SLOT_BESIDE))
			return BT_NO_MERGE;
	}
	at = place_beside(p, key_beside(a, b));
	return at->key == NOBODY ? BT_NO_MERGE : at->merge;
}
