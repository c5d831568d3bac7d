/* SPDX-License-Identifier: MIT */
/*
 * Which record goes to which part, by shares: "train=.9,dev=.1". Two parts are
 * those of scikit-learn's train_test_split with the last share as test_size and
 * the seed as random_state, bit for bit. More are made as its users make them,
 * by splitting again: the last part is split off first, then of what is left
 * the one before it, by its share of what is left, and so on, each time with
 * the same seed.
 */
#ifndef BT_RECORDSET_SPLIT_H
#define BT_RECORDSET_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/bitpack.h"
#include "base/err.h"

#define BT_SPLIT_MAX 16

struct bt_split {
	char name[BT_SPLIT_MAX][64];
	double share[BT_SPLIT_MAX]; /* their sum is 1 */
	int n;
};

/* BT_EARG where the text is none. */
int bt_split_parse(const char *text, struct bt_split *split,
                   struct bt_error *err) BT_MUST_USE;

/*
 * part, which is cleared by the caller, gets a number for each of the n
 * records: that of its part. Where class is not NULL, it is the class of each
 * record, below classes, numbered in ascending order, and each class is split
 * by the shares (stratify). Classes too small for that are split as well as can
 * be, where scikit-learn gives up. BT_EFORMAT where a share leaves no record
 * for the parts before it.
 *
 * Memory beside the result: as much again where there are classes, and with
 * more than two parts as much as class takes.
 */
int bt_split_parts(const struct bt_split *split, uint32_t seed, uint32_t n,
                   const struct bt_bitpack *class, uint32_t classes,
                   struct bt_bitpack *part, struct bt_error *err) BT_MUST_USE;

/*
 * The same with the order in which scikit-learn gives them: order[0..n-1] are
 * the records of the first part, then those of the second, and so on; those of
 * part k begin at start[k], and start[split->n] is n.
 */
int bt_split_order(const struct bt_split *split, uint32_t seed, uint32_t n,
                   const struct bt_bitpack *class, uint32_t classes,
                   uint32_t *order, uint32_t start[BT_SPLIT_MAX + 1],
                   struct bt_error *err) BT_MUST_USE;

#endif
