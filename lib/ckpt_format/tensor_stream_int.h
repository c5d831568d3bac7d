/* SPDX-License-Identifier: MIT */
/*
 * The end record of a tensor stream, as bertutils-stream(5) has it: a skippable
 * frame of zstd, so that zstd -d passes over it.
 */
#ifndef BT_CKPT_FORMAT_TENSOR_STREAM_INT_H
#define BT_CKPT_FORMAT_TENSOR_STREAM_INT_H

#include <stdint.h>

#define BT_TS_FRAME 0xFD2FB528u /* magic numbers of zstd */
#define BT_TS_END 0x184D2A5Bu

/* Its bytes: magic, size of what follows, mark, frames, bytes of all blobs, and
 * the CRC-32C of the stream up to here. */
#define BT_TS_END_SIZE 36
#define BT_TS_MARK "tensors1"
#define BT_TS_MARK_AT 8
#define BT_TS_FRAMES_AT 16
#define BT_TS_BYTES_AT 24
#define BT_TS_CRC_AT 32

#endif
