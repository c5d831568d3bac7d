/* SPDX-License-Identifier: MIT */
/*
 * A set of byte strings, numbered 0, 1, ... in the order in which they came.
 */
#ifndef BT_BASE_SET_H
#define BT_BASE_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

struct bt_set;

/* NULL when out of memory. */
struct bt_set *bt_set_new(void) BT_MUST_USE;
void bt_set_free(struct bt_set *set); /* takes NULL */

/* Adds a copy of v unless it is there. Returns 0 or BT_ENOMEM; *number, unless
 * number is NULL, is that of v. */
int bt_set_add(struct bt_set *set, struct bt_span v,
               size_t *number) BT_MUST_USE;

/* True if v is there; *number is then that of v. */
bool bt_set_find(const struct bt_set *set, struct bt_span v, size_t *number);

size_t bt_set_count(const struct bt_set *set);

/* Member i < count, borrowed until the next bt_set_add. */
struct bt_span bt_set_get(const struct bt_set *set, size_t i);

#endif
