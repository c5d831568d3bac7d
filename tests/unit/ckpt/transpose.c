/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Matrices turned over, and tensors on their way out of one file into another.
 */
#include "files.h"

#include <unistd.h>

#include "base/crc32c.h"
#include "base/half.h"
#include "ckpt.h"
#include "ckpt/cast.h"
#include "ckpt/open.h"
#include "tensor/checkpoint_reader.h"
#include "tensor/transpose.h"

/* All sizes around the square's, each in a block of exactly its size. */
TEST(turned)
{
	static const size_t sides[] = {1, 3, 15, 16, 17, 32, 50};
	size_t a, b, w, i, j, rows, cols, first, n;
	uint8_t *in, *out;

	for (a = 0; a < 7; a++)
		for (b = 0; b < 7; b++)
			for (w = 1; w <= 8; w *= 2) {
				rows = sides[a];
				cols = sides[b];
				first = cols / 3;
				n = cols - first;
				in = malloc(rows * cols * w);
				out = malloc(rows * n * w);
				for (i = 0; i < rows * cols * w; i++)
					in[i] = (uint8_t)(i * 167 >> 3 ^ i);
				bt_transpose(in, rows, cols, first, n, w, out);
				for (i = 0; i < rows; i++)
					for (j = 0; j < n; j++)
						assert_memory_equal(
						    out + (j * rows + i) * w,
						    in +
						        (i * cols + first + j) *
						            w,
						    w);
				free(in);
				free(out);
			}
	assert_int_equal(bt_transpose_columns(768, 4, 1 << 18), 80);
	assert_int_equal(bt_transpose_columns(1 << 20, 4, 1 << 18), 16);
	assert_int_equal(bt_transpose_columns(0, 4, 1 << 18), 16);
}

/* A matrix whose columns are longer than the room, written as it is, turned,
 * and turned into another type. */
#define ROWS 5000
#define COLS 20

static void write_matrix(void)
{
	uint8_t *blob;
	size_t size;

	blob = make_blob("{\"w\":{\"dtype\":\"F32\",\"shape\":[5000,20],"
	                 "\"data_offsets\":[0,400000]}}",
	                 400000, &size);
	for (size_t i = 0; i < ROWS * COLS; i++) {
		float v = (float)i;

		memcpy(blob + size - 400000 + 4 * i, &v, 4);
	}
	file_put("m.safetensors", blob, size);
	free(blob);
}

static struct bt_buf put(struct bt_ckpt *c, bool transposed,
                         enum bt_dtype dtype, uint32_t *crc, int wanted,
                         struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_named_list l;
	struct bt_cast *r;
	struct bt_out *out;

	assert_int_equal(bt_names_init(&l, c, err), BT_OK);
	l.v[0].transposed = transposed;
	l.v[0].rows = ROWS;
	l.v[0].cols = COLS;
	assert_int_equal(bt_cast_new(&l, dtype, &r, err), BT_OK);
	out = bt_out_memory(&b);
	assert_int_equal(
	    bt_tensor_source_put(bt_cast_source(r), 0, out, crc, err), wanted);
	if (wanted == BT_OK)
		assert_int_equal(bt_out_commit(out, err), BT_OK);
	else
		bt_out_abandon(out);
	bt_cast_free(r);
	bt_names_clear(&l);
	return b;
}

TEST(put_out)
{
	struct bt_error err = {0};
	struct bt_buf b;
	struct bt_ckpt *c;
	size_t i, how, at;
	uint32_t crc;
	float v;
	uint16_t h;

	write_matrix();
	assert_ok(bt_ckpt_open("m.safetensors", &c, &err));
	for (how = 0; how < 4; how++) {
		bool over = how & 1, half = how & 2;

		b = put(c, over, half ? BT_DTYPE_F16 : BT_DTYPES, &crc, BT_OK,
		        &err);
		assert_int_equal(b.len, ROWS * COLS * (half ? 2 : 4));
		assert_int_equal(crc, bt_crc32c(0, b.data, b.len));
		for (i = 0; i < ROWS * COLS; i++) {
			at = over ? i % ROWS * COLS + i / ROWS : i;
			memcpy(&v, b.data + 4 * i * !half, 4);
			memcpy(&h, b.data + 2 * i * half, 2);
			if (half && at < 2048)
				v = bt_f16_to_f32(h);
			if (!half || at < 2048)
				assert_true(v == (float)at);
		}
		bt_buf_clear(&b);
	}

	/* cut off while it is open: an error, no signal */
	assert_int_equal(truncate("m.safetensors", 4096), 0);
	b = put(c, false, BT_DTYPES, NULL, BT_ETRUNCATED, &err);
	assert_string_equal(err.text,
	                    "'m.safetensors' became shorter while it was read");
	bt_error_clear(&err);
	bt_buf_clear(&b);
	bt_ckpt_close(c);
}
