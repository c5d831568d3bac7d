/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
#include "test.h"

#include <math.h>

#include "ckpt.h"
#include "ckpt/open.h"

static struct bt_ckpt *open_fixture(const char *name)
{
	struct bt_error err = {0};
	struct bt_ckpt *c = NULL;

	assert_ok(bt_ckpt_open(fixture(name), &c, &err));
	return c;
}

/* The order of the fixture's types, which is that of their numbers. */
static const char *const dtypes[] = {
    "BOOL",        "F4",          "U8",  "I8",  "F8_E5M2", "F8_E4M3", "F8_E8M0",
    "F8_E4M3FNUZ", "F8_E5M2FNUZ", "I16", "U16", "F16",     "BF16",    "I32",
    "U32",         "F32",         "C64", "F64", "I64",     "U64",
};

TEST(every_dtype)
{
	struct bt_ckpt *c = open_fixture("ckpt-dtypes.safetensors");
	const struct bt_tensor *t;
	const uint8_t *p;
	size_t i, k;

	assert_string_equal(bt_ckpt_format(c), "safetensors");
	assert_int_equal(bt_ckpt_files(c), 1);
	assert_int_equal(bt_ckpt_count(c), 20);
	for (k = 0; k < 20; k++) {
		t = bt_ckpt_tensor(c, k);
		assert_string_equal(bt_dtype_name(t->dtype), dtypes[k]);
		assert_int_equal(t->rank, 2);
		assert_int_equal(t->shape[0], 2);
		assert_int_equal(t->shape[1], 4);
		assert_int_equal(t->count, 8);
		assert_int_equal(t->bytes, bt_dtype_bits(t->dtype));
		p = t->data;
		for (i = 0; i < t->bytes; i++)
			assert_int_equal(p[i], (7 * i + 13 * k + 1) % 256);
	}
	bt_ckpt_close(c);
}

TEST(dtype_names)
{
	enum bt_dtype d = BT_DTYPE_U8;
	int i;

	for (i = 0; i < BT_DTYPES; i++) {
		assert_int_equal(
		    bt_dtype_parse(bt_dtype_name((enum bt_dtype)i), &d), 0);
		assert_int_equal(d, i);
	}
	assert_int_equal(bt_dtype_parse("f32", &d), BT_EARG);
	assert_int_equal(bt_dtype_parse("", &d), BT_EARG);
}

static void check_f32(const struct bt_ckpt *c, const char *name, size_t n,
                      const uint32_t *bits)
{
	const struct bt_tensor *t = bt_ckpt_find(c, name);
	struct bt_error err = {0};
	uint32_t got[16];
	float v[16];

	assert_non_null(t);
	assert_int_equal(t->count, n);
	assert_ok(bt_tensor_to_f32(t, 0, n, v, &err));
	memcpy(got, v, sizeof(got));
	assert_memory_equal(got, bits, n * sizeof(*bits));
	/* and from the middle */
	assert_ok(bt_tensor_to_f32(t, 1, n - 1, v, &err));
	assert_memory_equal(v, bits + 1, (n - 1) * sizeof(*bits));
	assert_err(bt_tensor_to_f32(t, 1, n, v, &err), BT_EARG, "elements");
	assert_err(bt_tensor_to_f32(t, n + 1, 0, v, &err), BT_EARG, name);
	assert_ok(bt_tensor_to_f32(t, n, 0, v, &err));
}

TEST(values_to_the_bit)
{
	static const uint32_t f16[] = {0x00000000, 0x80000000, 0x33800000,
	                               0x387fc000, 0x38800000, 0x3eaaa000,
	                               0x3f800000, 0x477fe000, 0x7f800000,
	                               0xff800000, 0x7fc00000, 0xc0a00000};
	static const uint32_t bf16[] = {
	    0x00000000, 0x80000000, 0x00010000, 0x3f800000, 0x40490000,
	    0x7f7f0000, 0x7f800000, 0xff800000, 0x7fc00000, 0xc2f70000};
	static const uint32_t f32[] = {0x00000000, 0x80000000, 0x00000001,
	                               0x7f7fffff, 0x7f800000, 0xff800000,
	                               0x7fc00000, 0x3dcccccd};
	/* 0.1, 1e300, 5e-324, -Inf rounded to f32 */
	static const uint32_t f64[] = {0x3dcccccd, 0x7f800000, 0, 0xff800000};
	static const uint32_t u8[] = {0, 0x437f0000};
	static const uint32_t i8[] = {0xc3000000, 0x42fe0000};
	static const uint32_t truth[] = {0x3f800000, 0};
	/* -2^63, 2^63, -1, 2^53 */
	static const uint32_t i64[] = {0xdf000000, 0x5f000000, 0xbf800000,
	                               0x5a000000};
	static const uint32_t u64[] = {0x5f800000, 0};
	struct bt_ckpt *c = open_fixture("ckpt-values.safetensors");

	check_f32(c, "f16", 12, f16);
	check_f32(c, "bf16", 10, bf16);
	check_f32(c, "f32", 8, f32);
	check_f32(c, "f64", 4, f64);
	check_f32(c, "u8", 2, u8);
	check_f32(c, "i8", 2, i8);
	check_f32(c, "bool", 2, truth);
	check_f32(c, "i64", 4, i64);
	check_f32(c, "u64", 2, u64);
	bt_ckpt_close(c);
}

TEST(names_shapes_and_notes)
{
	static const char *const order[] = {"bf16",
	                                    "bool",
	                                    "empty",
	                                    "f16",
	                                    "f32",
	                                    "f64",
	                                    "i8",
	                                    "i64",
	                                    "layer.2.weight",
	                                    "layer.10.weight",
	                                    "n\xc3\xa4me \"x\"",
	                                    "scalar",
	                                    "u8",
	                                    "u64"};
	struct bt_ckpt *c = open_fixture("ckpt-values.safetensors");
	const struct bt_tensor *t;
	struct bt_error err = {0};
	double v[4];
	size_t i;

	assert_int_equal(bt_ckpt_count(c), 14);
	for (i = 0; i < 14; i++) {
		t = bt_ckpt_tensor(c, i);
		assert_string_equal(t->name, order[i]);
		assert_ptr_equal(bt_ckpt_find(c, order[i]), t);
	}
	assert_null(bt_ckpt_find(c, "layer.3.weight"));
	assert_null(bt_ckpt_find(c, ""));
	t = bt_ckpt_find(c, "empty");
	assert_int_equal(t->count, 0);
	assert_int_equal(t->bytes, 0);
	assert_int_equal(t->shape[1], 3);
	t = bt_ckpt_find(c, "scalar");
	assert_int_equal(t->rank, 0);
	assert_int_equal(t->count, 1);
	assert_ok(bt_tensor_to_f64(t, 0, 1, v, &err));
	assert_true(v[0] == 2.5);
	assert_ok(bt_tensor_to_f64(bt_ckpt_find(c, "f64"), 0, 4, v, &err));
	assert_true(v[0] == 0.1 && v[1] == 1e300 && v[2] == 5e-324);
	assert_int_equal(bt_ckpt_notes(c), 2);
	assert_string_equal(bt_ckpt_note(c, 0)->key, "format");
	assert_string_equal(bt_ckpt_note(c, 0)->value, "pt");
	assert_string_equal(bt_ckpt_note(c, 1)->value,
	                    "ckpt-fixtures.py \"\xc3\xbc\"");
	bt_ckpt_close(c);
}

TEST(natural_order)
{
	static const char *const names[] = {
	    "",   "0",    "00",  "01",  "1",    "1a",      "2",
	    "10", "a",    "a.",  "a.2", "a.10", "a0",      "a00b",
	    "a1", "a01b", "a1b", "a2",  "b",    "\xc3\xa4"};
	int i, j, n = sizeof(names) / sizeof(names[0]), c;

	for (i = 0; i < n; i++) {
		for (j = 0; j < n; j++) {
			c = bt_ckpt_compare(names[i], names[j]);
			assert_int_equal((c > 0) - (c < 0), (i > j) - (i < j));
		}
	}
}

/* The value of a float format written out from its definition. */
static double defined(unsigned v, int e_bits, int m_bits, int bias)
{
	int e = (int)(v >> m_bits) & ((1 << e_bits) - 1);
	int m = (int)(v & ((1u << m_bits) - 1));
	double x = e == 0 ? ldexp(m, 1 - bias - m_bits)
	                  : ldexp(m + (1 << m_bits), e - bias - m_bits);

	return v >> (e_bits + m_bits) ? -x : x;
}

static void check_all_codes(enum bt_dtype dtype, int e_bits, int m_bits,
                            int bias, bool ieee)
{
	struct bt_tensor t = {.name = "all", .dtype = dtype, .rank = 1};
	size_t n = (size_t)1 << bt_dtype_bits(dtype), i;
	uint8_t *codes = malloc(n * bt_dtype_bits(dtype) / 8);
	unsigned top = ((1u << e_bits) - 1) << m_bits;
	struct bt_error err = {0};
	float *v = malloc(n * sizeof(*v));
	double *w = malloc(n * sizeof(*w));

	for (i = 0; i < n && n == 256; i++)
		codes[i] = (uint8_t)i;
	for (i = 0; i < n && n != 256; i++)
		memcpy(codes + 2 * i, &(uint16_t){(uint16_t)i}, 2);
	t.data = codes;
	t.count = n;
	assert_ok(bt_tensor_to_f32(&t, 0, n, v, &err));
	assert_ok(bt_tensor_to_f64(&t, 0, n, w, &err));
	for (i = 0; i < n; i++) {
		if (ieee && (i & top) == top && (i & ~top) % (n / 2) == 0)
			assert_true(isinf(v[i]) && (v[i] < 0) == (i >= n / 2));
		else if (ieee && (i & top) == top)
			assert_true(isnan(v[i]));
		else if (!isnan(v[i]))
			assert_true((double)v[i] == defined((unsigned)i, e_bits,
			                                    m_bits, bias) &&
			            !signbit(v[i]) == (i < n / 2));
		assert_true((double)v[i] == w[i] ||
		            (isnan(v[i]) && isnan(w[i])));
	}
	free(codes);
	free(v);
	free(w);
}

static unsigned nans(enum bt_dtype dtype, unsigned *which)
{
	struct bt_tensor t = {.name = "all", .dtype = dtype, .count = 256};
	struct bt_error err = {0};
	uint8_t codes[256];
	unsigned i, n = 0;
	float v[256];

	for (i = 0; i < 256; i++)
		codes[i] = (uint8_t)i;
	t.data = codes;
	assert_ok(bt_tensor_to_f32(&t, 0, 256, v, &err));
	for (i = 0; i < 256; i++) {
		if (isnan(v[i])) {
			*which = i;
			n++;
		}
	}
	return n;
}

TEST(every_code_of_the_small_floats)
{
	unsigned which;

	check_all_codes(BT_DTYPE_F16, 5, 10, 15, true);
	check_all_codes(BT_DTYPE_BF16, 8, 7, 127, true);
	check_all_codes(BT_DTYPE_F8_E5M2, 5, 2, 15, true);
	check_all_codes(BT_DTYPE_F8_E4M3, 4, 3, 7, false);
	check_all_codes(BT_DTYPE_F8_E4M3FNUZ, 4, 3, 8, false);
	check_all_codes(BT_DTYPE_F8_E5M2FNUZ, 5, 2, 16, false);
	assert_int_equal(nans(BT_DTYPE_F8_E4M3, &which), 2);
	assert_int_equal(which, 0xff);
	assert_int_equal(nans(BT_DTYPE_F8_E4M3FNUZ, &which), 1);
	assert_int_equal(which, 0x80);
	assert_int_equal(nans(BT_DTYPE_F8_E5M2FNUZ, &which), 1);
	assert_int_equal(which, 0x80);
	assert_int_equal(nans(BT_DTYPE_F8_E8M0, &which), 1);
	assert_int_equal(which, 0xff);
}

TEST(powers_of_two)
{
	static const uint8_t codes[] = {0, 1, 127, 128, 254};
	struct bt_tensor t = {.name = "scales",
	                      .dtype = BT_DTYPE_F8_E8M0,
	                      .count = 5,
	                      .data = codes};
	struct bt_error err = {0};
	float v[5];

	assert_ok(bt_tensor_to_f32(&t, 0, 5, v, &err));
	assert_true(v[0] == 0x1p-127f && v[1] == 0x1p-126f && v[2] == 1 &&
	            v[3] == 2 && v[4] == 0x1p127f);
}

TEST(types_without_numbers)
{
	struct bt_ckpt *c = open_fixture("ckpt-dtypes.safetensors");
	struct bt_error err = {0};
	float v[8];

	assert_err(bt_tensor_to_f32(bt_ckpt_tensor(c, 1), 0, 1, v, &err),
	           BT_EFORMAT, "F4");
	assert_err(bt_tensor_to_f32(bt_ckpt_tensor(c, 16), 0, 1, v, &err),
	           BT_EFORMAT, "C64");
	assert_true(bt_dtype_is_real(BT_DTYPE_F16));
	bt_ckpt_close(c);
}

/* Old writers do not pad the header, so nothing is aligned. */
TEST(unaligned)
{
	struct bt_error err = {0};
	struct bt_ckpt *c;
	size_t size;
	uint8_t *p = make_blob("{\"a\":{\"dtype\":\"F64\",\"shape\":[2],"
	                       "\"data_offsets\":[1,17]},\"b\":{\"dtype\":"
	                       "\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}",
	                       17, &size);
	double want[2], got[2];

	assert_ok(bt_ckpt_open_memory("memory", p, size, &c, &err));
	assert_string_equal(bt_ckpt_path(c), "memory");
	memcpy(want, p + size - 16, 16);
	assert_ok(bt_tensor_to_f64(bt_ckpt_find(c, "a"), 0, 2, got, &err));
	assert_memory_equal(got, want, 16);
	bt_ckpt_close(c);
	free(p);
}

TEST(shards)
{
	struct bt_ckpt *c = open_fixture("ckpt-sharded"), *d;
	const struct bt_tensor *t, *u;

	d = open_fixture("ckpt-sharded/model.safetensors.index.json");
	assert_int_equal(bt_ckpt_count(c), 4);
	assert_int_equal(bt_ckpt_files(c), 2);
	assert_int_equal(bt_ckpt_count(d), 4);
	t = bt_ckpt_find(c, "embeddings.weight");
	u = bt_ckpt_find(d, "embeddings.weight");
	assert_non_null(strstr(t->file, "model-00001-of-00002.safetensors"));
	assert_memory_equal(t->data, u->data, 144);
	t = bt_ckpt_find(c, "classifier.weight");
	assert_non_null(strstr(t->file, "model-00002-of-00002.safetensors"));
	assert_int_equal(bt_ckpt_notes(c), 1);
	bt_ckpt_close(c);
	bt_ckpt_close(d);
	bt_ckpt_close(NULL);
}
