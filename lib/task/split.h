/* SPDX-License-Identifier: MIT */
/*
 * Which record goes to which part, by shares: "train=.9,dev=.1". Two parts are
 * those of scikit-learn's train_test_split with the last share as test_size and
 * the seed as random_state, bit for bit. More are made as its users make them,
 * by splitting again: the last part is split off first, then of what is left
 * the one before it, by its share of what is left, and so on, each time with
 * the same seed.
 */
#ifndef BT_TASK_SPLIT_H
#define BT_TASK_SPLIT_H

#include <stddef.h>
#include <stdint.h>

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
 * part[i] is set for records 0 .. n-1; order[0..n-1] are the records of the
 * first part in the order in which scikit-learn gives them, then those of the
 * second, and so on. Where group is not NULL, group[i] < groups is the class of
 * record i, numbered in ascending order of the classes, and each class is split
 * by the shares (stratify). Classes too small for that are split as well as can
 * be, where scikit-learn gives up. BT_EFORMAT where a share leaves no record
 * for the parts before it.
 */
int bt_split_choose(const struct bt_split *split, uint32_t seed, uint32_t n,
                    const uint32_t *group, uint32_t groups, uint8_t *part,
                    uint32_t *order, struct bt_error *err) BT_MUST_USE;

#endif
