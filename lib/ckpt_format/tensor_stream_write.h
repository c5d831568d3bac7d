/* SPDX-License-Identifier: MIT */
/*
 * Writes a tensor stream: zstd frames, each of them a whole safetensors blob,
 * and an end record. bertutils-stream(5) defines the bytes. One thread at a
 * time.
 */
#ifndef BT_CKPT_FORMAT_TENSOR_STREAM_WRITE_H
#define BT_CKPT_FORMAT_TENSOR_STREAM_WRITE_H

#include "ckpt_format/safetensors.h"
#include "io/out.h"

struct bt_ts_writer;

#define BT_TS_LEVEL 1 /* floats hardly compress: what is gained is speed */

/* Writes to out, which is borrowed; the caller commits or abandons it. */
int bt_ts_writer_new(struct bt_out *out, int level, struct bt_ts_writer **t,
                     struct bt_error *err) BT_MUST_USE;

/* Appends a frame. Its bytes depend on s and the level only. */
int bt_ts_writer_frame(struct bt_ts_writer *t, const struct bt_safetensors *s,
                       struct bt_error *err) BT_MUST_USE;

/* Appends a frame that is compressed already: n bytes from bt_ts_reader_packed
 * with that CRC, of a blob of `bytes`. */
int bt_ts_writer_copy(struct bt_ts_writer *t, const void *packed, size_t n,
                      uint32_t crc, size_t bytes,
                      struct bt_error *err) BT_MUST_USE;

/* Writes the end record; t is freed whatever is returned. */
int bt_ts_writer_finish(struct bt_ts_writer *t,
                        struct bt_error *err) BT_MUST_USE;

/* Frees t without an end record, so that a reader sees the stream as cut off;
 * takes NULL. */
void bt_ts_writer_abandon(struct bt_ts_writer *t);

#endif
