/* SPDX-License-Identifier: MIT */
#include "format/json_texts.h"

#include <string.h>

#include "format/json.h"

#define RAW_MAX ((size_t)1 << 20) /* bytes kept of a text that is too long */

enum form { UNKNOWN, LINES, ARRAY, OBJECTS };

/* What stands before the next value of an array. */
enum before { OPENING, VALUE, COMMA };

void bt_json_texts_init(struct bt_json_texts *t, struct bt_in *in, size_t max)
{
	*t = (struct bt_json_texts){.in = in, .max = max, .form = UNKNOWN};
}

void bt_json_texts_clear(struct bt_json_texts *t)
{
	bt_buf_clear(&t->beyond);
}

/* Where a text ends: a line, or a value of which the bytes come in parts. */
struct scan {
	bool line;  /* to the end of the line */
	bool begun; /* a byte was seen */
	bool nested;
	size_t depth;
	bool string, escape;
	bool ended;
	uint64_t lines; /* ends of lines in it */
};

static void scan_string(struct scan *s, uint8_t c)
{
	if (s->escape)
		s->escape = false;
	else if (c == '\\')
		s->escape = true;
	else if (c == '"' || c == '\n') /* a string cannot have that one */
		s->string = false;
}

/* Whether the value ends behind c. */
static bool scan_byte(struct scan *s, uint8_t c)
{
	s->lines += c == '\n';
	if (s->string) {
		scan_string(s, c);
	} else if (c == '"') {
		s->string = true;
	} else if (c == '{' || c == '[') {
		s->depth++;
	} else if ((c == '}' || c == ']') && s->depth > 0) {
		s->depth--;
		return s->nested && s->depth == 0;
	}
	return false;
}

/* The bytes of p[0..n-1] that belong to it. */
static size_t scan_part(struct scan *s, const uint8_t *p, size_t n)
{
	const uint8_t *end;
	size_t i;

	if (s->line) {
		end = memchr(p, '\n', n);
		s->ended = end != NULL;
		return end != NULL ? (size_t)(end - p) : n;
	}
	for (i = 0; i < n && !s->ended; i++) {
		if (!s->begun)
			s->nested = p[i] == '{' || p[i] == '[';
		else if (!s->nested && !s->string &&
		         (p[i] == ',' || p[i] == ']' || p[i] == '\n'))
			break;
		s->begun = true;
		s->ended = scan_byte(s, p[i]);
	}
	s->ended = s->ended || i < n;
	return i;
}

/* Passes the rest of a text that is too long, from its beginning on. */
static int pass(struct bt_json_texts *t, struct scan *s, struct bt_error *err)
{
	struct scan from_start = {.line = s->line};
	const uint8_t *p;
	size_t got, n;
	int r;

	*s = from_start;
	bt_buf_reset(&t->beyond);
	do {
		r = bt_in_some(t->in, 1, &p, &got, err);
		if (r != BT_OK)
			return r;
		n = got > 0 ? scan_part(s, p, got) : 0;
		if (t->beyond.len == 0)
			bt_buf_put(&t->beyond, p, n < RAW_MAX ? n : RAW_MAX);
		bt_in_skip(t->in, n);
	} while (!s->ended && got > 0);
	t->text = (struct bt_span){t->beyond.data, t->beyond.len};
	t->text_lines = s->lines;
	t->bad = true;
	return bt_error_set(err, BT_ELIMIT, "longer than %zu bytes", t->max);
}

/* Reads a text, of which at least a byte is there. */
static int take_text(struct bt_json_texts *t, bool line, struct bt_error *err)
{
	struct scan s = {.line = line};
	const uint8_t *p;
	size_t got, n = 0;
	bool more = true;
	int r;

	t->line = t->ends + 1;
	while (!s.ended && more) {
		r = bt_in_some(t->in, n + 1, &p, &got, err);
		if (r != BT_OK)
			return r;
		more = got > n;
		if (more)
			n += scan_part(&s, p + n, got - n);
		if (n > t->max)
			return pass(t, &s, err);
	}
	t->text = (struct bt_span){(const char *)p, n};
	t->used = n;
	t->text_lines = s.lines;
	if (line && n > 0 && p[n - 1] == '\r')
		t->text.n--;
	return 1;
}

/* Goes to the next byte that is not blank, *c, or -1 at the end. */
static int skip_blanks(struct bt_json_texts *t, int *c, struct bt_error *err)
{
	const uint8_t *p;
	size_t got, i;
	int r;

	do {
		r = bt_in_some(t->in, 1, &p, &got, err);
		if (r != BT_OK)
			return r;
		for (i = 0; i < got && memchr(" \t\r\n", p[i], 4) != NULL; i++)
			t->ends += p[i] == '\n';
		*c = i < got ? p[i] : -1;
		bt_in_skip(t->in, i);
	} while (*c < 0 && got > 0);
	return BT_OK;
}

/* Whether the line that comes ends within an object: behind what cannot be the
 * last byte of one. */
static int ends_within(struct bt_json_texts *t, bool *within,
                       struct bt_error *err)
{
	struct bt_span line = {NULL, 0};
	struct scan s = {0};
	size_t skip;
	int r = bt_in_line(t->in, t->max, &line, &skip, err);

	*within = false;
	if (r == BT_ELIMIT)
		bt_error_clear(err); /* take_text finds it, too */
	else if (r < 0)
		return r;
	line = bt_span_trim(line, " \t\r");
	if (line.n == 0 || memchr("{[,:", line.p[line.n - 1], 4) == NULL)
		return BT_OK;
	scan_part(&s, (const uint8_t *)line.p, line.n);
	*within = !s.ended;
	return BT_OK;
}

/* What is wrong with the array, instead of the text. */
static int blame(struct bt_json_texts *t, const char *what,
                 struct bt_error *err)
{
	t->bad = true;
	return bt_error_set(err, BT_EFORMAT, "%s", what);
}

/* The next value of an array, where c comes. 1, an error, or BT_OK where the
 * caller is to look again. */
static int next_value(struct bt_json_texts *t, int c, struct bt_error *err)
{
	enum before before = (enum before)t->before;
	int r;

	t->line = t->ends + 1;
	t->text = (struct bt_span){"", 0};
	if (c < 0) {
		t->form = UNKNOWN;
		return blame(t, "the array ends without a ']'", err);
	}
	if (c == ']') {
		bt_in_skip(t->in, 1);
		t->form = UNKNOWN;
		return before == COMMA
		           ? blame(t, "expected a value behind the ','", err)
		           : BT_OK;
	}
	if (c == ',') {
		bt_in_skip(t->in, 1);
		t->before = COMMA;
		return before == VALUE
		           ? BT_OK
		           : blame(t, "expected a value before the ','", err);
	}
	t->before = VALUE;
	r = take_text(t, false, err);
	return r == 1 && before == VALUE
	           ? blame(t, "expected ',' or ']' before the value", err)
	           : r;
}

static int choose_form(struct bt_json_texts *t, int c, struct bt_error *err)
{
	bool within;
	int r;

	if (c == '[') {
		bt_in_skip(t->in, 1);
		t->form = ARRAY;
		t->before = OPENING;
		return BT_OK;
	}
	r = ends_within(t, &within, err);
	t->form = within ? OBJECTS : LINES;
	return r;
}

/* 1: a line that is not blank; 0: no more; else an error. */
static int next_line(struct bt_json_texts *t, struct bt_error *err)
{
	const uint8_t *p;
	size_t got;
	int r;

	do {
		bt_in_skip(t->in, t->used);
		t->used = 0;
		r = bt_in_some(t->in, 1, &p, &got, err);
		if (r != BT_OK || got == 0)
			return r;
		if (*p == '\n') {
			bt_in_skip(t->in, 1);
			t->ends++;
			continue;
		}
		r = take_text(t, true, err);
	} while (r == BT_OK ||
	         (r == 1 && bt_span_trim(t->text, " \t\r").n == 0));
	return r;
}

int bt_json_texts_next(struct bt_json_texts *t, struct bt_error *err)
{
	int c, r = BT_OK;

	t->bad = false;
	bt_in_skip(t->in, t->used);
	t->ends += t->text_lines;
	t->used = 0;
	t->text_lines = 0;
	while (r == BT_OK) {
		if (t->form == LINES)
			return next_line(t, err);
		r = skip_blanks(t, &c, err);
		if (r != BT_OK)
			break;
		if (t->form == ARRAY)
			r = next_value(t, c, err);
		else if (c < 0)
			return 0;
		else if (t->form == OBJECTS)
			r = take_text(t, false, err);
		else
			r = choose_form(t, c, err);
	}
	return r;
}

int bt_json_texts_object(struct bt_json_texts *t, json_t **o,
                         struct bt_error *err)
{
	int r = bt_json_texts_next(t, err);

	*o = NULL;
	if (r != 1)
		return r;
	r = bt_json_parse_from(t->line, t->text, o, err);
	return r == BT_OK ? 1 : r;
}
