/* SPDX-License-Identifier: MIT */
/* The last records of a stream, copied as they pass. */
#ifndef BT_RECORDSET_LAST_N_H
#define BT_RECORDSET_LAST_N_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct bt_last_n {
	struct bt_buf *ring; /* grows to max, then goes round */
	size_t n, cap;
	size_t first; /* the oldest */
	uint64_t max;
};

void bt_last_n_init(struct bt_last_n *t, uint64_t max);
void bt_last_n_clear(struct bt_last_n *t);

/* Remembers a record in place of the oldest. Returns 0 or BT_ENOMEM. */
int bt_last_n_put(struct bt_last_n *t, const void *data,
                  size_t len) BT_MUST_USE;

/* Record i < n, the oldest first. */
const struct bt_buf *bt_last_n_get(const struct bt_last_n *t, size_t i);

#endif
