/* SPDX-License-Identifier: MIT */
#include "format/escape.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"
#include "format/charset.h"

/* The letter that stands for c behind a backslash, if c is in the list. */
static char letter_of(char c, const char *list)
{
	static const char chars[] = "\t\n\r\\\"\b\f", letters[] = "tnr\\\"bf";

	if ((c >= ' ' && c != '\\' && c != '"') || c <= '\0' ||
	    strchr(list, c) == NULL)
		return '\0';
	return letters[strchr(chars, c) - chars];
}

void bt_escape(struct bt_buf *out, struct bt_span s, const char *letters)
{
	unsigned steers;
	size_t i;
	char k;

	for (i = 0; i < s.n; i++) {
		steers = bt_utf8_steers((const uint8_t *)s.p + i, s.n - i);
		k = letter_of(s.p[i], letters);
		if (k != '\0')
			bt_buf_printf(out, "\\%c", k);
		else if (steers > 0)
			bt_buf_printf(out, steers < 3 ? "\\x%02x" : "\\u%04x",
			              bt_utf8_get((const uint8_t *)s.p + i));
		else
			bt_buf_putc(out, s.p[i]);
		i += steers > 1 ? steers - 1 : 0;
	}
}

void bt_escape_tabs(struct bt_buf *out, struct bt_span s)
{
	size_t i;
	char k;

	for (i = 0; i < s.n; i++) {
		k = letter_of(s.p[i], "\t\n\r");
		if (k != '\0')
			bt_buf_putc(out, '\\');
		bt_buf_putc(out, k != '\0' ? k : s.p[i]);
	}
}

void bt_escape_quoted(struct bt_buf *out, struct bt_span s, bool letters)
{
	const char *list = letters ? "\"\\\b\f\n\r\t" : "\"\\";
	size_t i, from = 0;
	unsigned steers;
	char k;

	bt_buf_putc(out, '"');
	for (i = 0; i < s.n; i++) {
		steers = bt_utf8_steers((const uint8_t *)s.p + i, s.n - i);
		k = letter_of(s.p[i], list);
		if (steers == 0 && k == '\0')
			continue;
		bt_buf_put(out, s.p + from, i - from);
		if (k != '\0')
			bt_buf_printf(out, "\\%c", k);
		else
			bt_buf_printf(out, "\\u%04x",
			              bt_utf8_get((const uint8_t *)s.p + i));
		i += steers > 1 ? steers - 1 : 0;
		from = i + 1;
	}
	if (from < s.n)
		bt_buf_put(out, s.p + from, s.n - from);
	bt_buf_putc(out, '"');
}

static bool goes_on(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

void bt_escape_line(struct bt_buf *out, struct bt_span s, size_t most)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t n = s.n;

	/* Whole characters. One has 4 bytes at most: what goes on longer is
	 * not one. */
	if (most > 0 && n > most) {
		for (n = most; n > 0 && most - n < 3 && goes_on(s.p[n]); n--)
			;
		n = goes_on(s.p[n]) ? most : n;
	}

	bt_charset_mend(&b, n > 0 ? s.p : "", n);
	bt_escape(out, (struct bt_span){bt_buf_at(&b, 0), b.len}, "\t\n\r");
	if (n < s.n)
		bt_buf_puts(out, "...");
	out->oom |= b.oom;
	bt_buf_clear(&b);
}

json_t *bt_escape_json(struct bt_span s)
{
	struct bt_buf b = BT_BUF_INIT;
	json_t *o = NULL;

	bt_charset_mend(&b, s.n > 0 ? s.p : "", s.n);
	if (!b.oom)
		o = json_stringn(bt_buf_at(&b, 0), b.len);
	bt_buf_clear(&b);
	return o;
}
