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

/* Appends s with the characters in the list as a letter behind a backslash,
 * other control characters as \u001b. */
static void put_json(struct bt_buf *out, struct bt_span s, const char *list)
{
	size_t i, from = 0;
	unsigned steers;
	char k;

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
}

void bt_escape_quoted(struct bt_buf *out, struct bt_span s, bool letters)
{
	bt_buf_putc(out, '"');
	put_json(out, s, letters ? "\"\\\b\f\n\r\t" : "\"\\");
	bt_buf_putc(out, '"');
}

void bt_escape_json_text(struct bt_buf *out, struct bt_span s)
{
	if (bt_charset_check(BT_CHARSET_UTF8, s.p, s.n) == s.n)
		bt_escape_quoted(out, s, true);
	else
		bt_buf_puts(out, "null");
}

void bt_escape_document(struct bt_buf *out, const char *json)
{
	size_t n;

	for (; *json != '\0'; json += n + (json[n] == '\n')) {
		n = strcspn(json, "\n");
		put_json(out, (struct bt_span){json, n}, "");
		bt_buf_putc(out, '\n');
	}
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

/* An argument that a shell may change stands in quotes. */
static void put_argument(struct bt_buf *b, const char *arg)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
	                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                            "0123456789_./:=,@%+-";

	if (*arg != '\0' && strspn(arg, plain) == strlen(arg)) {
		bt_buf_puts(b, arg);
		return;
	}
	bt_buf_putc(b, '\'');
	for (; *arg != '\0'; arg++)
		if (*arg == '\'')
			bt_buf_puts(b, "'\\''");
		else
			bt_buf_putc(b, *arg);
	bt_buf_putc(b, '\'');
}

void bt_escape_command(struct bt_buf *out, int argc, char *const *argv)
{
	struct bt_buf line = BT_BUF_INIT;
	const char *slash;
	int i;

	for (i = 0; i < argc; i++) {
		slash = i == 0 ? strrchr(argv[i], '/') : NULL;
		if (i > 0)
			bt_buf_putc(&line, ' ');
		put_argument(&line, slash != NULL ? slash + 1 : argv[i]);
	}
	bt_escape_line(out, (struct bt_span){line.data, line.len}, 0);
	out->oom = out->oom || line.oom;
	bt_buf_clear(&line);
}
