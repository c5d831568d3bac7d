/* SPDX-License-Identifier: MIT */
/*
 * A set of byte strings, each with a number, for finding the longest one that
 * begins a text: a double-array trie. From node s the byte c leads to the node
 * base[s] ^ c if that is marked as a child of s, and the number of a string
 * that ends at s is kept by a child of its own. Immutable, shared by threads.
 */
#ifndef BT_TOKENIZER_TRIE_H
#define BT_TOKENIZER_TRIE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

/* The byte of the child that keeps a number: it occurs in no UTF-8 text. */
#define BT_TRIE_END 0xff

/* Nodes: the root, and what is no node. */
#define BT_TRIE_ROOT 0u
#define BT_TRIE_NONE UINT32_MAX

/* Only trie.c and the inline functions below look inside. */
struct bt_trie_unit {
	uint32_t base;   /* << 1, | 1 where a string ends here; the number in a
	                  * child that keeps one */
	uint32_t parent; /* BT_TRIE_NONE: not in use */
};

struct bt_trie {
	struct bt_trie_unit *unit;
	size_t n; /* a multiple of 256 */
};

/*
 * Makes the trie of n strings, each numbered by its place, at most 2^31.
 * Empty strings are left out. Of equal strings the numbers come back in
 * same[2], the smaller first, and BT_EFORMAT is returned without a text in
 * err. A string may not hold the byte 0xff (BT_EARG).
 */
int bt_trie_init(struct bt_trie *t, const struct bt_span *strings, size_t n,
                 size_t same[2], struct bt_error *err) BT_MUST_USE;
void bt_trie_clear(struct bt_trie *t);

/* The node that byte c of UTF-8 text leads to from s, or BT_TRIE_NONE. */
static inline uint32_t bt_trie_step(const struct bt_trie *t, uint32_t s,
                                    uint8_t c)
{
	uint32_t to = t->unit[s].base >> 1 ^ c;

	return t->unit[to].parent == s ? to : BT_TRIE_NONE;
}

static inline int bt_trie_is_end(const struct bt_trie *t, uint32_t s)
{
	return t->unit[s].base & 1;
}

/* The number of the string that ends at s, where bt_trie_is_end. */
static inline uint32_t bt_trie_number(const struct bt_trie *t, uint32_t s)
{
	return t->unit[t->unit[s].base >> 1 ^ BT_TRIE_END].base;
}

/* The node that the whole of a string leads to, or BT_TRIE_NONE. */
uint32_t bt_trie_walk(const struct bt_trie *t, const void *s, size_t n);

/* The number of a string, or -1. */
int64_t bt_trie_find(const struct bt_trie *t, const void *s, size_t n);

#endif
