/* SPDX-License-Identifier: MIT */
/*
 * Output byte streams. A file appears under its name only when everything was
 * written, flushed to the disk and closed without an error (bt_out_commit);
 * until then, and after bt_out_abandon, an earlier file of that name stays as
 * it was. The file in place of an earlier one gets its mode, and its owner
 * where that is allowed; a symbolic link is kept and its target replaced.
 * Standard output, /dev/stdout, /dev/fd/N, devices and pipes are written to
 * directly.
 */
#ifndef BT_IO_OUT_H
#define BT_IO_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct bt_out;

enum bt_out_kind {
	BT_OUT_TEXT,
	BT_OUT_BINARY, /* refused on a terminal */
	BT_OUT_RECORDS /* a TFRecord stream: refused likewise, and see below */
};

/* path "-" or NULL is standard output. Addresses (io/url.h) are refused. */
int bt_out_open(const char *path, enum bt_out_kind kind, struct bt_out **out,
                struct bt_error *err) BT_MUST_USE;

/* BT_EARG where path is the file of one of the inputs, which the output would
 * replace. */
int bt_out_spare(const char *path, char *const *inputs, int n,
                 struct bt_error *err) BT_MUST_USE;

/* BT_EARG where two of the paths, of which some may be NULL, are one file: for
 * outputs that are not all open at the same time. */
int bt_out_distinct(const char *const *paths, size_t n,
                    struct bt_error *err) BT_MUST_USE;

/* An output that is appended to a buffer, which must outlive it. What was
 * written is there when it is committed or flushed. */
struct bt_out *bt_out_memory(struct bt_buf *to) BT_MUST_USE;

/*
 * Compresses all that is written from now on into one zstd frame with its
 * checksum. Call it before the first write. The frame's bytes depend on the
 * level and on what is written, not on the number of threads. An abandoned
 * output has no end that a reader would take for one.
 */
#define BT_OUT_ZSTD_MAX 19 /* higher levels need much memory to read */
int bt_out_zstd(struct bt_out *out, int level, int threads,
                struct bt_error *err) BT_MUST_USE;

/* Lets a thread write behind the caller, where there is much and it is not
 * compressed. An error may be told one write later; nothing else differs. */
void bt_out_behind(struct bt_out *out);

/* Tells that n bytes at least will be written, so that a file's place on the
 * disk can be had at once. Of no effect once something is. */
void bt_out_expect(struct bt_out *out, uint64_t n);

int bt_out_write(struct bt_out *out, const void *data, size_t n,
                 struct bt_error *err) BT_MUST_USE;

/* Where the next n bytes can be made, BT_OUT_ROOM at most; bt_out_made then
 * tells how many are. NULL is an error. */
#define BT_OUT_ROOM ((size_t)63 << 12)
void *bt_out_room(struct bt_out *out, size_t n,
                  struct bt_error *err) BT_MUST_USE;
void bt_out_made(struct bt_out *out, size_t n);

/* Whether what is handed to the system can be read at once: not so of a file
 * that is yet to appear, of memory, and of what is compressed, whose bytes are
 * not to depend on when. */
bool bt_out_is_live(const struct bt_out *out);

/* Hands what is buffered to the system, compressed as far as it goes. */
int bt_out_flush(struct bt_out *out, struct bt_error *err) BT_MUST_USE;

/* The same for an output that is live; else does nothing. A bt_in_idle_fn
 * (io/in.h) of the input that out is made of: what came so far goes on, since
 * more is waited for. */
int bt_out_hand_on(void *out, struct bt_error *err) BT_MUST_USE;

/* Does all of bt_out_commit that can fail for want of room, and more, but the
 * file does not appear yet. After that only commit and abandon may follow. */
int bt_out_settle(struct bt_out *out, struct bt_error *err) BT_MUST_USE;

/* Ends the output well; out is freed whatever is returned. */
int bt_out_commit(struct bt_out *out, struct bt_error *err) BT_MUST_USE;

/* Ends it without leaving a trace, where that is possible; takes NULL. Records
 * that go to a pipe, or of which a part was written to a file by standard
 * output, have no end that a reader would take for one: it is inside a record.
 */
void bt_out_abandon(struct bt_out *out);

/* The same of the records that a program would have written to path, if it
 * failed before it opened any output there; of several processes of one job the
 * first does it. */
void bt_out_unopened(const char *path);

/* Commits what was written well, as r tells, else abandons it. Returns r, or
 * the error of the commit. Takes NULL where r is an error. */
int bt_out_end(struct bt_out *out, int r, struct bt_error *err) BT_MUST_USE;

/* 'file' in quotes, or "standard output". */
const char *bt_out_name(const struct bt_out *out);

/* Bytes written so far, before compression. */
uint64_t bt_out_offset(const struct bt_out *out);

/* The whole of a file in one call: open, write, commit. */
int bt_out_whole(const char *path, const void *data, size_t n,
                 struct bt_error *err) BT_MUST_USE;

#endif
