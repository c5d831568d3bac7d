/* SPDX-License-Identifier: MIT */
/*
 * A thread that writes blocks behind whoever makes them, through a bounded
 * ring. What is written, and in what order, is the same with it and without;
 * an error is reported at the next call.
 */
#ifndef BT_IO_WRITE_BEHIND_INT_H
#define BT_IO_WRITE_BEHIND_INT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/atomic_file_int.h"

struct bt_write_behind;

/* Blocks have size bytes. p is borrowed, and the thread's between a call of
 * _give and _wait. NULL where there can be no thread. */
struct bt_write_behind *bt_write_behind_new(struct bt_atomic_file *p,
                                            size_t size) BT_MUST_USE;

/* Takes over the n bytes of a block of malloc, and gives another one for it. 0,
 * or the errno of a write, behind which nothing is written. */
int bt_write_behind_give(struct bt_write_behind *b, uint8_t **block,
                         size_t n) BT_MUST_USE;

/* Returns when all is written; as bt_write_behind_give. */
int bt_write_behind_wait(struct bt_write_behind *b) BT_MUST_USE;

/* Ends the thread when all is written, or an error was met. Takes NULL. */
void bt_write_behind_free(struct bt_write_behind *b);

#endif
