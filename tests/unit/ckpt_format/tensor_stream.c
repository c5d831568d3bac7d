/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Tensor streams: written and read back; cut, changed and made up ones. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/buf.h"
#include "ckpt_format/tensor_stream_read.h"
#include "ckpt_format/tensor_stream_write.h"
#include "files.h"

#define FILE_NAME "t.ts"
#define END 36 /* bytes of the end record */

static const int64_t three[2] = {3, 2};
static const float values[6] = {0.5f, -1, 2, 1e-9f, 3, 4};

/* Writes frames of (3,2) floats, whose first value is the frame's number; with
 * `end` or cut off. The bytes, to be cleared. */
static struct bt_buf make(int frames, bool end)
{
	struct bt_error err = {0};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_ckpt_note note = {"labels", "[\"a\",\"b\"]"};
	struct bt_tensor t = {.name = "logits",
	                      .dtype = BT_DTYPE_F32,
	                      .rank = 2,
	                      .shape = three,
	                      .count = 6,
	                      .bytes = 24};
	struct bt_safetensors s = {&t, 1, &note, 1, NULL, NULL, false};
	struct bt_ts_writer *w;
	struct bt_out *out;
	float v[6];
	int i;

	memcpy(v, values, sizeof(v));
	t.data = v;
	out = bt_out_memory(&b);
	assert_ok(bt_ts_writer_new(out, BT_TS_LEVEL, &w, &err));
	for (i = 0; i < frames; i++) {
		v[0] = (float)i;
		assert_ok(bt_ts_writer_frame(w, &s, &err));
	}
	if (end)
		assert_ok(bt_ts_writer_finish(w, &err));
	else
		bt_ts_writer_abandon(w);
	assert_ok(bt_out_commit(out, &err));
	return b;
}

/* Reads all of the bytes; the number of frames or the error. */
static int read_all(const void *data, size_t n, size_t limit,
                    struct bt_error *err)
{
	const struct bt_ckpt *c;
	struct bt_ts_reader *t;
	int r, frames = 0;

	file_put(FILE_NAME, data, n);
	err->code = 0;
	err->text[0] = '\0';
	r = bt_ts_reader_open(FILE_NAME, limit, &t, err);
	assert_int_equal(r, BT_OK);
	while ((r = bt_ts_reader_next(t, &c, err)) == 1) {
		assert_non_null(c);
		frames++;
	}
	bt_ts_reader_close(t);
	if (r != BT_OK) {
		assert_int_equal(err->code, r);
		assert_non_null(strstr(err->text, FILE_NAME));
	}
	return r == BT_OK ? frames : r;
}

TEST(round_trip)
{
	struct bt_error err = {0};
	struct bt_buf b = make(3, true);
	const struct bt_ckpt *c;
	const struct bt_tensor *x;
	struct bt_ts_reader *t;
	float v[6];
	int i;

	file_put(FILE_NAME, b.data, b.len);
	assert_ok(bt_ts_reader_open(FILE_NAME, 0, &t, &err));
	for (i = 0; i < 3; i++) {
		assert_int_equal(bt_ts_reader_next(t, &c, &err), 1);
		assert_int_equal(bt_ckpt_count(c), 1);
		x = bt_ckpt_find(c, "logits");
		assert_non_null(x);
		assert_int_equal(x->rank, 2);
		assert_int_equal(x->shape[0], 3);
		assert_ok(bt_tensor_to_f32(x, 0, 6, v, &err));
		assert_true(v[0] == (float)i);
		assert_memory_equal(v + 1, values + 1, 5 * sizeof(*v));
		assert_int_equal(bt_ckpt_notes(c), 1);
		assert_string_equal(bt_ckpt_note(c, 0)->value, "[\"a\",\"b\"]");
	}
	assert_int_equal(bt_ts_reader_next(t, &c, &err), 0);
	assert_int_equal(bt_ts_reader_next(t, &c, &err), 0);
	assert_int_equal(bt_ts_reader_streams(t), 1);
	bt_ts_reader_close(t);
	bt_buf_clear(&b);
}

/* What is copied frame by frame is the same stream. */
TEST(copied)
{
	struct bt_error err = {0};
	struct bt_buf b = make(4, true), d = BT_BUF_INIT;
	const struct bt_ckpt *c;
	const void *p;
	struct bt_ts_reader *t;
	struct bt_ts_writer *w;
	struct bt_out *out;
	uint32_t crc;
	size_t n;

	file_put(FILE_NAME, b.data, b.len);
	assert_ok(bt_ts_reader_open(FILE_NAME, 0, &t, &err));
	out = bt_out_memory(&d);
	assert_ok(bt_ts_writer_new(out, BT_TS_LEVEL, &w, &err));
	while (bt_ts_reader_next(t, &c, &err) == 1) {
		p = bt_ts_reader_packed(t, &n, &crc);
		assert_ok(bt_ts_writer_copy(w, p, n, crc, bt_ts_reader_size(t),
		                            &err));
	}
	assert_ok(bt_ts_writer_finish(w, &err));
	assert_ok(bt_out_commit(out, &err));
	assert_int_equal(d.len, b.len);
	assert_memory_equal(d.data, b.data, b.len);
	bt_ts_reader_close(t);
	bt_buf_clear(&b);
	bt_buf_clear(&d);
}

/* The page's table of the end record. */
TEST(end_record)
{
	static const uint8_t head[16] = {0x5b, 0x2a, 0x4d, 0x18, 28,  0,
	                                 0,    0,    't',  'e',  'n', 's',
	                                 'o',  'r',  's',  '1'};
	struct bt_buf b = make(3, true), none = make(0, true);
	uint64_t frames, bytes;
	struct bt_error err = {0};

	assert_memory_equal(b.data + b.len - END, head, 16);
	memcpy(&frames, b.data + b.len - END + 16, 8);
	memcpy(&bytes, b.data + b.len - END + 24, 8);
	assert_int_equal(frames, 3);
	assert_true(bytes % 3 == 0 && bytes > 3 * 24);
	assert_int_equal(none.len, END);
	assert_int_equal(read_all(none.data, none.len, 0, &err), 0);
	bt_buf_clear(&b);
	bt_buf_clear(&none);
}

/* libzstd passes over the end and gives the blobs. */
TEST(zstd_reads_it)
{
	struct bt_buf b = make(2, true);
	char *blobs = malloc(4096);
	uint64_t bytes;
	size_t n;

	memcpy(&bytes, b.data + b.len - END + 24, 8);
	n = ZSTD_decompress(blobs, 4096, b.data, b.len);
	assert_false(ZSTD_isError(n));
	assert_int_equal(n, bytes);
	free(blobs);
	bt_buf_clear(&b);
}

TEST(cut_at_every_byte)
{
	struct bt_buf b = make(2, true), none = make(0, true);
	struct bt_error err;
	size_t n;

	for (n = 0; n < b.len; n++)
		assert_int_equal(read_all(b.data, n, 0, &err), BT_ETRUNCATED);
	assert_int_equal(read_all(b.data, b.len, 0, &err), 2);
	for (n = 0; n < none.len; n++)
		assert_int_equal(read_all(none.data, n, 0, &err),
		                 BT_ETRUNCATED);
	bt_buf_clear(&b);
	bt_buf_clear(&none);
	b = make(2, false); /* abandoned */
	assert_int_equal(read_all(b.data, b.len, 0, &err), BT_ETRUNCATED);
	bt_buf_clear(&b);
}

TEST(every_bit_flipped)
{
	struct bt_buf b = make(2, true);
	struct bt_error err;
	size_t i;
	int bit, r;

	for (i = 0; i < b.len; i++)
		for (bit = 0; bit < 8; bit++) {
			b.data[i] ^= (char)(1 << bit);
			r = read_all(b.data, b.len, 0, &err);
			if (r >= 0)
				fail_msg("bit %d of byte %zu", bit, i);
			b.data[i] ^= (char)(1 << bit);
		}
	assert_int_equal(read_all(b.data, b.len, 0, &err), 2);
	bt_buf_clear(&b);
}

TEST(one_behind_the_other)
{
	struct bt_buf a = make(2, true), b = make(3, true),
	              cut = make(1, false);
	struct bt_error err;

	bt_buf_put(&a, b.data, b.len);
	assert_int_equal(read_all(a.data, a.len, 0, &err), 5);
	bt_buf_put(&a, cut.data, cut.len);
	assert_int_equal(read_all(a.data, a.len, 0, &err), BT_ETRUNCATED);
	a.len -= cut.len;
	bt_buf_putc(&a, '\n');
	assert_int_equal(read_all(a.data, a.len, 0, &err), BT_ETRUNCATED);
	bt_buf_puts(&a, "abc");
	assert_int_equal(read_all(a.data, a.len, 0, &err), BT_ECORRUPT);
	/* frames of the first count as the second's, were there one end */
	bt_buf_clear(&a);
	a = make(2, false);
	bt_buf_put(&a, b.data, b.len);
	assert_int_equal(read_all(a.data, a.len, 0, &err), BT_ECORRUPT);
	assert_non_null(strstr(err.text, "5 frames"));
	bt_buf_clear(&a);
	bt_buf_clear(&b);
	bt_buf_clear(&cut);
}

/* A stream of one frame that libzstd makes of these bytes. */
static struct bt_buf frame_of(const void *data, size_t n, bool checksum,
                              bool size)
{
	struct bt_buf b = BT_BUF_INIT;
	ZSTD_CCtx *z = ZSTD_createCCtx();
	size_t room = ZSTD_compressBound(n), len;

	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, checksum);
	ZSTD_CCtx_setParameter(z, ZSTD_c_contentSizeFlag, size);
	len = ZSTD_compress2(z, bt_buf_reserve(&b, room), room, data, n);
	assert_false(ZSTD_isError(len));
	b.len = len;
	ZSTD_freeCCtx(z);
	return b;
}

TEST(other_frames)
{
	static const char blob[] =
	    "\x08\0\0\0\0\0\0\0{}      "; /* no tensor: allowed */
	struct bt_error err;
	struct bt_buf b;

	b = frame_of(blob, 16, true, true);
	assert_int_equal(read_all(b.data, b.len, 0, &err), BT_ETRUNCATED);
	bt_buf_clear(&b);
	b = frame_of(blob, 16, false, true);
	assert_int_equal(read_all(b.data, b.len, 0, &err), BT_EFORMAT);
	bt_buf_clear(&b);
	b = frame_of(blob, 16, true, false);
	assert_int_equal(read_all(b.data, b.len, 0, &err), BT_EFORMAT);
	bt_buf_clear(&b);
	b = frame_of("no blob here", 12, true, true);
	assert_int_equal(read_all(b.data, b.len, 0, &err), BT_ECORRUPT);
	bt_buf_clear(&b);
	b = frame_of("", 0, true, true);
	assert_int_equal(read_all(b.data, b.len, 0, &err), BT_ECORRUPT);
	bt_buf_clear(&b);
	assert_int_equal(read_all("id,label\n", 9, 0, &err), BT_EFORMAT);
	assert_int_equal(read_all("", 0, 0, &err), BT_ETRUNCATED);
}

/* Megabytes of zeros in a hundred bytes, and lies about sizes. */
TEST(bombs)
{
	struct bt_error err;
	size_t n = (size_t)3 << 20;
	char *zeros = calloc(n, 1);
	struct bt_buf b = frame_of(zeros, n, true, true);

	assert_int_equal(read_all(b.data, b.len, n - 1, &err), BT_ELIMIT);
	assert_non_null(strstr(err.text, "the limit is 3145727"));
	assert_int_equal(read_all(b.data, b.len, n, &err), BT_ECORRUPT);
	/* descriptor: single segment or not, size of four bytes */
	assert_int_equal((uint8_t)b.data[4] >> 6, 2);
	b.data[(b.data[4] & 0x20) != 0 ? 8 : 9] = 0x10; /* 256 MiB more */
	assert_int_equal(read_all(b.data, b.len, 0, &err), BT_ECORRUPT);
	assert_non_null(strstr(err.text, "cannot hold as much"));
	b.data[(b.data[4] & 0x20) != 0 ? 8 : 9] = 0x7f;
	assert_int_equal(read_all(b.data, b.len, 0, &err), BT_ELIMIT);
	bt_buf_clear(&b);
	free(zeros);
}

/* A frame of empty blocks without an end. */
TEST(endless_frame)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err;
	int i;

	bt_buf_put(&b, "\x28\xb5\x2f\xfd\x24\x10", 6); /* 16 bytes to come */
	for (i = 0; i < 10000; i++)
		bt_buf_put(&b, "\0\0\0", 3);
	assert_int_equal(read_all(b.data, b.len, 0, &err), BT_ECORRUPT);
	assert_non_null(strstr(err.text, "longer than"));
	bt_buf_clear(&b);
}
