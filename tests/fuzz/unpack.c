/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/*
 * Byte streams: any bytes as a plain, gzip, zip or zstd file; or the input cut
 * into members or frames, which must come out again as it was.
 */
#include "fuzz.h"

#include <stdbool.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "io/in.h"

static void gzip(struct bt_buf *b, const uint8_t *p, size_t n)
{
	z_stream z = {0};
	size_t room = n + 256;

	FUZZ_CHECK(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, 0) == Z_OK);
	z.next_in = (void *)(uintptr_t)p;
	z.avail_in = (unsigned)n;
	z.next_out = bt_buf_reserve(b, room);
	z.avail_out = (unsigned)room;
	FUZZ_CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
	b->len += room - z.avail_out;
	deflateEnd(&z);
}

static void zstd(struct bt_buf *b, const uint8_t *p, size_t n)
{
	size_t room = ZSTD_compressBound(n);

	n = ZSTD_compress(bt_buf_reserve(b, room), room, p, n, 1);
	FUZZ_CHECK(!ZSTD_isError(n));
	b->len += n;
}

/* Reads all, in steps that depend on step; gives out what was read. */
static int read_all(size_t step, bool ahead, struct bt_buf *out,
                    struct bt_error *err)
{
	const uint8_t *p;
	struct bt_in *in;
	size_t got, n;
	int r = fuzz_told(bt_in_open("input.bin", &in, err), err);

	if (r != BT_OK)
		return r;
	if (ahead)
		bt_in_ahead(in);
	for (;;) {
		n = 1 + step * out->len % 3001;
		r = step & 1 ? bt_in_peek(in, n, &p, &got, err)
		             : bt_in_some(in, 1, &p, &got, err);
		if (fuzz_told(r, err) != BT_OK || got == 0)
			break;
		got = got < n ? got : n;
		bt_buf_put(out, p, got);
		bt_in_skip(in, got);
		FUZZ_CHECK(bt_in_offset(in) == out->len);
		if (out->len > (size_t)1 << 24)
			break; /* little input may be much output */
	}
	bt_in_close(in);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bt_buf b = BT_BUF_INIT, one = BT_BUF_INIT, two = BT_BUF_INIT;
	struct bt_error err = {0}, err2 = {0};
	unsigned how = fuzz_byte(&data, &size);
	size_t step = 1 + (how >> 2), at, n;
	int r, r2;

	for (at = 0; (how & 3) < 2 && at < size; at += n) {
		n = size - at < step * 7 ? size - at : step * 7;
		(how & 1 ? gzip : zstd)(&b, data + at, n);
	}
	if ((how & 3) >= 2)
		bt_buf_put(&b, data, size);
	fuzz_put("input.bin", b.data, b.len);
	r = read_all(step, false, &one, &err);
	r2 = read_all(step + 1, true, &two, &err2);
	FUZZ_CHECK(r == r2 && strcmp(err.text, err2.text) == 0);
	if (r == BT_OK && one.len <= (size_t)1 << 24 &&
	    two.len <= (size_t)1 << 24)
		FUZZ_CHECK(
		    one.len == two.len &&
		    (one.len == 0 || memcmp(one.data, two.data, one.len) == 0));
	if ((how & 3) < 2)
		FUZZ_CHECK(r == BT_OK && one.len == size &&
		           (size == 0 || memcmp(one.data, data, size) == 0));
	bt_buf_clear(&b);
	bt_buf_clear(&one);
	bt_buf_clear(&two);
	return 0;
}
