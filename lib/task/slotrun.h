/* SPDX-License-Identifier: MIT */
/*
 * Slots of tables (task/slots.h) in a nameless file in $TMPDIR (/tmp), ordered
 * by table and number. The high bits of a slot's number tell where in the file
 * it is found, but for one piece of about BT_RUN_BUCKET slots, which is read.
 * A byte in memory for 16 slots.
 */
#ifndef BT_TASK_SLOTRUN_H
#define BT_TASK_SLOTRUN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define BT_RUN_TABLES 256
#define BT_RUN_BUCKET 128

/* The slots of a table, in ascending order. */
struct bt_run_part {
	const uint64_t *slot;
	size_t n;
};

struct bt_run;

/* A new run of those of old, which may be NULL, and of the parts. */
int bt_run_merge(struct bt_run *old,
                 const struct bt_run_part part[BT_RUN_TABLES],
                 struct bt_run **run, struct bt_error *err) BT_MUST_USE;
void bt_run_free(struct bt_run *r); /* takes NULL */

/* The piece of a table's slots where those stand whose high bits are, if they
 * are anywhere, those of a number: slots[0..n-1], which may begin at any
 * address, borrowed until the next call. */
int bt_run_find(struct bt_run *r, unsigned table, uint64_t number,
                const unsigned char **slots, size_t *n,
                struct bt_error *err) BT_MUST_USE;

#endif
