/* SPDX-License-Identifier: MIT */
#ifndef BT_GARDEN_FLAGS_INT_H
#define BT_GARDEN_FLAGS_INT_H

#include "garden/flags.h"

/* The flag whose name is so near to that one that it may have been meant; or
 * NULL (flags_tell.c). */
const struct bt_flag *bt_flags_nearest(const struct bt_flag *flags,
                                       const char *name);

/* Letters to add, drop or change to make b of a (Levenshtein). b has at most
 * BT_FLAGS_LONGEST of them. */
#define BT_FLAGS_LONGEST 64
size_t bt_flags_distance(const char *a, const char *b);

#endif
