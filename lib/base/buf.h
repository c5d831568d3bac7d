/* SPDX-License-Identifier: MIT */
/*
 * A growing block of bytes. Appending never fails on the spot: when memory runs
 * out, oom is set, later appends do nothing, and the owner checks oom once at
 * the end. The bytes may hold NULs; bt_buf_str ends them with one.
 */
#ifndef BT_BASE_BUF_H
#define BT_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct bt_buf {
	char *data; /* NULL while empty and never grown */
	size_t len;
	size_t cap;
	bool oom;
};

#define BT_BUF_INIT                                                            \
	{                                                                      \
		NULL, 0, 0, false                                              \
	}

/* Frees the bytes; the buffer is empty and usable afterwards. */
void bt_buf_clear(struct bt_buf *b);

/* Forgets the bytes and keeps the memory. */
void bt_buf_reset(struct bt_buf *b);

void bt_buf_put(struct bt_buf *b, const void *data, size_t n);
void bt_buf_putc(struct bt_buf *b, char c);
void bt_buf_puts(struct bt_buf *b, const char *s);

/* The low n bytes of v, the lowest first; n is at most 8. */
static inline void bt_buf_uint(struct bt_buf *b, uint64_t v, size_t n)
{
	bt_buf_put(b, &v, n);
}

void bt_buf_printf(struct bt_buf *b, const char *fmt, ...) BT_PRINTF(2, 3);

/* v in decimal, as by "%lld" but several times as fast. */
void bt_buf_decimal(struct bt_buf *b, int64_t v);

/* Room for n more bytes, to be filled by the caller, who then adds to len.
 * NULL when out of memory. */
void *bt_buf_reserve(struct bt_buf *b, size_t n);

/* Where byte `at` of the buffer stands, at <= len; not NULL even where no byte
 * was ever put, so that it can be counted on from. Borrowed until the next call
 * on b. */
static inline char *bt_buf_at(const struct bt_buf *b, size_t at)
{
	static _Alignas(8) char none[8]; /* aligned as the bytes are */

	return b->data != NULL ? b->data + at : none;
}

/* The bytes as a string, borrowed until the next call on b; "" when empty,
 * NULL when out of memory. */
const char *bt_buf_str(struct bt_buf *b);

/* Hands the bytes over as a string for the caller to free(); b is empty
 * afterwards. NULL when out of memory. */
char *bt_buf_detach(struct bt_buf *b);

#endif
