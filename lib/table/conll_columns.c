/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "table/conll_int.h"

#define DOCUMENT "-DOCSTART-"

static bool has_tab(struct bt_span line)
{
	return line.n > 0 && memchr(line.p, '\t', line.n) != NULL;
}

bool bt_conll_is_comment(struct bt_span line, const char *comment, bool tabs)
{
	struct bt_span begin = bt_span(comment);

	if (begin.p != NULL)
		return line.n >= begin.n &&
		       memcmp(line.p, begin.p, begin.n) == 0;
	return tabs && line.n > 0 && *line.p == '#' && !has_tab(line);
}

int bt_conll_cut(struct bt_span line, bool file_tabs, struct bt_span *column)
{
	bool tabs = file_tabs || has_tab(line);
	size_t i, from = 0;
	int n = 0;

	for (i = 0; i <= line.n; i++) {
		if (i < line.n && line.p[i] != (tabs ? '\t' : ' '))
			continue;
		if ((tabs || i > from) && n++ < BT_CONLL_COLUMNS)
			column[n - 1] =
			    (struct bt_span){line.p + from, i - from};
		from = i + 1;
	}
	return n;
}

size_t bt_conll_commas(struct bt_span line)
{
	size_t i, n = 0;

	for (i = 0; i < line.n; i++)
		n += line.p[i] == ',';
	return n;
}

bool bt_conll_is_conllu(const struct bt_span *column, int n)
{
	return n > 3 && bt_span_equal(column[0], bt_span("#")) &&
	       bt_span_equal(column[2], bt_span("="));
}

bool bt_conll_is_no_word(struct bt_span s)
{
	size_t i, marks = 0;

	if (s.n < 3)
		return false;
	for (i = 0; i < s.n; i++) {
		if (i > 0 && i + 1 < s.n && (s.p[i] == '-' || s.p[i] == '.'))
			marks++;
		else if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	}
	return marks == 1;
}

bool bt_conll_is_document(struct bt_span line)
{
	size_t n = strlen(DOCUMENT);

	return line.n >= n && memcmp(line.p, DOCUMENT, n) == 0 &&
	       (line.n == n || line.p[n] == ' ' || line.p[n] == '\t');
}

int bt_conll_look_tabs(struct bt_in *in, bool *tabs, struct bt_error *err)
{
	bool sign = true; /* or the line is empty */
	size_t i, start = 0, got = 0;
	const uint8_t *p = NULL;
	int e;

	for (i = 0; !*tabs && i < BT_CONLL_LINE_MAX; i++) {
		if (i == got) {
			e = bt_in_some(in, i + 1, &p, &got, err);
			if (e != BT_OK || got == i)
				return e;
		}
		if (i == start)
			sign = memchr("#\r\n", p[i], 3) != NULL;
		if (p[i] == '\n' && !sign)
			return BT_OK;
		if (p[i] == '\n')
			start = i + 1;
		*tabs = p[i] == '\t';
	}
	return BT_OK;
}
