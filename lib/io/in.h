/* SPDX-License-Identifier: MIT */
/*
 * Input byte streams: a file, a pipe or standard input ("-"), read in large
 * blocks. One thread at a time.
 *
 * What begins as gzip or zstd does is decompressed on the way; several members
 * or frames, one behind the other, are one stream. So is a file that is a zip
 * archive of one file; other archives are refused. Damage is an error that
 * names the byte of the compressed input. It may be found only behind bytes
 * that were already given out, at the latest where the end would be.
 */
#ifndef BT_IO_IN_H
#define BT_IO_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

struct bt_in;

/* path "-" or NULL is standard input. Directories, addresses (io/url.h) and
 * files that Git LFS keeps elsewhere are refused. */
int bt_in_open(const char *path, struct bt_in **in,
               struct bt_error *err) BT_MUST_USE;
void bt_in_close(struct bt_in *in); /* takes NULL */

/* BT_EARG where the input is a terminal, for what nobody can type. */
int bt_in_refuse_terminal(const struct bt_in *in,
                          struct bt_error *err) BT_MUST_USE;

/*
 * What may be read of one input or of several that share it: decompressed
 * bytes, so that a small file cannot become endless ones. Reading on behind the
 * last byte allowed is BT_ELIMIT, unless it is the end.
 */
struct bt_in_limit {
	uint64_t max, left; /* left begins as max */
};

/* limit is borrowed; call it before the first look. */
void bt_in_limit(struct bt_in *in, struct bt_in_limit *limit);

/* Before the first look: gives the bytes as they are, compressed or not. */
void bt_in_as_is(struct bt_in *in);

/* Before the first look: what stands before damage of compressed data is given
 * before the error, as far as it can be decompressed. Else what was read
 * together with the damage is lost. */
void bt_in_salvage(struct bt_in *in);

/* Byte orders of UTF-16. */
enum bt_utf16 {
	BT_UTF16_NONE, /* the text is not UTF-16 */
	BT_UTF16_LE,
	BT_UTF16_BE
};

/*
 * Gives the rest of the input as UTF-8 if it is UTF-16. A byte order mark of
 * UTF-16, which is consumed, decides; where there is none, *order does. *order
 * becomes what was found. Half of a surrogate pair becomes three bytes that are
 * not valid UTF-8. bt_in_offset counts bytes of UTF-8.
 */
int bt_in_utf16(struct bt_in *in, enum bt_utf16 *order,
                struct bt_error *err) BT_MUST_USE;

/*
 * fn is called before a wait for a pipe, socket or terminal, so that what was
 * made of the input so far can be handed on: at once where little comes at a
 * time, after a moment where much does, as of a file, since large blocks are
 * faster. It must not use in; its error is one of the look that waits.
 * Compressed input is waited for without it. ctx is borrowed. It counts from
 * the next look on.
 */
typedef int bt_in_idle_fn(void *ctx, struct bt_error *err);
void bt_in_idle(struct bt_in *in, bt_in_idle_fn *fn, void *ctx);

/* Lets a thread decompress ahead of the reader, where the input is compressed
 * and large enough for that to pay. Nothing else differs. */
void bt_in_ahead(struct bt_in *in);

/* For messages: 'file' in quotes, or "standard input"; lives as long as in. */
const char *bt_in_name(const struct bt_in *in);

/* Whether another program writes what is read. */
bool bt_in_is_pipe(const struct bt_in *in);

/* Bytes consumed so far, decompressed ones. */
uint64_t bt_in_offset(const struct bt_in *in);

/* "gzip", "zip" or "zstd" if that is how the input comes, NULL if not or before
 * the first look at it. */
const char *bt_in_packing(const struct bt_in *in);

/* The descriptor of a file that is read as it is, from its first byte on, which
 * the next look would give: for pread(2). -1 of any other input. */
int bt_in_plain_file(const struct bt_in *in);

/*
 * Looks at the next n bytes without consuming them. *data is borrowed until the
 * next call; *got is n, or less at the end of the input.
 */
int bt_in_peek(struct bt_in *in, size_t n, const uint8_t **data, size_t *got,
               struct bt_error *err) BT_MUST_USE;

/* As bt_in_peek, but *got is all that is in memory: n bytes or more, and less
 * at the end of the input. */
int bt_in_some(struct bt_in *in, size_t n, const uint8_t **data, size_t *got,
               struct bt_error *err) BT_MUST_USE;

/*
 * 1: *line is the next line, without its end, LF or CRLF, borrowed until the
 * next call and not consumed: that takes *skip bytes. The last one may lack its
 * end. 0: there is no more. One of more than limit bytes is BT_ELIMIT.
 */
int bt_in_line(struct bt_in *in, size_t limit, struct bt_span *line,
               size_t *skip, struct bt_error *err) BT_MUST_USE;

/* Consumes n bytes that were looked at. */
void bt_in_skip(struct bt_in *in, size_t n);

/* Consumes a byte order mark of UTF-8, if that is what comes next. A pointer of
 * Git LFS, which stands in place of a text, is BT_EFORMAT. */
int bt_in_skip_mark(struct bt_in *in, struct bt_error *err) BT_MUST_USE;

/* Reads a whole file of at most limit bytes, as it is; *data gets a NUL behind
 * it and is free()d by the caller. */
int bt_in_whole(const char *path, size_t limit, char **data, size_t *len,
                struct bt_error *err) BT_MUST_USE;

#endif
