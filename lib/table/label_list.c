/* SPDX-License-Identifier: MIT */
/* A list of labels in one field, as Python prints lists, tuples and sets, NumPy
 * its arrays, and JSON its arrays: ['a', 'b'], ['a' 'b'], ["a", "b"], [1, 2].
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "table/table_int.h"

#define BLANK " \t\r\n"

static bool is_blank(char c)
{
	return c != '\0' && strchr(BLANK, c) != NULL;
}

/* The character whose code is n hexadecimal digits at p, or -1. */
static long code(const char *p, const char *end, int n)
{
	char digits[9];
	int i;

	if (end - p < n)
		return -1;
	for (i = 0; i < n; i++) {
		if (strchr("0123456789abcdefABCDEF", p[i]) == NULL ||
		    p[i] == '\0')
			return -1;
		digits[i] = p[i];
	}
	digits[n] = '\0';
	return strtol(digits, NULL, 16);
}

const char *bt_table_take_escape(const char *p, const char *end,
                                 struct bt_buf *out)
{
	static const char from[] = "ntr", to[] = "\n\t\r";
	const char *of = *p != '\0' ? strchr(from, *p) : NULL;
	int n = *p == 'x' ? 2 : *p == 'u' ? 4 : *p == 'U' ? 8 : 0;
	long c, low;
	uint8_t utf8[4];

	if (n == 0) {
		bt_buf_putc(out, of != NULL ? to[of - from] : *p);
		return p + 1;
	}
	c = code(p + 1, end, n);
	p += 1 + n;
	if (c >= 0xd800 && c < 0xdc00 && end - p >= 6 && p[0] == '\\' &&
	    p[1] == 'u' && (low = code(p + 2, end, 4)) >= 0xdc00 &&
	    low < 0xe000) {
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		p += 6;
	}
	if (c <= 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return NULL;
	bt_buf_put(out, utf8, bt_utf8_put(utf8, (uint32_t)c));
	return p;
}

/* Takes a text in quotes, of which p is the first, and what divides it from the
 * next; as bt_table_take_escape. */
static const char *take_quoted(const char *p, const char *end,
                               struct bt_buf *out)
{
	char quote = *p++;

	while (p != NULL && p < end && *p != quote)
		if (*p == '\\' && p + 1 < end)
			p = bt_table_take_escape(p + 1, end, out);
		else
			bt_buf_putc(out, *p++);
	if (p == NULL || p >= end ||
	    !(is_blank(p[1]) || p[1] == ',' || p + 1 == end))
		return NULL;
	return p + 1;
}

/* A number ends at a blank, which is all that NumPy puts between two; its ...
 * stands for what it left out. As bt_table_take_escape. */
static const char *take_bare(const char *p, const char *end, char close,
                             struct bt_buf *out)
{
	bool number = strchr("+-.0123456789", *p) != NULL;
	const char *start = p;
	struct bt_span v;

	while (p < end && *p != ',' && *p != close && !(number && is_blank(*p)))
		p++;
	v = bt_span_trim((struct bt_span){start, (size_t)(p - start)}, BLANK);
	if (memchr(v.p, '\'', v.n) != NULL || memchr(v.p, '"', v.n) != NULL ||
	    bt_span_equal(v, bt_span("...")))
		return NULL;
	bt_buf_put(out, v.p, v.n);
	return p;
}

bool bt_table_parse_list(struct bt_span v, struct bt_buf *out)
{
	static const char open[] = "[({", closes[] = "])}";
	const char *p, *end, *kind;
	char close;

	bt_buf_reset(out);
	v = bt_span_trim(v, BLANK);
	if (v.n < 2 || memchr(v.p, '\0', v.n) != NULL ||
	    (kind = strchr(open, *v.p)) == NULL)
		return false;
	close = closes[kind - open];
	end = v.p + v.n - 1;
	bt_buf_putc(out, '\0');
	for (p = v.p + 1; p < end && *p != close;) {
		if (*p == ',' || is_blank(*p)) {
			p++;
			continue;
		}
		p = *p == '\'' || *p == '"' ? take_quoted(p, end, out)
		                            : take_bare(p, end, close, out);
		if (p == NULL)
			return false;
		bt_buf_putc(out, '\0');
	}
	return p == end && *end == close;
}

bool bt_table_looks_like_list(struct bt_span v)
{
	return v.n > 1 && *v.p == '[' &&
	       (v.p[1] == '\'' || v.p[1] == '"' || v.p[1] == ']');
}

bool bt_table_looks_like_spans(struct bt_span v)
{
	return v.n > 1 && *v.p == '[' &&
	       (v.p[1] == '[' || v.p[1] == '(' || v.p[1] == '{');
}
