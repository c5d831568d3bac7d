/* SPDX-License-Identifier: MIT */
/*
 * Texts that are nearly the same. How alike two are is the Jaccard similarity
 * of their sets of shingles (dedup/shingle.h): how many both have, as a share
 * of those that either has (Broder, "On the resemblance and containment of
 * documents", 1997).
 *
 * Pairs worth a look are found by MinHash: of two sets, the least element in a
 * random order is the same with just that probability. Orders are taken in
 * bands of r, and texts that agree in all of one of the b bands are compared
 * in full (Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets", 3.4). r
 * is chosen as large and b as small as lets a pair at the threshold be missed
 * with a probability below 10^-6; more alike ones are missed more seldom yet.
 * What is found is exact, and the same in every run.
 *
 * Half of the memory given is for the texts themselves, half for their bands
 * (27 at .8); what is more goes to files (dedup/record_store.h,
 * dedup/hash_index.h), and 3 bytes a text stay in memory beside.
 */
#ifndef BT_DEDUP_MINHASH_H
#define BT_DEDUP_MINHASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

#define BT_MINHASH_MIN 0.1

struct bt_minhash;

/* threshold: BT_MINHASH_MIN to 1. */
struct bt_minhash *bt_minhash_new(double threshold, size_t memory) BT_MUST_USE;
void bt_minhash_free(struct bt_minhash *n); /* takes NULL */

/* 1: no text that was kept is like this one, which is kept; 0: one is. */
int bt_minhash_keep(struct bt_minhash *n, struct bt_span text,
                    struct bt_error *err) BT_MUST_USE;

/* A text that is like another one. */
struct bt_minhash_pair {
	double similarity;
	struct bt_span tag, text; /* of the earlier one, borrowed */
};

/* Told each pair, in the order in which the earlier ones came. */
typedef int bt_minhash_fn(void *arg, const struct bt_minhash_pair *pair,
                          struct bt_error *err);

/* Tells fn of the kept texts like this one; of one that is equal byte for byte,
 * of that one only. */
int bt_minhash_find(struct bt_minhash *n, struct bt_span text,
                    bt_minhash_fn *fn, void *arg,
                    struct bt_error *err) BT_MUST_USE;

/* The same, and keeps the text together with a tag for later ones, unless an
 * equal one was kept. */
int bt_minhash_pairs(struct bt_minhash *n, struct bt_span tag,
                     struct bt_span text, bt_minhash_fn *fn, void *arg,
                     struct bt_error *err) BT_MUST_USE;

#endif
