/* SPDX-License-Identifier: MIT */
/*
 * Snappy's raw blocks, as tables of TensorFlow may hold them: a length, then
 * runs of bytes and copies of earlier ones. No framing, no checksum.
 */
#ifndef BT_FORMAT_SNAPPY_H
#define BT_FORMAT_SNAPPY_H

#include <stddef.h>

#include "base/err.h"

/* The length of what a block of n bytes holds. BT_ECORRUPT where there is none,
 * or more than n bytes can hold, so that the memory for it may be taken. */
int bt_snappy_length(const void *data, size_t n, size_t *length) BT_MUST_USE;

/* Puts exactly length bytes, as bt_snappy_length gave it, into out. BT_ECORRUPT
 * where the block is damaged. */
int bt_snappy_decode(const void *data, size_t n, void *out,
                     size_t length) BT_MUST_USE;

#endif
