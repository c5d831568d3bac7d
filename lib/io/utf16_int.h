/* SPDX-License-Identifier: MIT */
/* UTF-16 becomes UTF-8, piece by piece. */
#ifndef BT_IO_UTF16_INT_H
#define BT_IO_UTF16_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left of the pieces so far. */
struct bt_utf16_rest {
	bool big_endian;
	bool odd; /* a byte whose other one has not come */
	uint8_t byte;
	unsigned
	    high; /* a high surrogate whose other half has not come, or 0 */
};

/* The most bytes that n bytes become. */
#define BT_UTF16_ROOM(n) (3 * ((n) / 2 + 2))

/* Writes the n bytes at p as UTF-8 and returns how many bytes that are. n = 0
 * is the end. */
size_t bt_utf16_decode(struct bt_utf16_rest *u, const uint8_t *p, size_t n,
                       uint8_t *dst);

#endif
