/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* TensorFlow's checkpoints, written by it (tests/fixtures) and by us. */
#include <unistd.h>

#include "ckpt/open.h"
#include "test.h"

#include "ckpt.h"
#include "ckpt/names.h"
#include "format/snappy.h"

static struct bt_ckpt *open_fixture(const char *name)
{
	struct bt_error err = {0};
	struct bt_ckpt *c;

	assert_ok(bt_ckpt_open(fixture(name), &c, &err));
	return c;
}

/* Every element of a tensor is its place in it. */
static void assert_counts(const struct bt_ckpt *c, const char *name, size_t n)
{
	const struct bt_tensor *t = bt_ckpt_find(c, name);
	struct bt_error err = {0};
	double v;
	size_t i;

	assert_non_null(t);
	assert_int_equal(t->count, n);
	assert_ok(bt_tensor_verify(t, &err));
	for (i = 0; i < n; i++) {
		assert_ok(bt_tensor_to_f64(t, i, 1, &v, &err));
		if (t->dtype == BT_DTYPE_BOOL)
			assert_true(v == (double)(i != 0));
		else
			assert_true(v == (double)i);
	}
}

TEST(parts_are_put_together)
{
	struct bt_ckpt *c = open_fixture("ckpt-tf/parts");

	assert_string_equal(bt_ckpt_format(c), "tensorflow");
	assert_int_equal(bt_ckpt_count(c), 4);
	assert_counts(c, "wide", 300);
	assert_counts(c, "long", 300);
	assert_counts(c, "half", 9);
	assert_counts(c, "whole", 4);
	bt_ckpt_close(c);
}

TEST(every_type)
{
	static const char *const names[] = {"bool",  "float16", "float64",
	                                    "int8",  "int16",   "int32",
	                                    "int64", "uint8"};
	static const char *const files[] = {"ckpt-tf/types", "ckpt-tf/snappy"};
	struct bt_ckpt *c;
	size_t i, k;

	for (k = 0; k < 2; k++) {
		c = open_fixture(files[k]);
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			assert_counts(c, names[i], 3);
		assert_counts(c, "none", 0);
		bt_ckpt_close(c);
	}
}

/* What one can get hold of must be safe to use. */
static void use(const struct bt_ckpt *c)
{
	struct bt_named_list l;
	const struct bt_tensor *t;
	float v;
	size_t i, k;

	for (i = 0; i < bt_ckpt_count(c); i++) {
		t = bt_ckpt_tensor(c, i);
		if (t->data == NULL)
			continue;
		for (k = 0; k < t->count && k < 100; k++)
			assert_int_equal(
			    bt_tensor_to_f32(t, t->count - 1 - k, 1, &v, NULL),
			    BT_OK);
	}
	assert_int_equal(bt_names_init(&l, c, NULL), BT_OK);
	if (bt_names_hf(&l, c, NULL) == BT_OK &&
	    bt_names_to(&l, BT_NAMES_TF1, "bert", 1, NULL) == BT_OK)
		assert_int_equal(l.n, bt_ckpt_count(c));
	bt_names_clear(&l);
}

/* An index in the current directory, with the data of a fixture; 1 if it was
 * taken. */
static int try(const uint8_t *index, size_t size)
{
	struct bt_error err = {0};
	struct bt_ckpt *c;
	FILE *f = fopen("t.index", "wb");
	int r;

	assert_non_null(f);
	assert_int_equal(fwrite(index, 1, size, f), size);
	fclose(f);
	r = bt_ckpt_open("t.index", &c, &err);
	return taken(r, &err, c, use);
}

static void put_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	fclose(f);
}

/* Runs in a directory of its own, which tests/run gives. */
TEST(damaged_index)
{
	static const char *const names[] = {"parts", "snappy", "tuned"};
	char path[64];
	size_t i, n, size, data_size;
	uint8_t *p, *data;
	int taken;

	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "ckpt-tf/%s.index", names[i]);
		p = load(fixture(path), &size);
		snprintf(path, sizeof(path), "ckpt-tf/%s.data-00000-of-00001",
		         names[i]);
		data = load(fixture(path), &data_size);
		put_file("t.data-00000-of-00001", data, data_size);
		for (n = 1; n < size; n++)
			assert_int_equal(try(p, n), 0);
		assert_int_equal(try(p, size), 1);
		for (n = taken = 0; n < size; n++) {
			p[n] ^= (uint8_t)(1 << n % 8);
			taken += try(p, size);
			p[n] ^= (uint8_t)(1 << n % 8);
		}
		/* only the footer's place of the block that is empty, and its
		 * padding, mean nothing; the block itself is not read */
		assert_true(taken < 40 + 13);
		free(p);
		free(data);
	}
	unlink("t.index");
	unlink("t.data-00000-of-00001");
}

TEST(damaged_data)
{
	struct bt_error err = {0};
	const struct bt_tensor *t;
	struct bt_ckpt *c;
	size_t size, n, k, bad;
	uint8_t *p = load(fixture("ckpt-tf/types.index"), &size);

	put_file("d.index", p, size);
	free(p);
	p = load(fixture("ckpt-tf/types.data-00000-of-00001"), &size);
	for (n = 0; n < size; n++) {
		p[n] ^= 0x10;
		put_file("d.data-00000-of-00001", p, size);
		p[n] ^= 0x10;
		assert_ok(bt_ckpt_open("d", &c, &err));
		for (k = bad = 0; k < bt_ckpt_count(c); k++) {
			t = bt_ckpt_tensor(c, k);
			bad += bt_tensor_verify(t, NULL) == BT_ECORRUPT;
		}
		assert_int_equal(bad, 1);
		bt_ckpt_close(c);
	}
	for (n = 1; n < size; n++) {
		put_file("d.data-00000-of-00001", p, n);
		assert_err(bt_ckpt_open("d", &c, &err), BT_ETRUNCATED, "ends");
	}
	free(p);
	unlink("d.data-00000-of-00001");
	assert_ok(bt_ckpt_open("d", &c, &err));
	assert_err(bt_tensor_verify(bt_ckpt_find(c, "scalar"), &err), BT_EIO,
	           "'d.data-00000-of-00001' is missing");
	bt_ckpt_close(c);
	unlink("d.index");
}

TEST(names_and_forms)
{
	static const char *const files[] = {"ckpt-tf/attributes",
	                                    "ckpt-tf/tuned"};
	struct bt_error err = {0};
	struct bt_named_list l;
	struct bt_ckpt *c;
	size_t i, k, known;

	for (k = 0; k < 2; k++) {
		c = open_fixture(files[k]);
		assert_ok(bt_names_init(&l, c, &err));
		assert_ok(bt_names_hf(&l, c, &err));
		assert_true(l.tensorflow);
		for (i = known = 0; i < l.n; i++) {
			if (!l.v[i].known)
				continue;
			known++;
			if (strcmp(
			        l.v[i].name,
			        "bert.encoder.layer.1.attention.output.dense."
			        "weight") != 0)
				continue;
			assert_int_equal(l.v[i].rank, 2);
			assert_true(l.v[i].transposed);
		}
		/* 5 of embeddings, 16 of each layer, 2 of the pooler, which in
		 * "tuned" is the head's, 2 of the head */
		assert_int_equal(known, k == 0 ? 39 : 41);
		bt_names_clear(&l);
		bt_ckpt_close(c);
	}
}

TEST(snappy)
{
	static const struct {
		const char *block;
		size_t n;
		const char *text; /* NULL: damaged */
	} cases[] = {
	    {"\0", 1, ""},
	    {"\3\x08"
	     "abc",
	     5, "abc"},
	    {"\3\xf0\x02"
	     "abc",
	     6, "abc"},
	    {"\3\xf4\x02\0"
	     "abc",
	     7, "abc"},
	    {"\3\xfc\x02\0\0\0"
	     "abc",
	     9, "abc"},
	    {"\6\0a\x05\1", 5, "aaaaaa"},
	    {"\6\0a\x12\1\0", 6, "aaaaaa"}, /* a copy of itself */
	    {"\6\0a\x05\1", 4, NULL},
	    {"\7\4ab\x05\2", 6, "abababa"},
	    {"\7\4ab\x13\2\0\0\0", 9, "abababa"},
	    {"\7\4ab\x05\3", 6, NULL}, /* before the beginning */
	    {"\7\4ab\x05\0", 6, NULL},
	    {"\2\4ab\0c", 6, NULL}, /* too much */
	    {"\4\4ab", 4, NULL},    /* too little */
	    {"\3\x08"
	     "ab",
	     4, NULL},
	    {"\3\xf0", 2, NULL},
	    {"", 0, NULL},
	    {"\xff\xff\xff\xff\x0f\0a", 7, NULL}, /* claims 4 GiB */
	    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 10, NULL},
	};
	size_t i, n;
	char out[16];
	int r;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r = bt_snappy_length(cases[i].block, cases[i].n, &n);
		if (r == BT_OK) {
			assert_true(n <= sizeof(out));
			r = bt_snappy_decode(cases[i].block, cases[i].n, out,
			                     n);
		}
		if (cases[i].text == NULL) {
			assert_int_equal(r, BT_ECORRUPT);
			continue;
		}
		assert_int_equal(r, BT_OK);
		assert_int_equal(n, strlen(cases[i].text));
		assert_memory_equal(out, cases[i].text, n);
	}
}
