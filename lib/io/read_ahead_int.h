/* SPDX-License-Identifier: MIT */
/*
 * Decompression in blocks, which a thread may fill ahead of the reader in a
 * bounded ring. What the reader gets, errors and their place included, is the
 * same with the thread and without, since the blocks are.
 */
#ifndef BT_IO_READ_AHEAD_INT_H
#define BT_IO_READ_AHEAD_INT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/decompress_int.h"

struct bt_read_ahead;

/* u is borrowed. NULL when out of memory. */
struct bt_read_ahead *bt_read_ahead_new(struct bt_decompress *u) BT_MUST_USE;

/* Starts the thread, once. Where that is not possible all stays as it is. */
void bt_read_ahead_start(struct bt_read_ahead *a);

/* As bt_decompress_read. */
int bt_read_ahead_read(struct bt_read_ahead *a, uint8_t *dst, size_t size,
                       size_t *got, struct bt_error *err) BT_MUST_USE;

/* Ends the thread, wherever it is, also where it waits for an input that does
 * not come. Takes NULL. */
void bt_read_ahead_free(struct bt_read_ahead *a);

#endif
