/* SPDX-License-Identifier: MIT */
/*
 * A set of byte strings, numbered 0, 1, ... in the order in which they came.
 */
#ifndef BT_BASE_STRING_SET_H
#define BT_BASE_STRING_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

struct bt_string_set;

struct bt_string_set *bt_string_set_new(void) BT_MUST_USE;
void bt_string_set_free(struct bt_string_set *set); /* takes NULL */

/* Adds a copy of v unless it is there. Returns 0 or BT_ENOMEM; *number, unless
 * number is NULL, is that of v. */
int bt_string_set_add(struct bt_string_set *set, struct bt_span v,
                      size_t *number) BT_MUST_USE;

/* The same for a set that is small whatever the input. */
void bt_string_set_put(struct bt_string_set *set, struct bt_span v);

/* True if v is there; *number is then that of v. */
bool bt_string_set_find(const struct bt_string_set *set, struct bt_span v,
                        size_t *number);

size_t bt_string_set_count(const struct bt_string_set *set);

/* Member i < count, borrowed until the next bt_string_set_add. */
struct bt_span bt_string_set_get(const struct bt_string_set *set, size_t i);

#endif
