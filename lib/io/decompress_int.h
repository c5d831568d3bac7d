/* SPDX-License-Identifier: MIT */
/*
 * The lower half of io/in.h where an input is compressed: gzip members or zstd
 * frames, one behind the other, or a zip archive of one file, decompressed as
 * they are asked for.
 */
#ifndef BT_IO_DECOMPRESS_INT_H
#define BT_IO_DECOMPRESS_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct bt_decompress;

enum bt_compression {
	BT_COMPRESSION_NONE,
	BT_COMPRESSION_GZIP,
	BT_COMPRESSION_ZSTD,
	BT_COMPRESSION_ZIP,
	BT_COMPRESSION_MORE /* cannot be told from so few bytes */
};

/* What an input that begins with these bytes is; end: there are no more. */
enum bt_compression bt_compression_of(const uint8_t *p, size_t n, bool end);

/*
 * Reads the rest of the input from fd; its first n bytes were read before; of a
 * zip archive, which must be a file, from where its data are. The
 * name, in quotes for messages, is borrowed.
 */
int bt_decompress_new(enum bt_compression how, int fd, const char *name,
                      const uint8_t *first, size_t n, struct bt_decompress **u,
                      struct bt_error *err) BT_MUST_USE;
void bt_decompress_free(
    struct bt_decompress *u); /* takes NULL; leaves fd open */

/* Another thread may end a wait for input: bt_decompress_read returns
 * BT_ECANCEL as soon as it would have to wait, once the pipe's end wake can be
 * read or its other end is closed. -1: none. */
void bt_decompress_wake(struct bt_decompress *u, int wake);

/* As read(2): *got bytes into dst, at most size and at least one; 0 at the end,
 * which is one only where a member or frame ends well. */
int bt_decompress_read(struct bt_decompress *u, uint8_t *dst, size_t size,
                       size_t *got, struct bt_error *err) BT_MUST_USE;

/* As bt_in_salvage. */
void bt_decompress_salvage(struct bt_decompress *u);

/* "gzip", "zip" or "zstd". */
const char *bt_decompress_name(const struct bt_decompress *u);

#endif
