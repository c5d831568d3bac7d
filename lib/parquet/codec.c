/* SPDX-License-Identifier: MIT */
#define ZLIB_CONST
#include "parquet/codec.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "format/protobuf_wire.h"
#include "format/snappy.h"

static const char *const names[BT_PARQUET_CODECS] = {
    "none", "snappy", "gzip", "LZO", "Brotli", "Hadoop's LZ4", "zstd", "LZ4"};

int bt_parquet_codec_check(int64_t codec, struct bt_error *err)
{
	if (codec < 0 || codec >= BT_PARQUET_CODECS)
		return bt_error_set(err, BT_EFORMAT,
		                    "its compression is unknown (codec "
		                    "%lld)",
		                    (long long)codec);
	if (codec != BT_PARQUET_LZO && codec != BT_PARQUET_BROTLI &&
	    codec != BT_PARQUET_LZ4_HADOOP)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "its compression, %s, is not read: write "
	                    "the file again with zstd, as "
	                    "pandas.read_parquet(FILE).to_parquet(NEW, "
	                    "compression='zstd') does",
	                    names[codec]);
}

/* The most that a byte can become: DEFLATE codes 258 bytes in two bits, zstd
 * 128 KiB in a block of four bytes, LZ4 255 in a byte of a length. */
bool bt_parquet_codec_fits(enum bt_parquet_codec codec, size_t n, size_t size)
{
	switch (codec) {
	case BT_PARQUET_SNAPPY:
		return size <= 22 * n + 22;
	case BT_PARQUET_GZIP:
		return size / 1032 <= n;
	case BT_PARQUET_ZSTD:
		return size / 32768 <= n;
	case BT_PARQUET_LZ4:
		return size / 255 <= n;
	default:
		return size == n;
	}
}

static bool inflate_all(const uint8_t *data, size_t n, uint8_t *to, size_t size)
{
	z_stream z = {.next_in = data,
	              .avail_in = (uInt)n,
	              .next_out = to,
	              .avail_out = (uInt)size};
	int r;

	if (inflateInit2(&z, 15 + 32) != Z_OK)
		return false;
	do
		r = inflate(&z, Z_FINISH);
	while (r == Z_STREAM_END && z.avail_in > 0 && inflateReset(&z) == Z_OK);
	inflateEnd(&z);
	return r == Z_STREAM_END && z.avail_out == 0;
}

/* A length in a nibble, and in the bytes behind where that is full. */
static bool take_length(struct bt_pb *in, size_t *n)
{
	uint8_t b;

	if (*n < 15)
		return true;
	do {
		if (in->p == in->end)
			return false;
		b = *in->p++;
		*n += b;
	} while (b == 255);
	return true;
}

/* A block: runs of bytes, and copies of earlier ones behind each but the
 * last. */
static bool decode_lz4(const uint8_t *data, size_t n, uint8_t *to, size_t size)
{
	struct bt_pb in = {data, data + n};
	size_t at = 0, run, back;
	uint8_t token;

	while (in.p < in.end) {
		token = *in.p++;
		run = token >> 4;
		if (!take_length(&in, &run) || run > (size_t)(in.end - in.p) ||
		    run > size - at)
			return false;
		if (run > 0)
			memcpy(to + at, in.p, run);
		in.p += run;
		at += run;
		if (in.p == in.end)
			break;
		if (in.end - in.p < 2)
			return false;
		back = in.p[0] | (size_t)in.p[1] << 8;
		in.p += 2;
		run = token & 15;
		if (!take_length(&in, &run))
			return false;
		run += 4;
		if (back == 0 || back > at || run > size - at)
			return false;
		for (; run > 0; run--, at++) /* it may overlap what it makes */
			to[at] = to[at - back];
	}
	return at == size;
}

static bool decode(enum bt_parquet_codec codec, const uint8_t *data, size_t n,
                   uint8_t *to, size_t size)
{
	size_t length;

	switch (codec) {
	case BT_PARQUET_SNAPPY:
		return bt_snappy_length(data, n, &length) == BT_OK &&
		       length == size &&
		       bt_snappy_decode(data, n, to, size) == BT_OK;
	case BT_PARQUET_GZIP:
		return inflate_all(data, n, to, size);
	case BT_PARQUET_ZSTD:
		return ZSTD_decompress(to, size, data, n) == size;
	case BT_PARQUET_LZ4:
		return decode_lz4(data, n, to, size);
	default:
		if (n > 0)
			memcpy(to, data, n);
		return n == size;
	}
}

int bt_parquet_codec_decode(enum bt_parquet_codec codec, const uint8_t *data,
                            size_t n, uint8_t *to, size_t size,
                            struct bt_error *err)
{
	if (decode(codec, data, n, to, size))
		return BT_OK;
	return bt_error_set(err, BT_ECORRUPT,
	                    "a page's %s data are damaged, or do not have the "
	                    "%zu bytes that its header claims",
	                    names[codec], size);
}
