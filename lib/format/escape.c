/* SPDX-License-Identifier: MIT */
#include "format/escape.h"

#include <stdbool.h>
#include <string.h>

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
	unsigned char c, next;
	size_t i;
	char k;

	for (i = 0; i < s.n; i++) {
		c = (unsigned char)s.p[i];
		next = i + 1 < s.n ? (unsigned char)s.p[i + 1] : 0;
		k = letter_of((char)c, letters);
		if (k != '\0')
			bt_buf_printf(out, "\\%c", k);
		else if (c < ' ' || c == 0x7F)
			bt_buf_printf(out, "\\x%02x", c);
		else if (c == 0xC2 && next >= 0x80 && next < 0xA0)
			bt_buf_printf(out, "\\x%02x", (i++, next));
		else
			bt_buf_putc(out, (char)c);
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
	unsigned char c;
	char k;

	bt_buf_putc(out, '"');
	for (i = 0; i < s.n; i++) {
		c = (unsigned char)s.p[i];
		if (c >= ' ' && c != '"' && c != '\\' && (c != 0x7F || letters))
			continue;
		bt_buf_put(out, s.p + from, i - from);
		from = i + 1;
		k = letter_of((char)c, list);
		if (k != '\0')
			bt_buf_printf(out, "\\%c", k);
		else
			bt_buf_printf(out, "\\u%04x", c);
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
