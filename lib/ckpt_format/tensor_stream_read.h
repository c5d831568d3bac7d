/* SPDX-License-Identifier: MIT */
/*
 * Reads a tensor stream, frame after frame; memory holds one frame.
 * bertutils-stream(5) defines the bytes. One thread at a time.
 *
 * A frame is given out when its own checksum is right. That nothing is missing
 * and no other byte was changed is known at the end only: who acts on frames
 * must be able to take it back. Several streams, one behind the other, are read
 * as one.
 */
#ifndef BT_CKPT_FORMAT_TENSOR_STREAM_READ_H
#define BT_CKPT_FORMAT_TENSOR_STREAM_READ_H

#include "tensor/checkpoint.h"

struct bt_ts_reader;

#define BT_TS_READER_LIMIT                                                     \
	((size_t)1 << 30) /* bytes of a blob, where none is given              \
	                   */

/* path "-" or NULL is standard input. A frame of more than limit bytes (0:
 * BT_TS_READER_LIMIT) is BT_ELIMIT. */
int bt_ts_reader_open(const char *path, size_t limit, struct bt_ts_reader **t,
                      struct bt_error *err) BT_MUST_USE;
void bt_ts_reader_close(struct bt_ts_reader *t); /* takes NULL */

/*
 * 1: *c is the next frame's tensors, borrowed until the next call; 0: the end.
 * BT_ETRUNCATED: cut off, be it between two frames. BT_ECORRUPT: damaged.
 * BT_EFORMAT: no tensor stream. The text names input and frame.
 */
int bt_ts_reader_next(struct bt_ts_reader *t, const struct bt_ckpt **c,
                      struct bt_error *err) BT_MUST_USE;

/* The last frame as it stood in the stream, borrowed until the next call, and
 * its CRC. */
const void *bt_ts_reader_packed(const struct bt_ts_reader *t, size_t *n,
                                uint32_t *crc);

/* Its bytes as a safetensors file. */
size_t bt_ts_reader_size(const struct bt_ts_reader *t);

/* Ends of streams so far. */
uint64_t bt_ts_reader_streams(const struct bt_ts_reader *t);

/* 'file' in quotes, or "standard input". */
const char *bt_ts_reader_name(const struct bt_ts_reader *t);

/* Puts "cannot read 'x': frame 7" before the text in err; returns err's code.
 */
int bt_ts_reader_prefix(const struct bt_ts_reader *t, struct bt_error *err);

#endif
