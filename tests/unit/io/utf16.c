/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* UTF-16 inputs as UTF-8. */
#include "files.h"

#include "io/in.h"

/* Characters of one to four bytes. */
static const char utf8[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n";
static const uint16_t units[] = {'a', 0xE9, 0x20AC, 0xD83D, 0xDE00, '\n'};
#define UNITS (sizeof(units) / sizeof(units[0]))
#define UTF8 (sizeof(utf8) - 1)

/* `times` copies of units behind a byte order mark. */
static size_t put_units(uint8_t *to, size_t times, bool big, bool mark)
{
	size_t n = 0, i, k;
	uint16_t u;

	for (i = 0; i < times; i++)
		for (k = i == 0 && mark ? 0 : 1; k <= UNITS; k++) {
			u = k == 0 ? 0xFEFF : units[k - 1];
			to[n++] = (uint8_t)(big ? u >> 8 : u & 0xFF);
			to[n++] = (uint8_t)(big ? u & 0xFF : u >> 8);
		}
	return n;
}

/* Reads x to its end, `step` bytes at a time. */
static void read_all(enum bt_utf16 order, enum bt_utf16 wanted, size_t times,
                     size_t step)
{
	struct bt_error err = {0};
	const uint8_t *p;
	struct bt_in *in;
	size_t got, i, at = 0;

	assert_ok(bt_in_open("x", &in, &err));
	assert_ok(bt_in_utf16(in, &order, &err));
	assert_int_equal(order, wanted);
	for (;;) {
		assert_ok(bt_in_peek(in, step, &p, &got, &err));
		if (got == 0)
			break;
		for (i = 0; i < got; i++)
			if (p[i] != (uint8_t)utf8[(at + i) % UTF8])
				fail_msg("byte %zu", at + i);
		at += got;
		bt_in_skip(in, got);
	}
	assert_int_equal(at, times * UTF8);
	bt_in_close(in);
}

TEST(orders)
{
	const size_t times = 300000; /* more than is read at once */
	uint8_t *data = malloc(times * sizeof(units) + 2);
	size_t n;
	int i;

	assert_non_null(data);
	for (i = 0; i < 4; i++) {
		n = put_units(data, times, i & 1, i & 2);
		file_put("x", data, n);
		read_all(i & 2   ? BT_UTF16_NONE
		         : i & 1 ? BT_UTF16_BE
		                 : BT_UTF16_LE,
		         i & 1 ? BT_UTF16_BE : BT_UTF16_LE, times,
		         i & 2 ? 1000 : 3000000);
	}
	free(data);
	file_put("x", utf8, UTF8);
	read_all(BT_UTF16_NONE, BT_UTF16_NONE, 1, 100);
	file_put("x", "", 0);
	read_all(BT_UTF16_LE, BT_UTF16_LE, 0, 100);
}

/* The limit is on what was read, before conversion. */
TEST(limit)
{
	struct bt_in_limit most = {20, 20};
	enum bt_utf16 order = BT_UTF16_LE;
	struct bt_error err = {0};
	struct bt_in *in;
	const uint8_t *p;
	uint8_t data[64];
	size_t got;

	file_put("x", data, put_units(data, 2, false, false));
	assert_ok(bt_in_open("x", &in, &err));
	bt_in_limit(in, &most);
	assert_ok(bt_in_utf16(in, &order, &err));
	assert_ok(bt_in_peek(in, UTF8, &p, &got, &err));
	assert_memory_equal(p, utf8, UTF8);
	assert_int_equal(bt_in_peek(in, 100, &p, &got, &err), BT_ELIMIT);
	bt_in_close(in);
}
