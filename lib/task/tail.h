/* SPDX-License-Identifier: MIT */
/* The last records of a stream, copied as they pass. */
#ifndef BT_TASK_TAIL_H
#define BT_TASK_TAIL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct bt_tail {
	struct bt_buf *ring; /* grows to max, then goes round */
	size_t n, cap;
	size_t first; /* the oldest */
	uint64_t max;
};

void bt_tail_init(struct bt_tail *t, uint64_t max);
void bt_tail_clear(struct bt_tail *t);

/* Remembers a record in place of the oldest. Returns 0 or BT_ENOMEM. */
int bt_tail_put(struct bt_tail *t, const void *data, size_t len) BT_MUST_USE;

/* Record i < n, the oldest first. */
const struct bt_buf *bt_tail_get(const struct bt_tail *t, size_t i);

#endif
