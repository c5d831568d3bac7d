/* SPDX-License-Identifier: MIT */
/* Not under emulation: no code depends on the machine; fuzz/ckpt is run */
/* Not under thread: starts no threads */
#include "test.h"

#include "base/buf.h"
#include "ckpt.h"
#include "ckpt/open.h"

#define T(name, dtype, shape, from, to)                                        \
	"\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape               \
	",\"data_offsets\":[" #from "," #to "]}"

/* Headers over eight bytes of data, and what is said of them. */
static const struct {
	const char *header;
	int code; /* 0: sound */
	const char *words;
} cases[] = {
    {"{" T("a", "F32", "[2]", 0, 8) "}", 0, NULL},
    {"{" T("a", "F32", "[2]", 0, 8) "}      ", 0, NULL},
    {"{" T("a", "F32", "[2]", 0, 8) ",\"__metadata__\":null}", 0, NULL},
    {"{" T("a", "F32", "[1]", 4, 8) "," T("b", "F32", "[1]", 0, 4) "}", 0,
     NULL},
    {"{" T("a", "F32", "[2]", 0, 8) "," T("b", "F32", "[0,7]", 8, 8) "," T(
         "c", "F32", "[0]", 0, 0) "," T("d", "I8", "[9,0]", 0, 0) "}",
     0, NULL},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8],"
     "\"more\":[{}]}}",
     0, NULL},
    {"{" T("a", "F4", "[16]", 0, 8) "}", 0, NULL},
    {"{}", BT_ECORRUPT,
     "the tensors end at byte 0 of the data, but the file "
     "holds 8 bytes"},
    {"{" T("a", "F32", "[1]", 0, 4) "}", BT_ECORRUPT, "end at byte 4"},
    {"{" T("a", "F32", "[1]", 4, 8) "}", BT_ECORRUPT,
     "tensor 'a', the first, begins at byte 4"},
    {"{" T("a", "F32", "[2]", 0, 8) "," T("b", "F32", "[1]", 4, 8) "}",
     BT_ECORRUPT,
     "'b' begins at byte 4 of the data, but 'a' ends at 8: they "
     "overlap"},
    {"{" T("a", "F32", "[2]", 0, 8) "," T("b", "F32", "[2]", 0, 8) "}",
     BT_ECORRUPT, "overlap"},
    {"{" T("a", "U8", "[2]", 0, 2) "," T("b", "F32", "[1]", 4, 8) "}",
     BT_ECORRUPT,
     "'b' begins at byte 4 of the data, but 'a' ends at 2: a "
     "gap"},
    {"{" T("a", "F32", "[2]", 0, 8) "," T("b", "F32", "[0]", 4, 4) "}",
     BT_ECORRUPT, "overlap"},
    {"{" T("a", "F32", "[3]", 0, 8) "}", BT_ECORRUPT,
     "tensor 'a': data_offsets [0, 8] hold 8 bytes, its shape needs 12 (3 of "
     "F32)"},
    {"{" T("a", "F32", "[4]", 0, 16) "}", BT_ETRUNCATED,
     "tensor 'a': data_offsets [0, 16] lie outside of the file, which holds 8 "
     "bytes of data"},
    {"{" T("a", "F32", "[0]", 9, 9) "}", BT_ETRUNCATED, "outside"},
    {"{" T("a", "F32", "[2]", 8, 0) "}", BT_ECORRUPT, "[8, 0] are not valid"},
    {"{" T("a", "F32", "[2]", -8, 0) "}", BT_ECORRUPT, "are not valid"},
    {"{" T("a", "F32", "[2]", 0, 9223372036854775807) "}", BT_ETRUNCATED,
     "outside"},
    {"{" T("a", "F32", "[2]", 0, 18446744073709551615) "}", BT_ECORRUPT,
     "too big integer"},
    {"{" T("a", "F32", "[2]", 0, 8.0) "}", BT_ECORRUPT,
     "no two whole numbers as 'data_offsets'"},
    {"{" T("a", "F32", "[-2]", 0, 8) "}", BT_ECORRUPT,
     "dimension 0 is negative: -2"},
    {"{" T("a", "F32", "[-1,-2]", 0, 8) "}", BT_ECORRUPT, "negative"},
    {"{" T("a", "F32", "[2.0]", 0, 8) "}", BT_ECORRUPT,
     "dimension 0 is not a whole number"},
    {"{" T("a", "F32", "[null]", 0, 8) "}", BT_ECORRUPT, "not a whole number"},
    {"{" T("a", "F32", "2", 0, 8) "}", BT_ECORRUPT, "no list as 'shape'"},
    {"{" T("a", "F32", "[4611686018427387906]", 0, 8) "}", BT_ECORRUPT,
     "overflows"},
    {"{" T("a", "U8", "[4294967296,4294967296,8]", 0, 8) "}", BT_ECORRUPT,
     "the number of elements overflows"},
    {"{" T("a", "U8", "[9223372036854775807,9223372036854775807,0]", 0, 0) "}",
     BT_ECORRUPT, "overflows"},
    {"{" T("a", "F4", "[15]", 0, 8) "}", BT_ECORRUPT, "15 elements of F4"},
    {"{" T("a", "F99", "[2]", 0, 8) "}", BT_ECORRUPT,
     "tensor 'a': dtype 'F99' is unknown"},
    {"{" T("a", "", "[2]", 0, 8) "}", BT_ECORRUPT, "dtype '' is unknown"},
    {"{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}}", BT_ECORRUPT,
     "no text as 'dtype'"},
    {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,8]}}", BT_ECORRUPT,
     "'shape'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", BT_ECORRUPT,
     "'data_offsets'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8,8]}}",
     BT_ECORRUPT, "'data_offsets'"},
    {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[2],"
     "\"data_offsets\":[0,8]}}",
     BT_ECORRUPT, "duplicate"},
    {"{\"a\":7}", BT_ECORRUPT, "tensor 'a'"},
    {"{" T("a", "F32", "[1]", 0, 4) "," T("a", "F32", "[1]", 4, 8) "}",
     BT_ECORRUPT, "duplicate"},
    {"{" T("a", "F32", "[1]", 0, 4) "," T("\\u0061", "F32", "[1]", 4, 8) "}",
     BT_ECORRUPT, "duplicate"},
    {"{" T("a\\u0000", "F32", "[2]", 0, 8) "}", BT_ECORRUPT, "header"},
    {"{" T("a\xff", "F32", "[2]", 0, 8) "}", BT_ECORRUPT, "decode byte 0xff"},
    {"{" T("a\\ud800", "F32", "[2]", 0, 8) "}", BT_ECORRUPT, "header"},
    {"{" T("a", "F32", "[2]", 0, 8) ",\"__metadata__\":{\"x\":1}}", BT_ECORRUPT,
     "'x' in __metadata__ is not text"},
    {"{" T("a", "F32", "[2]", 0, 8) ",\"__metadata__\":[]}", BT_ECORRUPT,
     "__metadata__ is not a JSON object"},
    {"{" T("a", "F32", "[2]", 0, 8) "}x", BT_ECORRUPT, "not valid JSON"},
    {"{" T("a", "F32", "[2]", 0, 8), BT_ECORRUPT, "not valid JSON"},
    {" {}", BT_ECORRUPT, "not a JSON object"},
    {"[]", BT_ECORRUPT, "not a JSON object"},
    {"", BT_ECORRUPT, "header of 0 bytes"},
};

TEST(lying_headers)
{
	struct bt_error err = {0};
	struct bt_ckpt *c;
	size_t i, size;
	uint8_t *p;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		p = make_blob(cases[i].header, 8, &size);
		err.code = 0;
		c = NULL;
		if (bt_ckpt_open_memory("m", p, size, &c, &err) !=
		        cases[i].code ||
		    (cases[i].code != 0 &&
		     strstr(err.text, cases[i].words) == NULL))
			fail_msg("%s: %d %s", cases[i].header, err.code,
			         err.code != 0 ? err.text : "sound");
		bt_ckpt_close(c);
		free(p);
	}
}

TEST(absurd_lengths)
{
	static const struct {
		uint64_t length;
		int code;
		const char *words;
	} lengths[] = {
	    {0, BT_ECORRUPT, "0 bytes"},
	    {1, BT_ECORRUPT, "JSON"},
	    {11, BT_ETRUNCATED, "ends inside its header: 10 bytes of 11"},
	    {100000000, BT_ETRUNCATED, "10 bytes of 100000000"},
	    {100000001, BT_ELIMIT, "100000001"},
	    {(uint64_t)1 << 63, BT_ELIMIT, "9223372036854775808"},
	    {UINT64_MAX, BT_ELIMIT, "18446744073709551615"},
	    {UINT64_MAX - 7, BT_ELIMIT, "at most 100000000"},
	};
	struct bt_error err = {0};
	struct bt_ckpt *c;
	size_t i, size;
	uint8_t *p = make_blob("{}        ", 0, &size);

	assert_int_equal(size, 18);
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		memcpy(p, &lengths[i].length, 8);
		assert_err(bt_ckpt_open_memory("m", p, size, &c, &err),
		           lengths[i].code, lengths[i].words);
	}
	free(p);
}

/* What one can get hold of must be safe to use, whatever it was made of. */
static void use(const struct bt_ckpt *c)
{
	struct bt_error err = {0};
	const struct bt_tensor *t;
	volatile uint8_t last = 0;
	size_t i, j, sum = 0;
	float v[64];

	for (i = 0; i < bt_ckpt_count(c); i++) {
		t = bt_ckpt_tensor(c, i);
		assert_ptr_equal(bt_ckpt_find(c, t->name), t);
		assert_true(t->dtype >= 0 && t->dtype < BT_DTYPES);
		for (j = 0; j < t->bytes; j++)
			last = ((const uint8_t *)t->data)[j];
		for (j = 0; j < t->count && bt_dtype_is_real(t->dtype); j += 64)
			assert_ok(bt_tensor_to_f32(
			    t, j, t->count - j < 64 ? t->count - j : 64, v,
			    &err));
		sum += t->bytes;
	}
	(void)last;
	assert_true(sum < 4096);
}

TEST(cut_at_every_byte)
{
	static const char *const names[] = {"ckpt-dtypes.safetensors",
	                                    "ckpt-values.safetensors"};
	size_t i, n, size;
	uint8_t *p;

	for (i = 0; i < 2; i++) {
		p = load(fixture(names[i]), &size);
		for (n = 0; n < size; n++)
			assert_int_equal(try_copy(use, p, n), 0);
		assert_int_equal(try_copy(use, p, size), 1);
		free(p);
	}
}

static void flipped(const char *name)
{
	size_t i, size, header, taken = 0;
	uint64_t length;
	uint8_t *p = load(fixture(name), &size), was;
	int bit;

	memcpy(&length, p, 8);
	header = 8 + (size_t)length;
	assert_true(header < size);
	for (i = 0; i < header; i++) {
		was = p[i];
		for (bit = 0; bit < 8; bit++) {
			p[i] = was ^ (uint8_t)(1 << bit);
			taken += (size_t)try_copy(use, p, size);
		}
		p[i] = (uint8_t)~was;
		taken += (size_t)try_copy(use, p, size);
		p[i] = was;
	}
	/* letters of a name may change, brackets may not */
	assert_true(taken > 0 && taken < header * 9 / 2);
	free(p);
}

TEST(every_bit_of_the_header_flipped)
{
	flipped("ckpt-dtypes.safetensors");
	flipped("ckpt-values.safetensors");
}

TEST(deep_nesting)
{
	static const char *const open[] = {"[", "{\"a\":"};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_ckpt *c;
	size_t size;
	uint8_t *p;
	int i, k;

	for (k = 0; k < 2; k++) {
		bt_buf_reset(&b);
		bt_buf_puts(&b, "{\"a\":");
		for (i = 0; i < 200000; i++)
			bt_buf_puts(&b, open[k]);
		p = make_blob(bt_buf_str(&b), 0, &size);
		assert_err(bt_ckpt_open_memory("m", p, size, &c, &err),
		           BT_ECORRUPT, "depth");
		free(p);
	}
	bt_buf_clear(&b);
}

TEST(many_dimensions)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_ckpt *c;
	size_t size;
	uint8_t *p;
	int i, n;

	for (n = 64; n <= 65; n++) {
		bt_buf_reset(&b);
		bt_buf_puts(&b, "{\"a\":{\"dtype\":\"U8\",\"data_offsets\":"
		                "[0,1],\"shape\":[1");
		for (i = 1; i < n; i++)
			bt_buf_puts(&b, ",1");
		bt_buf_puts(&b, "]}}");
		p = make_blob(bt_buf_str(&b), 1, &size);
		if (n == 64) {
			assert_ok(bt_ckpt_open_memory("m", p, size, &c, &err));
			assert_int_equal(bt_ckpt_tensor(c, 0)->rank, 64);
			bt_ckpt_close(c);
		} else {
			assert_err(bt_ckpt_open_memory("m", p, size, &c, &err),
			           BT_ECORRUPT, "65 dimensions");
		}
		free(p);
	}
	bt_buf_clear(&b);
}

/* A name cannot carry orders for the terminal into a message. */
TEST(messages_are_harmless)
{
	struct bt_error err = {0};
	struct bt_ckpt *c;
	size_t size;
	uint8_t *p = make_blob("{\"a\\u001b[31m\\u009b\\n\":1}", 0, &size);

	assert_err(bt_ckpt_open_memory("m", p, size, &c, &err), BT_ECORRUPT,
	           "tensor 'a?[31m?"
	           "?"
	           "?'");
	free(p);
}

TEST(other_formats)
{
	static const struct {
		const char *data;
		size_t size;
		const char *words;
	} files[] = {
	    {"\x1f\x8b\x08.......", 10, "gzip"},
	    {"\x28\xb5\x2f\xfd......", 10, "zstd"},
	};
	struct bt_error err = {0};
	struct bt_ckpt *c;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		assert_err(bt_ckpt_open_memory("m", files[i].data,
		                               files[i].size, &c, &err),
		           BT_EFORMAT, files[i].words);
}
