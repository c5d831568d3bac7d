/* SPDX-License-Identifier: MIT */
#include "unicode/python_str.h"

#include <utf8proc.h>

#include "base/utf8.h"
#include "unicode/bert_char_class.h"

#define SIGMA 0x3a3 /* capital */
#define FINAL_SIGMA 0x3c2

static bool has(uint32_t c, int property)
{
	uint8_t props;

	bt_char_props(BT_CHAR_DIALECT_GOOGLE, c, 1, &props);
	return (props & property) != 0;
}

bool bt_py_is_space(uint32_t c)
{
	return has(c, BT_CHAR_IS_WHITE);
}

bool bt_py_is_punct(uint32_t c)
{
	return has(c, BT_CHAR_IS_PUNCT);
}

bool bt_py_is_alnum(uint32_t c)
{
	utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);

	return (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO) ||
	       (k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO);
}

/* Whether a letter with case stands before p, and none behind it, where those
 * that the rule passes over do not count. */
static bool is_final_sigma(const uint8_t *from, const uint8_t *p,
                           const uint8_t *end)
{
	const uint8_t *q = p;
	uint32_t c = 0;

	do {
		if (q == from)
			return false;
		q = bt_utf8_back(q);
		c = bt_utf8_get(q);
	} while (bt_char_is_case_ignorable(c));
	if (!bt_char_is_cased(c))
		return false;
	for (q = p + bt_utf8_len(*p); q < end; q += bt_utf8_len(*q)) {
		c = bt_utf8_get(q);
		if (!bt_char_is_case_ignorable(c))
			return !bt_char_is_cased(c);
	}
	return true;
}

void bt_py_lower(struct bt_span s, struct bt_buf *out)
{
	const uint8_t *from = (const uint8_t *)s.p, *p = from;
	const uint8_t *end = from + s.n;
	uint32_t lower[BT_CHAR_LOWER_MAX], c;
	uint8_t bytes[4];
	int i, n;

	for (; p < end; p += bt_utf8_len(*p)) {
		c = bt_utf8_get(p);
		n = bt_char_lower(BT_CHAR_DIALECT_GOOGLE, c, lower);
		if (c == SIGMA && is_final_sigma(from, p, end))
			lower[0] = FINAL_SIGMA;
		for (i = 0; i < n; i++)
			bt_buf_put(out, bytes, bt_utf8_put(bytes, lower[i]));
	}
}

void bt_py_squeeze(struct bt_span s, struct bt_buf *out)
{
	size_t from = out->len;
	bool gap = false;
	unsigned k;

	for (; s.n > 0; s.p += k, s.n -= k) {
		k = bt_utf8_len((uint8_t)*s.p);
		if (bt_py_is_space(bt_utf8_get((const uint8_t *)s.p))) {
			gap = true;
			continue;
		}
		if (gap && out->len > from)
			bt_buf_putc(out, ' ');
		gap = false;
		bt_buf_put(out, s.p, k);
	}
}
