/* SPDX-License-Identifier: MIT */
/*
 * Tells what was seen before. Byte strings are compared in full. Half of the
 * memory given is for the strings themselves, half for what finds them; what is
 * more goes to files (io/temp_store.h, task/slots.h).
 */
#ifndef BT_TASK_SEEN_H
#define BT_TASK_SEEN_H

#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

struct bt_seen;

int bt_seen_new(size_t memory, struct bt_seen **seen,
                struct bt_error *err) BT_MUST_USE;
void bt_seen_free(struct bt_seen *s); /* takes NULL */

/* 1: v is new, and is from now on known; 0: it is known; else an error. */
int bt_seen_add(struct bt_seen *s, struct bt_span v,
                struct bt_error *err) BT_MUST_USE;

/* 1: v is known; 0: it is not; else an error. */
int bt_seen_has(struct bt_seen *s, struct bt_span v,
                struct bt_error *err) BT_MUST_USE;

#endif
