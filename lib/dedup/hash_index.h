/* SPDX-License-Identifier: MIT */
/*
 * Numbers kept by hash, any number of them by each: 11 to 16 bytes for one in
 * memory, and in a file (dedup/hash_index_file.h) where that would be more than
 * is given for it. In memory, one may be found at the cost of looking at a few;
 * in the file, at that of one read.
 */
#ifndef BT_DEDUP_HASH_INDEX_H
#define BT_DEDUP_HASH_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct bt_hash_index;

/* Numbers are below 2^bits - 1; 72 - bits bits of their hashes are kept.
 * memory: at least 256 kB are taken. */
struct bt_hash_index *bt_hash_index_new(size_t memory,
                                        unsigned bits) BT_MUST_USE;
void bt_hash_index_free(struct bt_hash_index *s); /* takes NULL */

int bt_hash_index_add(struct bt_hash_index *s, uint64_t hash, uint64_t number,
                      struct bt_error *err) BT_MUST_USE;

/* Fetches what a search by this hash will read first. */
void bt_hash_index_prefetch(const struct bt_hash_index *s, uint64_t hash);

/* Told a number; what it returns other than 0 ends the search. */
typedef int bt_hash_index_fn(void *arg, uint64_t number, struct bt_error *err);

/* Tells fn of all numbers added by this hash, and of those by any other with
 * the same bits kept. Returns what fn did, 0 at the end, or an error. */
int bt_hash_index_find(struct bt_hash_index *s, uint64_t hash,
                       bt_hash_index_fn *fn, void *arg,
                       struct bt_error *err) BT_MUST_USE;

#endif
