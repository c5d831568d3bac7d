/* SPDX-License-Identifier: MIT */
#include "format/charset.h"

#include <stdint.h>
#include <string.h>

static const char *const names[] = {"utf-8", "latin1", "windows-1252",
                                    "iso-8859-15"};

/* Without - and _, in lower case. */
static const struct {
	const char *name;
	enum bt_charset set;
	enum bt_utf16 order;
} known[] = {{"utf8", BT_CHARSET_UTF8, BT_UTF16_NONE},
             {"ascii", BT_CHARSET_UTF8, BT_UTF16_NONE},
             {"usascii", BT_CHARSET_UTF8, BT_UTF16_NONE},
             {"latin1", BT_CHARSET_LATIN1, BT_UTF16_NONE},
             {"l1", BT_CHARSET_LATIN1, BT_UTF16_NONE},
             {"iso88591", BT_CHARSET_LATIN1, BT_UTF16_NONE},
             {"windows1252", BT_CHARSET_WINDOWS1252, BT_UTF16_NONE},
             {"cp1252", BT_CHARSET_WINDOWS1252, BT_UTF16_NONE},
             {"1252", BT_CHARSET_WINDOWS1252, BT_UTF16_NONE},
             {"ansi", BT_CHARSET_WINDOWS1252, BT_UTF16_NONE},
             {"iso885915", BT_CHARSET_LATIN9, BT_UTF16_NONE},
             {"latin9", BT_CHARSET_LATIN9, BT_UTF16_NONE},
             {"utf16", BT_CHARSET_UTF8, BT_UTF16_LE},
             {"utf16le", BT_CHARSET_UTF8, BT_UTF16_LE},
             {"utf16be", BT_CHARSET_UTF8, BT_UTF16_BE}};

/* Code points of windows-1252's bytes 80..9F; 0: none. The other bytes are
 * those of Latin-1. */
static const uint16_t windows1252[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
    0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

int bt_charset_find(const char *name, enum bt_charset *set,
                    enum bt_utf16 *order)
{
	char plain[16];
	size_t i, n = 0;

	for (; *name != '\0' && n + 1 < sizeof(plain); name++)
		if (*name != '-' && *name != '_')
			plain[n++] = *name >= 'A' && *name <= 'Z'
			                 ? (char)(*name - 'A' + 'a')
			                 : *name;
	plain[n] = '\0';
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (*name == '\0' && strcmp(known[i].name, plain) == 0) {
			*set = known[i].set;
			*order = known[i].order;
			return BT_OK;
		}
	return BT_EARG;
}

const char *bt_charset_name(enum bt_charset set)
{
	return names[set];
}

/* What the eight bytes mean in which ISO 8859-15 is not Latin-1. */
static unsigned latin9(uint8_t c)
{
	switch (c) {
	case 0xA4:
		return 0x20AC;
	case 0xA6:
		return 0x160;
	case 0xA8:
		return 0x161;
	case 0xB4:
		return 0x17D;
	case 0xB8:
		return 0x17E;
	case 0xBC:
		return 0x152;
	case 0xBD:
		return 0x153;
	case 0xBE:
		return 0x178;
	default:
		return c;
	}
}

/* Bytes of s, up to n, before the first that is not ASCII. */
static size_t ascii_run(const uint8_t *s, size_t n)
{
	const uint64_t tops = 0x8080808080808080u;
	uint64_t v[4];
	size_t i;

	for (i = 0; i + 32 <= n; i += 32) {
		memcpy(v, s + i, 32);
		if (((v[0] | v[1] | v[2] | v[3]) & tops) != 0)
			break;
	}
	for (; i + 8 <= n; i += 8) {
		memcpy(v, s + i, 8);
		if ((v[0] & tops) != 0)
			break;
	}
	/* the last ones together with some that were looked at before */
	if (i + 8 > n && n >= 8) {
		memcpy(v, s + n - 8, 8);
		if ((v[0] & tops) == 0)
			return n;
	}
	while (i < n && s[i] < 0x80)
		i++;
	return i;
}

/*
 * The length of the character of several bytes at s, or 0. What may follow the
 * first byte is narrowed where the form would not be the shortest (E0, F0),
 * would be a surrogate (ED) or would be above U+10FFFF (F4).
 */
static size_t utf8_length(const uint8_t *s, size_t n, size_t *good)
{
	uint8_t lo = 0x80, hi = 0xBF;
	size_t len, i;

	*good = 1;
	if (s[0] < 0xC2 || s[0] > 0xF4)
		return 0;
	len = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
	if (s[0] == 0xE0)
		lo = 0xA0;
	else if (s[0] == 0xED)
		hi = 0x9F;
	else if (s[0] == 0xF0)
		lo = 0x90;
	else if (s[0] == 0xF4)
		hi = 0x8F;
	for (i = 1; i < len; i++) {
		if (i == n || s[i] < lo || s[i] > hi)
			return 0;
		++*good;
		lo = 0x80;
		hi = 0xBF;
	}
	return len;
}

/* The length of a character of two or three bytes that needs no closer look,
 * or 0. */
static inline size_t utf8_usual(const uint8_t *s, size_t n)
{
	if (n > 2 && s[0] > 0xE0 && s[0] < 0xF0 && s[0] != 0xED &&
	    (s[1] & 0xC0) == 0x80 && (s[2] & 0xC0) == 0x80)
		return 3;
	if (n > 1 && s[0] >= 0xC2 && s[0] < 0xE0 && (s[1] & 0xC0) == 0x80)
		return 2;
	return 0;
}

static size_t utf8_check(const uint8_t *s, size_t n)
{
	size_t i = 0, len, good;

	for (;;) {
		i += ascii_run(s + i, n - i);
		if (i == n)
			return n;
		do { /* texts of other scripts have few ASCII runs */
			len = utf8_usual(s + i, n - i);
			if (len == 0)
				len = utf8_length(s + i, n - i, &good);
			if (len == 0)
				return i;
			i += len;
		} while (i < n && s[i] >= 0x80);
	}
}

size_t bt_charset_check(enum bt_charset set, const char *s, size_t n)
{
	const uint8_t *bytes = (const uint8_t *)s;
	size_t i;

	if (n > 0 && set == BT_CHARSET_UTF8)
		return utf8_check(bytes, n);
	for (i = 0; i < n && set == BT_CHARSET_WINDOWS1252; i++)
		if (bytes[i] >= 0x80 && bytes[i] < 0xA0 &&
		    windows1252[bytes[i] - 0x80] == 0)
			return i;
	return n;
}

int bt_charset_skip_mark(enum bt_charset set, struct bt_in *in,
                         struct bt_error *err)
{
	uint64_t begin = bt_in_offset(in);
	int r = bt_in_skip_mark(in, err);

	if (r != BT_OK || set == BT_CHARSET_UTF8 || bt_in_offset(in) == begin)
		return r;
	return bt_error_set(err, BT_EFORMAT,
	                    "cannot read %s: it begins with the byte order "
	                    "mark of UTF-8, and is not %s",
	                    bt_in_name(in), bt_charset_name(set));
}

size_t bt_charset_mend(struct bt_buf *b, const char *s, size_t n)
{
	const uint8_t *bytes = (const uint8_t *)s;
	size_t at = 0, run, mended = 0, good;

	for (;;) {
		run = n > at ? utf8_check(bytes + at, n - at) : 0;
		if (run > 0)
			bt_buf_put(b, s + at, run);
		at += run;
		if (at == n)
			return mended;
		utf8_length(bytes + at, n - at, &good);
		bt_buf_puts(b, "\xef\xbf\xbd");
		at += good;
		mended++;
	}
}

void bt_charset_put(struct bt_buf *b, enum bt_charset set, const char *s,
                    size_t n)
{
	const uint8_t *bytes = (const uint8_t *)s;
	size_t i, run;
	unsigned c;

	if (set == BT_CHARSET_UTF8) {
		bt_buf_put(b, s, n);
		return;
	}
	for (i = 0; i < n; i++) {
		run = ascii_run(bytes + i, n - i);
		bt_buf_put(b, s + i, run);
		i += run;
		if (i == n)
			return;
		c = bytes[i];
		if (set == BT_CHARSET_WINDOWS1252 && c < 0xA0)
			c = windows1252[c - 0x80];
		else if (set == BT_CHARSET_LATIN9)
			c = latin9(bytes[i]);
		if (c < 0x800) {
			bt_buf_putc(b, (char)(0xC0 | c >> 6));
		} else {
			bt_buf_putc(b, (char)(0xE0 | c >> 12));
			bt_buf_putc(b, (char)(0x80 | (c >> 6 & 0x3F)));
		}
		bt_buf_putc(b, (char)(0x80 | (c & 0x3F)));
	}
}
