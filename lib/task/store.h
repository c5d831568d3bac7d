/* SPDX-License-Identifier: MIT */
/*
 * Payloads kept to be read in any order: in memory up to a limit, the rest in a
 * nameless file in $TMPDIR (/tmp). Eight bytes a payload stay in memory beside.
 */
#ifndef BT_TASK_STORE_H
#define BT_TASK_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* What a user who does not say gives of the memory. */
#define BT_STORE_DEFAULT ((size_t)1 << 29)

struct bt_store;

int bt_store_new(size_t limit, struct bt_store **store,
                 struct bt_error *err) BT_MUST_USE;
void bt_store_free(struct bt_store *s); /* takes NULL */

int bt_store_put(struct bt_store *s, const void *data, size_t len,
                 struct bt_error *err) BT_MUST_USE;

size_t bt_store_count(const struct bt_store *s);

/* Payload i < count, borrowed until the next call. */
int bt_store_get(struct bt_store *s, size_t i, const void **data, size_t *len,
                 struct bt_error *err) BT_MUST_USE;

#endif
