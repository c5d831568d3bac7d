/* SPDX-License-Identifier: MIT */
/*
 * Numbers kept by hash, any number of them by each: 11 to 16 bytes for one in
 * memory, and in a file (task/slotrun.h) where that would be more than is given
 * for it. In memory, one may be found at the cost of looking at a few; in the
 * file, at that of one read.
 */
#ifndef BT_TASK_SLOTS_H
#define BT_TASK_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct bt_slots;

/* Numbers are below 2^bits - 1; 72 - bits bits of their hashes are kept.
 * memory: at least 256 kB are taken. */
int bt_slots_new(size_t memory, unsigned bits, struct bt_slots **slots,
                 struct bt_error *err) BT_MUST_USE;
void bt_slots_free(struct bt_slots *s); /* takes NULL */

int bt_slots_add(struct bt_slots *s, uint64_t hash, uint64_t number,
                 struct bt_error *err) BT_MUST_USE;

/* Fetches what a search by this hash will read first. */
void bt_slots_prefetch(const struct bt_slots *s, uint64_t hash);

/* Told a number; what it returns other than 0 ends the search. */
typedef int bt_slots_fn(void *arg, uint64_t number, struct bt_error *err);

/* Tells fn of all numbers added by this hash, and of those by any other with
 * the same bits kept. Returns what fn did, 0 at the end, or an error. */
int bt_slots_find(struct bt_slots *s, uint64_t hash, bt_slots_fn *fn, void *arg,
                  struct bt_error *err) BT_MUST_USE;

#endif
