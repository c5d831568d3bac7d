/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
#include "test.h"

#include <unistd.h>

#include "ckpt.h"
#include "ckpt/open.h"
#include "ckpt_format/safetensors.h"

/* Writes the tensors and notes of c again, in the order of their names. */
static void copy(const struct bt_ckpt *c, const char *path)
{
	struct bt_ckpt_note notes[4];
	struct bt_tensor t[32];
	struct bt_safetensors s = {.tensors = t, .notes = notes};
	struct bt_error err = {0};
	size_t i;

	for (i = 0; i < bt_ckpt_count(c); i++)
		t[i] = *bt_ckpt_tensor(c, i);
	for (s.n_notes = 0; s.n_notes < bt_ckpt_notes(c); s.n_notes++)
		notes[s.n_notes] = *bt_ckpt_note(c, s.n_notes);
	s.count = bt_ckpt_count(c);
	assert_ok(bt_safetensors_save(path, &s, &err));
}

/* What the Rust library wrote comes out of us the same, byte for byte. */
TEST(equal_to_the_rust_writer)
{
	static const char *const names[] = {"ckpt-dtypes.safetensors",
	                                    "ckpt-values.safetensors"};
	struct bt_error err = {0};
	size_t i, size, wanted;
	struct bt_ckpt *c;
	uint8_t *p, *q;

	for (i = 0; i < 2; i++) {
		assert_ok(bt_ckpt_open(fixture(names[i]), &c, &err));
		copy(c, "copy");
		bt_ckpt_close(c);
		p = load("copy", &size);
		q = load(fixture(names[i]), &wanted);
		assert_int_equal(size, wanted);
		assert_memory_equal(p, q, size);
		free(p);
		free(q);
	}
}

TEST(header_is_padded)
{
	static const int64_t shape[] = {3};
	static const uint8_t data[] = {1, 2, 3};
	struct bt_tensor t = {
	    .dtype = BT_DTYPE_U8, .rank = 1, .shape = shape, .data = data};
	struct bt_safetensors s = {.tensors = &t, .count = 1};
	char name[12] = "";
	struct bt_error err = {0};
	struct bt_ckpt *c;
	uint64_t length;
	uint8_t *p;
	size_t size, i;

	t.name = name;
	for (i = 0; i < 10; i++) {
		name[i] = 'x';
		assert_ok(bt_safetensors_save("padded", &s, &err));
		p = load("padded", &size);
		memcpy(&length, p, 8);
		assert_int_equal(length % 8, 0);
		assert_int_equal(size, 8 + length + 3);
		assert_int_equal(p[8], '{');
		assert_true(p[7 + length] == ' ' || p[7 + length] == '}');
		assert_ok(bt_ckpt_open("padded", &c, &err));
		assert_string_equal(bt_ckpt_tensor(c, 0)->name, name);
		assert_memory_equal(bt_ckpt_tensor(c, 0)->data, data, 3);
		bt_ckpt_close(c);
		free(p);
	}
}

TEST(nothing_to_write)
{
	struct bt_safetensors s = {.count = 0};
	struct bt_error err = {0};
	struct bt_ckpt *c;
	size_t size;
	uint8_t *p;

	assert_ok(bt_safetensors_save("nothing", &s, &err));
	p = load("nothing", &size);
	assert_int_equal(size, 16);
	assert_memory_equal(p, "\10\0\0\0\0\0\0\0{}      ", 16);
	free(p);
	assert_ok(bt_ckpt_open("nothing", &c, &err));
	assert_int_equal(bt_ckpt_count(c), 0);
	assert_null(bt_ckpt_find(c, "x"));
	bt_ckpt_close(c);
}

/* The numbers 0, 1, 2, ... as f32, `extra` too many. */
struct source {
	int extra;
	int calls;
};

static int fill(void *ctx, size_t i, struct bt_out *out, struct bt_error *err)
{
	struct source *s = ctx;
	int k, r = BT_OK;
	float v;

	s->calls++;
	for (k = 0; k < (int)(i + 1) * 100000 + s->extra && r == BT_OK; k++) {
		v = (float)k;
		r = bt_out_write(out, &v, sizeof(v), err);
	}
	return r;
}

TEST(from_a_callback)
{
	static const int64_t shapes[2][1] = {{100000}, {200000}};
	struct bt_tensor t[2] = {
	    {.name = "b", .dtype = BT_DTYPE_F32, .rank = 1, .shape = shapes[0]},
	    {.name = "a", .dtype = BT_DTYPE_F32, .rank = 1, .shape = shapes[1]},
	};
	struct source source = {0, 0};
	struct bt_safetensors s = {
	    .tensors = t, .count = 2, .fill = fill, .ctx = &source};
	struct bt_error err = {0};
	struct bt_ckpt *c;
	const float *v;

	assert_ok(bt_safetensors_save("filled", &s, &err));
	assert_int_equal(source.calls, 2);
	assert_ok(bt_ckpt_open("filled", &c, &err));
	v = bt_ckpt_find(c, "a")->data; /* ours is padded, so aligned */
	assert_true(v[199999] == 199999);
	v = bt_ckpt_find(c, "b")->data;
	assert_true(v[99999] == 99999);
	bt_ckpt_close(c);
	for (source.extra = -1; source.extra <= 1; source.extra += 2)
		assert_err(bt_safetensors_save("other", &s, &err), BT_EARG,
		           "tensor 'a' got");
	assert_int_equal(access("other", F_OK), -1);
}

static void refused(struct bt_safetensors s, const char *words)
{
	struct bt_error err = {0};

	assert_err(bt_safetensors_save("refused", &s, &err), BT_EFORMAT, words);
	assert_int_equal(access("refused", F_OK), -1);
}

TEST(mistakes)
{
	static const int64_t one[] = {1}, minus[] = {-1},
	                     huge[] = {INT64_MAX, INT64_MAX}, odd[] = {3};
	static const uint8_t data[8];
	struct bt_tensor t[2] = {
	    {.name = "a", .dtype = BT_DTYPE_U8, .rank = 1, .shape = one},
	    {.name = "a", .dtype = BT_DTYPE_F32, .rank = 1, .shape = one},
	};
	struct bt_safetensors s = {.tensors = t, .count = 2};
	struct bt_ckpt_note note = {"format", "\xff"};

	refused(s, "'a' has no data");
	t[0].data = t[1].data = data;
	refused(s, "two tensors cannot be named 'a'");
	t[1].name = "__metadata__";
	refused(s, "__metadata__");
	t[1].name = "\xff";
	refused(s, "not UTF-8");
	t[1].name = "b";
	t[1].shape = minus;
	refused(s, "'b': dimension 0 is negative: -1");
	t[1].shape = huge;
	t[1].rank = 2;
	refused(s, "overflows");
	t[1].rank = 65;
	refused(s, "65 dimensions");
	t[1].rank = 1;
	t[1].shape = odd;
	t[1].dtype = BT_DTYPE_F4;
	refused(s, "do not fill the last byte");
	t[1].dtype = BT_DTYPE_U8;
	s.notes = &note;
	s.n_notes = 1;
	refused(s, "note 'format' is not UTF-8");
}

TEST(disk_full)
{
	static const int64_t shape[] = {1 << 20};
	float *data = calloc(1 << 20, sizeof(*data));
	struct bt_tensor t = {.name = "a",
	                      .dtype = BT_DTYPE_F32,
	                      .rank = 1,
	                      .shape = shape,
	                      .data = data};
	struct bt_safetensors s = {.tensors = &t, .count = 1};
	struct bt_error err = {0};

	assert_err(bt_safetensors_save("/dev/full", &s, &err), BT_EIO,
	           "cannot write '/dev/full': No space left");
	free(data);
}
