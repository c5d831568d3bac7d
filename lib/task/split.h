/* SPDX-License-Identifier: MIT */
/* Which record goes to which part, by shares: "train=.9,dev=.1". */
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
 * part[i] is set for records 0 .. n-1: a random choice, a function of the seed
 * and n. Where group is not NULL, group[i] < groups is the class of record i
 * and each class is split by the shares, as well as whole numbers allow.
 */
int bt_split_choose(const struct bt_split *split, uint64_t seed, uint32_t n,
                    const uint32_t *group, uint32_t groups, uint8_t *part,
                    struct bt_error *err) BT_MUST_USE;

#endif
