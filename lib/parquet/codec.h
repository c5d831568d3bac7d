/* SPDX-License-Identifier: MIT */
/* How pages are compressed. */
#ifndef BT_PARQUET_CODEC_H
#define BT_PARQUET_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum bt_parquet_codec {
	BT_PARQUET_NONE,
	BT_PARQUET_SNAPPY,
	BT_PARQUET_GZIP,
	BT_PARQUET_LZO,
	BT_PARQUET_BROTLI,
	BT_PARQUET_LZ4_HADOOP,
	BT_PARQUET_ZSTD,
	BT_PARQUET_LZ4,
	BT_PARQUET_CODECS
};

/* BT_EFORMAT for one that cannot be read, with what to do about it. */
int bt_parquet_codec_check(int64_t codec, struct bt_error *err) BT_MUST_USE;

/* Whether n bytes can become size bytes at all, so that the memory for these
 * may be taken. */
bool bt_parquet_codec_fits(enum bt_parquet_codec codec, size_t n,
                           size_t size) BT_MUST_USE;

/* Decompresses n bytes to exactly size ones. */
int bt_parquet_codec_decode(enum bt_parquet_codec codec, const uint8_t *data,
                            size_t n, uint8_t *to, size_t size,
                            struct bt_error *err) BT_MUST_USE;

#endif
