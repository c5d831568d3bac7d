/* SPDX-License-Identifier: MIT */
/* Texts that other readers than that of tables take, by how they begin. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "table/table_int.h"

/* Takes a line off s, without its end; false where s has no whole one. */
static bool take_line(struct bt_span *s, struct bt_span *line)
{
	const char *end = s->n > 0 ? memchr(s->p, '\n', s->n) : NULL;

	if (end == NULL)
		return false;
	*line = (struct bt_span){s->p, (size_t)(end - s->p)};
	s->n -= line->n + 1;
	s->p = end + 1;
	*line = bt_span_trim(*line, " \r");
	return true;
}

/* The number of columns of a line, divided by tabs or else by blanks, and the
 * last one; 0 where columns divided by tabs are not words. */
static size_t columns(struct bt_span line, struct bt_span *last)
{
	bool tabs = memchr(line.p, '\t', line.n) != NULL;
	char between = tabs ? '\t' : ' ';
	size_t i, n = 1, from = 0;

	for (i = 0; i < line.n; i++) {
		if (tabs && line.p[i] == ' ')
			return 0;
		if (line.p[i] != between)
			continue;
		n += tabs || i > from; /* several blanks are as one */
		from = i + 1;
	}
	*last = (struct bt_span){line.p + from, line.n - from};
	return n;
}

/* O, B-LOC; or a part of speech, which has no lower case. */
static bool is_tag(struct bt_span s)
{
	size_t i;

	if (s.n > 1 && s.p[1] == '-')
		return memchr("BIESLU", s.p[0], 6) != NULL;
	for (i = 0; i < s.n; i++)
		if ((s.p[i] >= 'a' && s.p[i] <= 'z') ||
		    (s.p[i] >= '0' && s.p[i] <= '9'))
			return false;
	return s.n > 0;
}

/* Whether a line is not one of a table in capitals: a tag of words, or a word
 * that has lower case before a part of speech. */
static bool is_sure(struct bt_span line, struct bt_span tag)
{
	size_t i;

	if (tag.n == 1 ? *tag.p == 'O' : tag.p[1] == '-')
		return true;
	for (i = 0; i < line.n && line.p[i] != '\t' && line.p[i] != ' '; i++)
		if (line.p[i] >= 'a' && line.p[i] <= 'z')
			return true;
	return false;
}

bool bt_table_is_conll(const uint8_t *p, size_t n)
{
	struct bt_span s = {(const char *)p, n}, line, last = {NULL, 0};
	size_t first = 0, lines = 0, k;
	bool sure = false, more;

	if (s.n >= 10 && memcmp(s.p, "-DOCSTART-", 10) == 0)
		return true;
	for (; (more = take_line(&s, &line)) && line.n > 0; lines++) {
		k = columns(line, &last);
		if (k < 2 || (first > 0 && k != first) || !is_tag(last))
			return false;
		first = k;
		sure = sure || is_sure(line, last);
	}
	return lines > 1 && (sure || more); /* an empty line ends a sentence */
}

/* Whether an object ends with a line, and the next line begins another one. */
static bool are_lines(struct bt_span s)
{
	struct bt_span line;

	return take_line(&s, &line) && line.n > 0 &&
	       line.p[line.n - 1] == '}' && s.n > 0 && *s.p == '{';
}

bool bt_table_is_squad(const uint8_t *p, size_t n)
{
	static const char *const keys[] = {"\"qas\"", "\"question\""};
	struct bt_span s = {(const char *)p, n}, rest;
	const char *data;
	size_t i;

	s = bt_span_trim(s, " \t\r\n");
	if (s.n == 0 || *s.p != '{' || are_lines(s))
		return false;
	data = memmem(s.p, s.n, "\"data\"", 6);
	if (data == NULL || memchr(s.p + 1, '{', (size_t)(data - s.p) - 1))
		return false;
	rest = (struct bt_span){data + 6, s.n - (size_t)(data + 6 - s.p)};
	rest = bt_span_trim(rest, " \t\r\n");
	if (rest.n == 0 || *rest.p != ':')
		return false;
	rest =
	    bt_span_trim((struct bt_span){rest.p + 1, rest.n - 1}, " \t\r\n");
	if (rest.n == 0 || *rest.p != '[')
		return false;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (memmem(rest.p, rest.n, keys[i], strlen(keys[i])) != NULL)
			return true;
	return false;
}
