/* SPDX-License-Identifier: MIT */
/*
 * Bytes kept to be read again: in memory up to a limit, the rest in a nameless
 * file in $TMPDIR (/tmp).
 */
#ifndef BT_TASK_SPILL_H
#define BT_TASK_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct bt_spill;

int bt_spill_new(size_t limit, struct bt_spill **spill,
                 struct bt_error *err) BT_MUST_USE;
void bt_spill_free(struct bt_spill *s); /* takes NULL */

/* Appends n bytes. */
int bt_spill_put(struct bt_spill *s, const void *data, size_t n,
                 struct bt_error *err) BT_MUST_USE;

/* How many bytes there are, which is where the next ones will stand. */
uint64_t bt_spill_size(const struct bt_spill *s);

/* n bytes from at on, which are there; borrowed until the next call. With
 * ahead, more is read at once, for who goes on behind them. */
int bt_spill_get(struct bt_spill *s, uint64_t at, size_t n, bool ahead,
                 const void **data, struct bt_error *err) BT_MUST_USE;

#endif
