/* SPDX-License-Identifier: MIT */
/*
 * A file that grows while others may read it: the log of a long run. Unlike
 * those of io/out.h it is there from the first byte, and what was written stays
 * whatever happens to the program. One thread at a time.
 */
#ifndef BT_IO_APPEND_H
#define BT_IO_APPEND_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct bt_append;

/* Opens or makes the file and forgets what it holds beyond `keep` bytes. It may
 * hold fewer. */
int bt_append_open(const char *path, uint64_t keep, struct bt_append **a,
                   struct bt_error *err) BT_MUST_USE;

/* Hands all of it to the system. */
int bt_append_write(struct bt_append *a, const void *data, size_t n,
                    struct bt_error *err) BT_MUST_USE;

/* Returns when all that was written is on the disk. */
int bt_append_sync(struct bt_append *a, struct bt_error *err) BT_MUST_USE;

/* Bytes that the file holds. */
uint64_t bt_append_size(const struct bt_append *a);

/* Takes NULL. */
int bt_append_close(struct bt_append *a, struct bt_error *err) BT_MUST_USE;

#endif
