/* SPDX-License-Identifier: MIT */
#include "format/escape.h"

#include <stdbool.h>

#include "format/charset.h"

/* A character of one byte, or of two that is a control character, too. */
static void put_control(struct bt_buf *out, unsigned c)
{
	if (c == '\t')
		bt_buf_puts(out, "\\t");
	else if (c == '\n')
		bt_buf_puts(out, "\\n");
	else if (c == '\r')
		bt_buf_puts(out, "\\r");
	else
		bt_buf_printf(out, "\\x%02x", c);
}

static bool goes_on(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

/* Bytes of the first characters of s that together have not more. */
static size_t head(struct bt_span s, size_t most)
{
	size_t n = s.n;

	if (most == 0 || n <= most)
		return n;
	/* a character has 4 bytes at most: what goes on longer is none */
	for (n = most; n > 0 && most - n < 3 && goes_on(s.p[n]); n--)
		;
	return goes_on(s.p[n]) ? most : n;
}

void bt_escape_line(struct bt_buf *out, struct bt_span s, size_t most)
{
	size_t n = head(s, most), i;
	struct bt_buf b = BT_BUF_INIT;
	unsigned char c, next;

	bt_charset_mend(&b, n > 0 ? s.p : "", n);
	for (i = 0; i < b.len; i++) {
		c = (unsigned char)b.data[i];
		next = i + 1 < b.len ? (unsigned char)b.data[i + 1] : 0;
		if (c == 0xC2 && next < 0xA0) {
			put_control(out, next);
			i++;
		} else if (c < ' ' || c == 0x7F) {
			put_control(out, c);
		} else {
			bt_buf_putc(out, (char)c);
		}
	}
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
