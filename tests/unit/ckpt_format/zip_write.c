/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Zip archives that we write: our reader of them, which is strict, gets their
 * members back. */
#include "test.h"

#include "ckpt.h"
#include "ckpt/open.h"
#include "ckpt_format/zip_write.h"
#include "files.h"

#define ARRAY "ckpt-formats/array.npy"

/* An archive of the array as "one", in two parts, and as "two". */
static void write_two(bool large, bool deflate, const char *data, size_t n)
{
	struct bt_zip_writer w = {.large = large, .deflate = deflate};
	struct bt_span parts[3] = {{data, 7}, {NULL, 0}, {data + 7, n - 7}};
	struct bt_span whole = {data, n};
	struct bt_error err = {0};

	assert_ok(bt_out_open("two.npz", BT_OUT_BINARY, &w.out, &err));
	assert_ok(bt_zip_write(&w, "one.npy", parts, 3, &err));
	assert_ok(bt_zip_write(&w, "two.npy", &whole, 1, &err));
	assert_ok(bt_zip_write_end(&w, &err));
	assert_ok(bt_out_commit(w.out, &err));
	bt_zip_writer_clear(&w);
}

TEST(members_are_read_back)
{
	struct bt_error err = {0};
	const struct bt_tensor *a, *b;
	struct bt_ckpt *c, *d;
	size_t n, i, k, size[4];
	char *data, *zip, *got, *wanted;

	data = file_get(fixture(ARRAY), &n);
	assert_ok(bt_ckpt_open(fixture(ARRAY), &d, &err));
	b = bt_ckpt_tensor(d, 0);
	got = malloc(b->bytes);
	wanted = malloc(b->bytes);
	assert_ok(bt_tensor_read(b, 0, b->count, wanted, &err));
	for (i = 0; i < 4; i++) {
		write_two((i & 1) != 0, (i & 2) != 0, data, n);
		assert_ok(bt_ckpt_open("two.npz", &c, &err));
		assert_int_equal(bt_ckpt_count(c), 2);
		assert_ok(bt_ckpt_verify(c, &err));
		for (k = 0; k < 2; k++) {
			a = bt_ckpt_tensor(c, k);
			assert_string_equal(a->name, k == 0 ? "one" : "two");
			assert_int_equal(a->bytes, b->bytes);
			assert_ok(bt_tensor_read(a, 0, a->count, got, &err));
			assert_memory_equal(got, wanted, b->bytes);
		}
		bt_ckpt_close(c);
		zip = file_get("two.npz", &size[i]);
		free(zip);
	}
	assert_true(size[0] < size[1]); /* without the fields of zip64 */
	assert_true(size[2] < size[0]); /* deflated */
	bt_ckpt_close(d);
	free(got);
	free(wanted);
	free(data);
}
