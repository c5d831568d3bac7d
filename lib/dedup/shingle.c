/* SPDX-License-Identifier: MIT */
#include "dedup/shingle.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "unicode/bert_char_class.h"

#define LENGTH 5
#define NO_UTF8 0x110000 /* beyond all characters */

void bt_shingles_clear(struct bt_shingles *s)
{
	free(s->hash);
	free(s->chars);
	memset(s, 0, sizeof(*s));
}

/* The next character; *n is how many bytes it takes. */
static uint32_t next_char(const uint8_t *p, const uint8_t *end, unsigned *n)
{
	uint8_t again[4];
	uint32_t c;

	*n = 1;
	if (*p < 0x80)
		return *p;
	*n = bt_utf8_len(*p);
	if (*p >= 0xc0 && *p < 0xf8 && (size_t)(end - p) >= *n) {
		c = bt_utf8_get(p);
		if (c < NO_UTF8 && bt_utf8_put(again, c) == *n &&
		    memcmp(p, again, *n) == 0)
			return c;
	}
	*n = 1;
	return NO_UTF8 + *p;
}

static bool is_white(uint32_t c)
{
	if (c < 0x80)
		return c == ' ' || (c >= '\t' && c <= '\r');
	return c < NO_UTF8 && bt_char_is_white(BT_CHAR_DIALECT_HF, c);
}

/* The characters that count; returns their number. */
static size_t normalize(struct bt_span text, uint32_t *out)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = p + text.n;
	bool white = false;
	size_t n = 0;
	unsigned len;
	uint32_t c;

	for (; p < end; p += len) {
		c = next_char(p, end, &len);
		if (is_white(c)) {
			white = n > 0;
			continue;
		}
		if (white)
			out[n++] = ' ';
		white = false;
		if (c >= 0x80 && c < NO_UTF8)
			n += (size_t)bt_char_lower(BT_CHAR_DIALECT_HF, c,
			                           out + n);
		else
			out[n++] = c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
	}
	return n;
}

int bt_shingles_make(struct bt_shingles *s, struct bt_span text)
{
	size_t room = text.n, n, i, k, len;
	uint64_t h;

	/* a character of two bytes may become two of them */
	if (bt_grow(&s->chars, &s->chars_cap, room + BT_CHAR_LOWER_MAX,
	            sizeof(*s->chars)) != BT_OK ||
	    bt_grow(&s->hash, &s->cap, room + 1, sizeof(*s->hash)) != BT_OK)
		return BT_ENOMEM;
	n = text.n > 0 ? normalize(text, s->chars) : 0;
	len = n < LENGTH ? n : LENGTH;
	s->n = n - len + 1;
	for (i = 0; i < s->n; i++) {
		h = len;
		for (k = 0; k < len; k++)
			h = (h ^ s->chars[i + k]) * 0x9e3779b97f4a7c15u;
		s->hash[i] = bt_hash_mix(h);
	}
	return BT_OK;
}
