/* SPDX-License-Identifier: MIT */
#ifndef BT_TEXT_BPE_INT_H
#define BT_TEXT_BPE_INT_H

#include "text/bpe.h"
#include "text/wordcache.h"

/* A pair of tokens and what it becomes. */
struct bt_pair {
	uint64_t key; /* first << 32 | second; BT_PAIR_NONE: free */
	uint32_t rank;
	int32_t id;
};
#define BT_PAIR_NONE UINT64_MAX
#define BT_NO_RANK UINT32_MAX

struct bt_bpe {
	struct bt_model part;
	const struct bt_trie *trie;
	struct bt_pair *pair; /* [mask + 1], by hash */
	size_t mask;
	/* a bit for each pair by another part of its hash: most pairs that are
	 * none are known by it, and it is much smaller */
	uint64_t *maybe;
	unsigned maybe_shift;
	struct bt_bpe_opts opts; /* with texts of its own */
	uint32_t more;           /* node that the prefix leads to */
	uint8_t byte_text[256][2], byte_len[256]; /* bytes as characters */
	int32_t byte_id[256];                     /* or -1 */
	int32_t fallback[256];                    /* of <0x..>, or -1 */
};

/* A token of a word while it is merged. */
struct bt_symbol {
	int32_t id;
	uint32_t len;       /* 0: was merged into the one before */
	int32_t prev, next; /* -1: none */
};

/* A pair that could be merged; the heap has the lowest rank on top, of equal
 * ones the leftmost. */
struct bt_chance {
	uint32_t rank;
	int32_t at, id;
};

struct bt_bpe_work {
	struct bt_word_cache words;
	struct bt_symbol *symbol;
	size_t n, symbol_cap;
	struct bt_chance *heap;
	size_t chances, heap_cap;
};

/* Mixed so that both its ends are good. */
static inline uint64_t bt_pair_hash(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
	return key ^ key >> 32;
}

/* Lets a pair be on its way that is looked for soon. */
static inline void bt_bpe_expect(const struct bt_bpe *m, int32_t a, int32_t b)
{
	uint64_t key = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;

	__builtin_prefetch(&m->pair[bt_pair_hash(key) & m->mask]);
}

/* What the pair becomes, or NULL. */
static inline const struct bt_pair *bt_bpe_find(const struct bt_bpe *m,
                                                int32_t a, int32_t b)
{
	uint64_t key = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
	uint64_t h = bt_pair_hash(key), bit = h >> m->maybe_shift;
	size_t i = (size_t)h & m->mask;

	if (!(m->maybe[bit / 64] >> bit % 64 & 1))
		return NULL;
	while (m->pair[i].key != key) {
		if (m->pair[i].key == BT_PAIR_NONE)
			return NULL;
		i = (i + 1) & m->mask;
	}
	return &m->pair[i];
}

/* bpe_cut.c */
int bt_bpe_cut(const struct bt_model *model, void *work, const uint8_t *text,
               size_t from, size_t to, struct bt_pieces *out);
int bt_bpe_cut_words(const struct bt_model *model, void *work,
                     const uint8_t *text, size_t end,
                     const struct bt_stretch *word, size_t n,
                     struct bt_pieces *out);
int bt_bpe_work_new(const struct bt_model *model, void **work);
void bt_bpe_work_free(void *work);

#endif
