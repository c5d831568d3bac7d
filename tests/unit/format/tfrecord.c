/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* CRC-32C and TFRecord: known answers, and damage of every kind. */
#include "files.h"

#include "base/crc32c.h"
#include "format/tfrecord.h"

/* Published with TensorFlow's files, the first four with the algorithm. */
TEST(crc_known_answers)
{
	static const char zeros[32];
	static const int64_t one = 1;
	static const float floats[] = {1.0f, 0.9f};
	static const struct {
		const void *data;
		size_t n;
		uint32_t crc, masked;
	} known[] = {
	    {"", 0, 0, 0xa282ead8},
	    {"abc", 3, 0x364b3fb7, 0x21f1576e},
	    {"123456789", 9, 0xe3069283, 0xc78ab0e5},
	    {zeros, 32, 0x8a9136aa, 0x0fd7fffa},
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint32_t crc = bt_crc32c(0, known[i].data, known[i].n);

		assert_int_equal(crc, known[i].crc);
		assert_int_equal(bt_crc32c_mask(crc), known[i].masked);
	}
	assert_int_equal(bt_crc32c_mask(bt_crc32c(0, &one, 8)), 0x41de7501);
	assert_int_equal(bt_crc32c_mask(bt_crc32c(0, &floats[0], 4)),
	                 0x2bdaa581);
	assert_int_equal(bt_crc32c_mask(bt_crc32c(0, &floats[1], 4)),
	                 0xdfc7ebfd);
}

/* Bit by bit, from the polynomial. */
static uint32_t slow_crc(const uint8_t *p, size_t n)
{
	uint32_t c = ~0u;
	int k;

	for (; n > 0; n--, p++) {
		c ^= *p;
		for (k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ 0x82F63B78u : c >> 1;
	}
	return ~c;
}

/* Every way to compute it, at every alignment, in one piece and in two. */
TEST(crc_of_every_length)
{
	static uint8_t data[8300];
	const char *name;
	bt_crc32c_fn *fn;
	uint32_t wanted, begun;
	size_t start, n, cut, i, tried = 0;
	int way;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 151 + (i >> 8) * 89 + 7);
	for (way = 0; (name = bt_crc32c_path(way, &fn)) != NULL; way++) {
		if (fn == NULL)
			continue;
		tried++;
		for (start = 0; start < 9; start++)
			for (n = 0; n < 8260; n += n < 420 ? 1 : 97) {
				const uint8_t *p = data + start;

				wanted = slow_crc(p, n);
				if (~fn(~0u, p, n) != wanted)
					fail_msg("%s: %zu bytes", name, n);
				cut = n / 3;
				begun = fn(~0u, p, cut);
				if (~fn(begun, p + cut, n - cut) != wanted)
					fail_msg("%s: %zu bytes cut", name, n);
				assert_int_equal(bt_crc32c(0, p, n), wanted);
			}
	}
	assert_true(tried > 0);
}

/* The CRC of two parts from those of each. */
TEST(crc_joined)
{
	static uint8_t p[70000];
	size_t n = sizeof(p), len;

	for (len = 0; len < n; len++)
		p[len] = (uint8_t)(len * len * 7919 >> 5);
	for (len = 0; len <= n; len = len * 3 + 1)
		assert_int_equal(bt_crc32c_join(bt_crc32c(0, p, n - len),
		                                bt_crc32c(0, p + n - len, len),
		                                len),
		                 bt_crc32c(0, p, n));
}

static void write_records(const char *name, const char *const *payloads, int n)
{
	struct bt_error err = {0};
	struct bt_out *out;
	int i;

	assert_ok(bt_out_open(name, BT_OUT_BINARY, &out, &err));
	for (i = 0; i < n; i++)
		assert_ok(bt_tfrecord_write(out, payloads[i],
		                            strlen(payloads[i]), &err));
	assert_ok(bt_out_commit(out, &err));
}

TEST(record_known_answer)
{
	static const uint8_t wanted[] = {3,   0,    0,    0,    0,    0,   0,
	                                 0,   0xb0, 0x99, 0x49, 0x0e, 'a', 'b',
	                                 'c', 0x6e, 0x57, 0xf1, 0x21};
	static const char *const abc[] = {"abc"};
	size_t n;
	char *data;

	write_records("abc", abc, 1);
	data = file_get("abc", &n);
	assert_int_equal(n, sizeof(wanted));
	assert_memory_equal(data, wanted, n);
	free(data);
}

static const char *const payloads[] = {"alpha", "", "a longer payload", "z"};
#define PAYLOADS 4

/* Files given as one string, with blanks between. */
struct names {
	char text[64];
	char *file[8];
	int n;
};

static void split(const char *files, struct names *names)
{
	char *name;

	names->n = 0;
	snprintf(names->text, sizeof(names->text), "%s", files);
	for (name = strtok(names->text, " "); name; name = strtok(NULL, " "))
		names->file[names->n++] = name;
}

/* Reads all records of the files, which must be the first ones of payloads.
 * *count is how many there were. */
static int read_back(const char *files, int *count, struct bt_error *err)
{
	struct names names;
	struct bt_tfrecord *r;
	const uint8_t *data;
	size_t len;
	int e;

	*count = 0;
	bt_error_clear(err);
	split(files, &names);
	e = bt_tfrecord_open(names.file, names.n, &r, err);
	if (e != BT_OK)
		return e;
	while ((e = bt_tfrecord_next(r, &data, &len, err)) == 1) {
		const char *wanted = payloads[*count % PAYLOADS];

		assert_int_equal(len, strlen(wanted));
		assert_memory_equal(data, wanted, len);
		++*count;
	}
	assert_int_equal(bt_tfrecord_total(r), *count);
	bt_tfrecord_close(r);
	return e;
}

TEST(several_files_are_one_stream)
{
	struct bt_error err = {0};
	struct names names;
	struct bt_tfrecord *r;
	const uint8_t *data;
	struct bt_tfrecord_sum sum = {0};
	size_t len;
	int count;
	char *all;

	write_records("one", payloads, 3);
	file_put("empty", "", 0);
	write_records("two", payloads + 3, 1);
	assert_ok(read_back("one empty two", &count, &err));
	assert_int_equal(count, 4);

	split("one empty two", &names);
	assert_ok(bt_tfrecord_open(names.file, names.n, &r, &err));
	bt_tfrecord_add_to(r, &sum);
	for (count = 0; count < 4; count++)
		assert_int_equal(bt_tfrecord_next(r, &data, &len, &err), 1);
	write_records("all", payloads, PAYLOADS);
	all = file_get("all", &len);
	assert_int_equal(sum.records, PAYLOADS);
	assert_int_equal(sum.crc, bt_crc32c(0, all, len));
	free(all);
	assert_string_equal(bt_tfrecord_file(r), "'two'");
	assert_int_equal(bt_tfrecord_record(r), 1);
	bt_error_set(&err, BT_EFORMAT, "odd");
	assert_int_equal(bt_tfrecord_blame(r, &err), BT_EFORMAT);
	assert_string_equal(err.text, "cannot read 'two': record 1: odd");
	bt_tfrecord_close(r);

	assert_int_equal(read_back("one nosuch", &count, &err), BT_EIO);
	assert_int_equal(count, 3);
	assert_string_equal(err.text,
	                    "cannot open 'nosuch': No such file or directory");
}

/* The number of records of all files together. */
TEST(expected_number)
{
	struct bt_error err = {0};
	struct names names;
	struct bt_tfrecord *r;
	const uint8_t *data;
	size_t len;
	int expect, e;

	write_records("one", payloads, 3);
	for (expect = 0; expect <= 7; expect++) {
		split("one one", &names);
		assert_ok(bt_tfrecord_open(names.file, names.n, &r, &err));
		bt_tfrecord_expect(r, (uint64_t)expect);
		while ((e = bt_tfrecord_next(r, &data, &len, &err)) == 1)
			;
		assert_int_equal(bt_tfrecord_total(r), 6);
		assert_int_equal(e, expect == 0 || expect == 6 ? 0
		                                               : BT_ETRUNCATED);
		if (expect == 1)
			assert_string_equal(err.text,
			                    "expected 1 record, found 6");
		if (expect == 7)
			assert_string_equal(err.text,
			                    "expected 7 records, found 6");
		bt_error_clear(&err);
		bt_tfrecord_close(r);
	}
}

/* Only a cut between two records cannot be seen. */
TEST(cut_at_every_byte)
{
	struct bt_error err = {0};
	char *data;
	size_t n, cut, boundary = 0;
	int whole = 0, count, e;

	write_records("whole", payloads, PAYLOADS);
	data = file_get("whole", &n);
	for (cut = 0; cut <= n; cut++) {
		if (whole < PAYLOADS &&
		    cut == boundary + 16 + strlen(payloads[whole])) {
			boundary = cut;
			whole++;
		}
		file_put("cut", data, cut);
		e = read_back("cut", &count, &err);
		assert_int_equal(count, whole);
		if (cut == boundary) {
			assert_int_equal(e, 0);
		} else if (e != BT_ETRUNCATED && e != BT_EFORMAT) {
			fail_msg("cut at %zu: %d %s", cut, e, err.text);
		}
	}
	assert_int_equal(whole, PAYLOADS);
	free(data);
}

TEST(every_bit_flipped)
{
	struct bt_error err = {0};
	char *data;
	size_t n, i, start = 0;
	int bit, before = 0, count, e;

	write_records("whole", payloads, PAYLOADS);
	data = file_get("whole", &n);
	for (i = 0; i < n; i++) {
		if (i == start + 16 + strlen(payloads[before])) {
			start = i;
			before++;
		}
		for (bit = 0; bit < 8; bit++) {
			data[i] = (char)(data[i] ^ 1 << bit);
			file_put("flipped", data, n);
			data[i] = (char)(data[i] ^ 1 << bit);
			e = read_back("flipped", &count, &err);
			if (e != BT_ECORRUPT && e != BT_EFORMAT)
				fail_msg("byte %zu bit %d: %d %s", i, bit, e,
				         err.text);
			assert_int_equal(count, before);
		}
	}
	free(data);
}

TEST(something_else)
{
	static const char csv[] = "text,label\nhello there,greeting\n";
	struct bt_error err = {0};
	int count;

	file_put("other", csv, sizeof(csv) - 1);
	assert_err(read_back("other", &count, &err), BT_EFORMAT,
	           "'other' is not a TFRecord stream: it starts with text");
	file_put("other", "hi", 2);
	assert_err(read_back("other", &count, &err), BT_EFORMAT, "text");
	file_put("other", "x is", 4);
	assert_err(read_back("other", &count, &err), BT_EFORMAT, "with text");
	file_put("other", "x^2 is a square\n", 16);
	assert_err(read_back("other", &count, &err), BT_EFORMAT, "with text");
	file_put("other", "\x78\x5e\x93\x60", 4);
	assert_err(read_back("other", &count, &err), BT_EFORMAT, "with zlib");
	file_put("other", "\x78\x9c\x93\x60", 4);
	assert_err(read_back("other", &count, &err), BT_EFORMAT,
	           "it starts with zlib-compressed data, which is not read");
	assert_err(read_back(".", &count, &err), BT_EIO, "cannot read '.'");
}

/* Header with a checksum that is right, whatever the length. */
static void put_lie(const char *name, uint64_t length)
{
	uint8_t data[20] = {0};
	uint32_t crc;

	memcpy(data, &length, 8);
	crc = bt_crc32c_mask(bt_crc32c(0, data, 8));
	memcpy(data + 8, &crc, 4);
	file_put(name, data, sizeof(data));
}

TEST(lying_lengths)
{
	static const uint64_t huge[] = {UINT64_MAX, UINT64_MAX - 15,
	                                (uint64_t)1 << 63, BT_TFRECORD_MAX + 1};
	static const uint64_t large[] = {BT_TFRECORD_MAX, 1 << 20, 5};
	struct bt_error err = {0};
	size_t i;
	int count;

	for (i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
		put_lie("lie", huge[i]);
		assert_err(read_back("lie", &count, &err), BT_ELIMIT,
		           "record 1: claims to hold");
	}
	for (i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		put_lie("lie", large[i]);
		assert_err(read_back("lie", &count, &err), BT_ETRUNCATED,
		           "record 1: ends inside a record that starts at "
		           "byte 0");
	}
}
