/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
#include "files.h"

#include "format/charset.h"

TEST(names)
{
	static const char *const all[] = {"utf-8", "latin1", "windows-1252"};
	enum bt_charset set = BT_CHARSET_LATIN1;
	enum bt_utf16 order = BT_UTF16_BE;
	size_t i;

	for (i = 0; i < 3; i++) {
		assert_int_equal(bt_charset_find(all[i], &set, &order), 0);
		assert_int_equal(order, BT_UTF16_NONE);
		assert_string_equal(bt_charset_name(set), all[i]);
	}
	assert_int_equal(bt_charset_find("utf-7", &set, &order), BT_EARG);
	assert_int_equal(set, BT_CHARSET_WINDOWS1252);
	assert_int_equal(bt_charset_find("UTF-16", &set, &order), 0);
	assert_int_equal(set, BT_CHARSET_UTF8);
	assert_int_equal(order, BT_UTF16_LE);
	assert_int_equal(bt_charset_find("utf_16be", &set, &order), 0);
	assert_int_equal(order, BT_UTF16_BE);
}

/* The UTF-8 of a code point, surrogates and too large ones included. */
static size_t encode(uint32_t c, char *s)
{
	if (c < 0x80) {
		s[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		s[0] = (char)(0xC0 | c >> 6);
		s[1] = (char)(0x80 | (c & 0x3F));
		return 2;
	}
	if (c < 0x10000) {
		s[0] = (char)(0xE0 | c >> 12);
		s[1] = (char)(0x80 | (c >> 6 & 0x3F));
		s[2] = (char)(0x80 | (c & 0x3F));
		return 3;
	}
	s[0] = (char)(0xF0 | c >> 18);
	s[1] = (char)(0x80 | (c >> 12 & 0x3F));
	s[2] = (char)(0x80 | (c >> 6 & 0x3F));
	s[3] = (char)(0x80 | (c & 0x3F));
	return 4;
}

TEST(every_code_point)
{
	uint32_t c;
	char s[4];
	size_t n, i;
	bool good;

	for (c = 0; c < 0x200000; c++) {
		n = encode(c, s);
		good = c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF);
		if (bt_charset_check(BT_CHARSET_UTF8, s, n) != (good ? n : 0))
			fail_msg("U+%04X", c);
		for (i = 1; good && i < n; i++)
			if (bt_charset_check(BT_CHARSET_UTF8, s, i) != 0)
				fail_msg("U+%04X cut to %zu bytes", c, i);
	}
}

/* In exactly sized memory, at every position of a block of eight. */
TEST(where_it_goes_wrong)
{
	static const struct {
		const char *s;
		size_t n;
	} bad[] = {
	    {"\x80", 1},             /* begins with a continuation */
	    {"\xC0\x80", 2},         /* U+0000 in two bytes */
	    {"\xC1\xBF", 2},         /* U+007F in two bytes */
	    {"\xE0\x9F\xBF", 3},     /* U+07FF in three bytes */
	    {"\xF0\x8F\xBF\xBF", 4}, /* U+FFFF in four bytes */
	    {"\xED\xA0\x80", 3},     /* a surrogate */
	    {"\xF4\x90\x80\x80", 4}, /* U+110000 */
	    {"\xF5\x80\x80\x80", 4},
	    {"\xFE", 1},
	    {"\xFF", 1},
	    {"\xC3", 1}, /* cut off */
	    {"\xE2\x82", 2},
	    {"\xF0\x9F\x98", 3},
	    {"\xC3(", 2}, /* goes on in ASCII */
	    {"\xE2\x82(", 3},
	    {"\xE2(\x82", 3},
	    {"\xF0\x9F\x98(", 4},
	};
	size_t i, before;
	char *p;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (before = 0; before < 20; before++) {
			p = malloc(before + bad[i].n);
			assert_non_null(p);
			memset(p, 'a', before);
			if (before >= 2)
				memcpy(p, "\xC3\xA9", 2);
			memcpy(p + before, bad[i].s, bad[i].n);
			assert_int_equal(bt_charset_check(BT_CHARSET_UTF8, p,
			                                  before + bad[i].n),
			                 before);
			free(p);
		}
	assert_int_equal(bt_charset_check(BT_CHARSET_UTF8, NULL, 0), 0);
}

static void converts(enum bt_charset set, const char *s, const char *wanted)
{
	struct bt_buf b = BT_BUF_INIT;

	assert_int_equal(bt_charset_check(set, s, strlen(s)), strlen(s));
	bt_charset_put(&b, set, s, strlen(s));
	assert_string_equal(bt_buf_str(&b), wanted);
	bt_buf_clear(&b);
}

TEST(single_bytes)
{
	static const char undefined[] = "\x81\x8D\x8F\x90\x9D";
	char s[4] = "abc", wanted[4];
	struct bt_buf b = BT_BUF_INIT;
	int c, n = 0;

	converts(BT_CHARSET_LATIN1, "caf\xE9 \xA3 9", "caf\xC3\xA9 \xC2\xA3 9");
	converts(BT_CHARSET_LATIN1, "\x80\xFF", "\xC2\x80\xC3\xBF");
	converts(BT_CHARSET_WINDOWS1252, "\x80 \x93hi\x94 it\x92s \xE9",
	         "\xE2\x82\xAC \xE2\x80\x9Chi\xE2\x80\x9D it\xE2\x80\x99s "
	         "\xC3\xA9");
	converts(BT_CHARSET_WINDOWS1252, "\x83\x8A\x9F",
	         "\xC6\x92\xC5\xA0\xC5\xB8");
	converts(BT_CHARSET_UTF8, "caf\xC3\xA9", "caf\xC3\xA9");
	for (c = 0; c < 256; c++) {
		s[2] = (char)c;
		if (c != 0 && strchr(undefined, c) != NULL) {
			n++;
			assert_int_equal(
			    bt_charset_check(BT_CHARSET_WINDOWS1252, s, 3), 2);
		} else {
			assert_int_equal(
			    bt_charset_check(BT_CHARSET_WINDOWS1252, s, 3), 3);
		}
		bt_buf_reset(&b);
		bt_charset_put(&b, BT_CHARSET_LATIN1, s + 2, 1);
		assert_int_equal(b.len, encode((uint32_t)c, wanted));
		assert_memory_equal(b.data, wanted, b.len);
	}
	assert_int_equal(n, 5);
	bt_buf_clear(&b);
}
