/* SPDX-License-Identifier: MIT */
/*
 * Payloads kept to be read again: in memory up to a limit, the rest in a
 * nameless file (io/temp_store.h). Where they are read in any order, about
 * three bytes a payload stay in memory beside.
 */
#ifndef BT_DEDUP_RECORD_STORE_H
#define BT_DEDUP_RECORD_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* What a user who does not say gives of the memory: where it hardly matters,
 * and where it spares reading here and there in a file. */
#define BT_RECORD_STORE_DEFAULT ((size_t)1 << 26)
#define BT_RECORD_STORE_AT_RANDOM ((size_t)1 << 29)

struct bt_record_store;

/* in_order: payloads are read one after the other from the first one on. */
struct bt_record_store *bt_record_store_new(size_t limit,
                                            bool in_order) BT_MUST_USE;
void bt_record_store_free(struct bt_record_store *s); /* takes NULL */

int bt_record_store_put(struct bt_record_store *s, const void *data, size_t len,
                        struct bt_error *err) BT_MUST_USE;

size_t bt_record_store_count(const struct bt_record_store *s);

/* Payload i < count, borrowed until the next call. In order: i is 0, or one
 * more than in the call before. */
int bt_record_store_get(struct bt_record_store *s, size_t i, const void **data,
                        size_t *len, struct bt_error *err) BT_MUST_USE;

#endif
