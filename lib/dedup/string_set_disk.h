/* SPDX-License-Identifier: MIT */
/*
 * Tells what was seen before. Byte strings are compared in full. Half of the
 * memory given is for the strings themselves, half for what finds them; what is
 * more goes to files (io/temp_store.h, dedup/hash_index.h).
 */
#ifndef BT_DEDUP_STRING_SET_DISK_H
#define BT_DEDUP_STRING_SET_DISK_H

#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

struct bt_string_set_disk;

struct bt_string_set_disk *bt_string_set_disk_new(size_t memory) BT_MUST_USE;
void bt_string_set_disk_free(struct bt_string_set_disk *s); /* takes NULL */

/* 1: v is new, and is from now on known; 0: it is known; else an error. */
int bt_string_set_disk_add(struct bt_string_set_disk *s, struct bt_span v,
                           struct bt_error *err) BT_MUST_USE;

/* 1: v is known; 0: it is not; else an error. */
int bt_string_set_disk_has(struct bt_string_set_disk *s, struct bt_span v,
                           struct bt_error *err) BT_MUST_USE;

#endif
