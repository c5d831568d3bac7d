/* SPDX-License-Identifier: MIT */
/* Characters of UTF-8 text that has been checked (format/charset.h). */
#ifndef BT_BASE_UTF8_H
#define BT_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the character that begins with lead. */
static inline unsigned bt_utf8_len(uint8_t lead)
{
	return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/* The character at p. */
static inline uint32_t bt_utf8_get(const uint8_t *p)
{
	if (p[0] < 0x80)
		return p[0];
	if (p[0] < 0xe0)
		return (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
	if (p[0] < 0xf0)
		return (uint32_t)(p[0] & 0x0f) << 12 |
		       (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
	return (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12 |
	       (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);
}

/* The number of characters. */
static inline size_t bt_utf8_count(const char *s, size_t n)
{
	size_t i, count = 0;

	for (i = 0; i < n; i++)
		count += ((uint8_t)s[i] & 0xc0) != 0x80;
	return count;
}

/* The start of the character that ends before p. */
static inline const uint8_t *bt_utf8_back(const uint8_t *p)
{
	do
		p--;
	while ((*p & 0xc0) == 0x80);
	return p;
}

/* Writes a character, at most 4 bytes; returns their number. */
static inline unsigned bt_utf8_put(uint8_t *p, uint32_t c)
{
	if (c < 0x80) {
		p[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		p[0] = (uint8_t)(0xc0 | c >> 6);
		p[1] = (uint8_t)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		p[0] = (uint8_t)(0xe0 | c >> 12);
		p[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		p[2] = (uint8_t)(0x80 | (c & 0x3f));
		return 3;
	}
	p[0] = (uint8_t)(0xf0 | c >> 18);
	p[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
	p[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	p[3] = (uint8_t)(0x80 | (c & 0x3f));
	return 4;
}

/* Bytes at p, of n, of a character that steers a terminal: a control character
 * (C0, DEL, C1) or one that changes the direction of the text behind it; 0: p
 * begins none. n > 0; any bytes. */
static inline unsigned bt_utf8_steers(const uint8_t *p, size_t n)
{
	if (p[0] < 0x20 || p[0] == 0x7f)
		return 1;
	if (p[0] == 0xc2 && n > 1 && p[1] >= 0x80 && p[1] < 0xa0)
		return 2;
	if (p[0] != 0xe2 || n < 3)
		return 0;
	/* U+2028 to U+202E, U+2066 to U+2069 */
	return (p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) ||
	               (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9)
	           ? 3
	           : 0;
}

#endif
