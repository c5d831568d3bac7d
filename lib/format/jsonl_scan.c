/* SPDX-License-Identifier: MIT */
/*
 * JSON's words, which stay where they lie: only strings with escapes are
 * copied. Numbers stay as they are written, which a parser that makes numbers
 * of them cannot give back.
 */
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "format/jsonl_int.h"

int bt_jsonl_syntax(struct bt_jsonl_object *o, const char *what,
                    struct bt_error *err)
{
	o->fault = BT_JSONL_SYNTAX;
	return bt_error_set(err, BT_EFORMAT, "byte %zu: %s",
	                    (size_t)(o->p - o->start) + 1, what);
}

void bt_jsonl_skip_blanks(struct bt_jsonl_object *o)
{
	while (o->p < o->end && (*o->p == ' ' || *o->p == '\t' ||
	                         *o->p == '\n' || *o->p == '\r'))
		o->p++;
}

bool bt_jsonl_take(struct bt_jsonl_object *o, char c)
{
	bt_jsonl_skip_blanks(o);
	if (o->p == o->end || *o->p != c)
		return false;
	o->p++;
	return true;
}

static int hex4(const char *p, const char *end)
{
	return end - p < 4 ? -1 : bt_parse_hex4(p);
}

/* At the 'u' of an escape; out may be NULL. */
static int take_unicode(struct bt_jsonl_object *o, struct bt_buf *out,
                        struct bt_error *err)
{
	int c = hex4(o->p + 1, o->end), low;
	uint8_t bytes[4];

	if (c < 0)
		return bt_jsonl_syntax(o, "expected four hexadecimal digits",
		                       err);
	if (c >= 0xDC00 && c < 0xE000)
		return bt_jsonl_syntax(o, "half of a surrogate pair", err);
	if (c >= 0xD800 && c < 0xDC00) {
		low = o->end - o->p > 6 && o->p[5] == '\\' && o->p[6] == 'u'
		          ? hex4(o->p + 7, o->end)
		          : -1;
		if (low < 0xDC00 || low >= 0xE000)
			return bt_jsonl_syntax(o, "half of a surrogate pair",
			                       err);
		c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
		o->p += 6;
	}
	o->p += 5;
	if (out != NULL)
		bt_buf_put(out, bytes, bt_utf8_put(bytes, (uint32_t)c));
	return BT_OK;
}

static int take_escape(struct bt_jsonl_object *o, struct bt_buf *out,
                       struct bt_error *err)
{
	static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	const char *at;

	o->p++;
	if (o->p < o->end && *o->p == 'u')
		return take_unicode(o, out, err);
	at = o->p < o->end ? memchr(letters, *o->p, 8) : NULL;
	if (at == NULL)
		return bt_jsonl_syntax(o, "no such escape", err);
	if (out != NULL)
		bt_buf_putc(out, bytes[at - letters]);
	o->p++;
	return BT_OK;
}

/* The rest of a string, from its first escape on. */
static int take_escaped(struct bt_jsonl_object *o, struct bt_buf *out,
                        struct bt_error *err)
{
	const char *run;
	int r;

	while (o->p < o->end && *o->p != '"') {
		if ((unsigned char)*o->p < ' ')
			return bt_jsonl_syntax(
			    o, "a control character in a string", err);
		if (*o->p == '\\') {
			r = take_escape(o, out, err);
			if (r != BT_OK)
				return r;
			continue;
		}
		run = o->p;
		while (o->p < o->end && *o->p != '"' && *o->p != '\\' &&
		       (unsigned char)*o->p >= ' ')
			o->p++;
		if (out != NULL)
			bt_buf_put(out, run, (size_t)(o->p - run));
	}
	return BT_OK;
}

int bt_jsonl_take_string(struct bt_jsonl_object *o, struct bt_buf *out,
                         struct bt_span *v, struct bt_error *err)
{
	const char *first = ++o->p;
	size_t at = out != NULL ? out->len : 0;
	int r = BT_OK;

	while (o->p < o->end && *o->p != '"' && *o->p != '\\' &&
	       (unsigned char)*o->p >= ' ')
		o->p++;
	*v = (struct bt_span){first, (size_t)(o->p - first)};
	if (o->p < o->end && *o->p != '"') {
		if (out != NULL)
			bt_buf_put(out, first, v->n);
		r = take_escaped(o, out, err);
		if (out != NULL && r == BT_OK && !out->oom)
			*v =
			    (struct bt_span){bt_buf_at(out, at), out->len - at};
	}
	if (r != BT_OK)
		return r;
	if (o->p == o->end)
		return bt_jsonl_syntax(o, "the string is not closed", err);
	o->p++;
	return BT_OK;
}

int bt_jsonl_take_key(struct bt_jsonl_object *o, struct bt_buf *out,
                      struct bt_span *key, struct bt_error *err)
{
	int r;

	bt_jsonl_skip_blanks(o);
	if (o->p == o->end || *o->p != '"')
		return bt_jsonl_syntax(o, "expected a key in quotes", err);
	r = bt_jsonl_take_string(o, out, key, err);
	if (r != BT_OK)
		return r;
	return bt_jsonl_take(o, ':') ? BT_OK
	                             : bt_jsonl_syntax(o, "expected ':'", err);
}

static bool is_digit(const struct bt_jsonl_object *o)
{
	return o->p < o->end && *o->p >= '0' && *o->p <= '9';
}

static bool take_digits(struct bt_jsonl_object *o)
{
	if (!is_digit(o))
		return false;
	while (is_digit(o))
		o->p++;
	return true;
}

static bool take_char(struct bt_jsonl_object *o, const char *set)
{
	if (o->p == o->end || *o->p == '\0' || strchr(set, *o->p) == NULL)
		return false;
	o->p++;
	return true;
}

static int take_number(struct bt_jsonl_object *o, struct bt_error *err)
{
	take_char(o, "-");
	if (!take_char(o, "0") && !take_digits(o))
		return bt_jsonl_syntax(o, "expected a digit", err);
	if (take_char(o, ".") && !take_digits(o))
		return bt_jsonl_syntax(o, "expected a digit", err);
	if (take_char(o, "eE")) {
		take_char(o, "+-");
		if (!take_digits(o))
			return bt_jsonl_syntax(o, "expected a digit", err);
	}
	return BT_OK;
}

/* What Python's json.dumps writes for numbers that JSON lacks. */
static bool begins_no_number(const struct bt_jsonl_object *o)
{
	static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
	size_t left = (size_t)(o->end - o->p), i, n;

	for (i = 0; i < 3; i++) {
		n = strlen(words[i]);
		if (left >= n && memcmp(o->p, words[i], n) == 0)
			return true;
	}
	return false;
}

int bt_jsonl_take_bare(struct bt_jsonl_object *o, struct bt_span *v,
                       struct bt_error *err)
{
	static const char *const words[] = {"null", "true", "false"};
	const char *start = o->p;
	size_t left = (size_t)(o->end - o->p), i, n;
	int r = BT_OK;

	for (i = 0; i < 3; i++) {
		n = strlen(words[i]);
		if (left >= n && memcmp(start, words[i], n) == 0) {
			o->p += n;
			break;
		}
	}
	if (i == 3 && begins_no_number(o))
		return bt_jsonl_syntax(
		    o,
		    "NaN and Infinity are not JSON: null stands "
		    "for a missing value",
		    err);
	if (i == 3 && (is_digit(o) || *o->p == '-'))
		r = take_number(o, err);
	else if (i == 3)
		return bt_jsonl_syntax(o, "expected a value", err);
	*v = (struct bt_span){start, (size_t)(o->p - start)};
	if (i == 0)
		*v = (struct bt_span){NULL, 0};
	return r;
}

/* object[] tells for each depth whether it is an object that is open, or a
 * list. */
int bt_jsonl_skip_value(struct bt_jsonl_object *o, struct bt_error *err)
{
	bool object[BT_JSONL_DEPTH_MAX];
	struct bt_span v;
	size_t depth = 0;
	bool first;
	int r;

	for (;;) {
		first = false;
		bt_jsonl_skip_blanks(o);
		if (o->p < o->end && (*o->p == '{' || *o->p == '[')) {
			if (depth == BT_JSONL_DEPTH_MAX)
				return bt_jsonl_syntax(o, "nested too deeply",
				                       err);
			object[depth++] = *o->p++ == '{';
			first = true;
		} else {
			if (o->p == o->end)
				return bt_jsonl_syntax(o, "expected a value",
				                       err);
			r = *o->p == '"'
			        ? bt_jsonl_take_string(o, NULL, &v, err)
			        : bt_jsonl_take_bare(o, &v, err);
			if (r != BT_OK)
				return r;
		}
		while (depth > 0 &&
		       bt_jsonl_take(o, object[depth - 1] ? '}' : ']')) {
			depth--;
			first = false;
		}
		if (depth == 0)
			return BT_OK;
		if (!first && !bt_jsonl_take(o, ','))
			return bt_jsonl_syntax(o,
			                       object[depth - 1]
			                           ? "expected ',' or '}'"
			                           : "expected ',' or ']'",
			                       err);
		r = object[depth - 1] ? bt_jsonl_take_key(o, NULL, &v, err)
		                      : BT_OK;
		if (r != BT_OK)
			return r;
	}
}
