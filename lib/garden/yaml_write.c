/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "format/python_repr.h"
#include "garden/yaml.h"

/* True where the text may stand without quotes, in a list too, and is read as
 * that text. */
static bool is_plain(const char *s)
{
	static const char good[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "_./-+";
	struct bt_yaml v = {0};
	bool plain;

	if (*s == '\0' || strspn(s, good) != strlen(s))
		return false;
	if (*s == '-' || *s == '.' || *s == '+')
		return false; /* marks of documents and lists among them */
	plain = bt_yaml_scalar(s, &v, NULL) == BT_OK && v.kind == BT_YAML_STR;
	free(v.text);
	return plain;
}

/* True for a character that YAML does not take as it is, or not in one line. */
static bool is_hidden(uint32_t c)
{
	return c < 32 || (c >= 127 && c < 160) || c == 0x2028 || c == 0x2029 ||
	       c == 0xFEFF || (c >= 0xFFFE && c <= 0xFFFF);
}

/* The character at *s, which is UTF-8 since libyaml read it; *s is moved on. */
static uint32_t take(const char **s)
{
	const uint8_t *p = (const uint8_t *)*s;

	*s += bt_utf8_len(*p);
	return bt_utf8_get(p);
}

static bool is_printable(const char *s)
{
	while (*s != '\0')
		if (is_hidden(take(&s)))
			return false;
	return true;
}

static void put_double(const char *s, struct bt_buf *out)
{
	const char *from;
	uint32_t c;

	bt_buf_putc(out, '"');
	while (*s != '\0') {
		from = s;
		c = take(&s);
		if (is_hidden(c))
			bt_buf_printf(out, c < 256 ? "\\x%02x" : "\\u%04x",
			              (unsigned)c);
		else if (c == '"' || c == '\\')
			bt_buf_printf(out, "\\%c", (char)c);
		else
			bt_buf_put(out, from, (size_t)(s - from));
	}
	bt_buf_putc(out, '"');
}

static void put_str(const char *s, struct bt_buf *out)
{
	if (is_plain(s)) {
		bt_buf_puts(out, s);
		return;
	}
	if (!is_printable(s)) {
		put_double(s, out);
		return;
	}
	bt_buf_putc(out, '\'');
	for (; *s != '\0'; s++)
		bt_buf_puts(out, *s == '\'' ? "''" : (char[2]){*s, '\0'});
	bt_buf_putc(out, '\'');
}

/* With a point, which YAML 1.1 wants before an exponent: 3.0e-05. */
static void put_real(double v, struct bt_buf *out)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *s, *e;

	if (isnan(v) || isinf(v)) {
		bt_buf_puts(out, isnan(v) ? ".nan" : v < 0 ? "-.inf" : ".inf");
		return;
	}
	bt_py_real(v, &b);
	s = bt_buf_str(&b);
	e = strchr(s, 'e');
	if (e != NULL && strchr(s, '.') == NULL)
		bt_buf_printf(out, "%.*s.0%s", (int)(e - s), s, e);
	else
		bt_buf_puts(out, s);
	bt_buf_clear(&b);
}

static void put_items(const struct bt_yaml *v, struct bt_buf *out)
{
	bool map = v->kind == BT_YAML_MAP;
	size_t i;

	bt_buf_putc(out, map ? '{' : '[');
	for (i = 0; i < v->n; i++) {
		if (i > 0)
			bt_buf_puts(out, ", ");
		if (map) {
			put_str(v->key[i], out);
			bt_buf_puts(out, ": ");
		}
		bt_yaml_put_flow(v->item[i], out);
	}
	bt_buf_putc(out, map ? '}' : ']');
}

void bt_yaml_put_flow(const struct bt_yaml *v, struct bt_buf *out)
{
	switch (v->kind) {
	case BT_YAML_NULL:
		bt_buf_puts(out, "null");
		return;
	case BT_YAML_BOOL:
		bt_buf_puts(out, v->truth ? "true" : "false");
		return;
	case BT_YAML_INT:
		bt_buf_printf(out, "%lld", (long long)v->whole);
		return;
	case BT_YAML_REAL:
		put_real(v->real, out);
		return;
	case BT_YAML_STR:
		put_str(v->text, out);
		return;
	case BT_YAML_DATE:
		bt_buf_puts(out, v->text);
		return;
	default:
		put_items(v, out);
	}
}
