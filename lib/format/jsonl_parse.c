/* SPDX-License-Identifier: MIT */
/*
 * A reader of one JSON object that keeps what is wanted where it lies: only
 * strings with escapes are copied. Numbers stay as they are written, which a
 * parser that makes numbers of them cannot give back.
 */
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "format/jsonl_int.h"

#define NAMES_SHOWN 200 /* bytes of a list of keys in a message, about */

static int syntax(struct bt_jsonl_object *o, const char *what,
                  struct bt_error *err)
{
	o->fault = BT_JSONL_SYNTAX;
	return bt_error_set(err, BT_EFORMAT, "byte %zu: %s",
	                    (size_t)(o->p - o->start) + 1, what);
}

static void skip_blanks(struct bt_jsonl_object *o)
{
	while (o->p < o->end && (*o->p == ' ' || *o->p == '\t' ||
	                         *o->p == '\n' || *o->p == '\r'))
		o->p++;
}

/* Goes behind the character c if it is next, but for blanks. */
static bool take(struct bt_jsonl_object *o, char c)
{
	skip_blanks(o);
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
		return syntax(o, "expected four hexadecimal digits", err);
	if (c >= 0xDC00 && c < 0xE000)
		return syntax(o, "half of a surrogate pair", err);
	if (c >= 0xD800 && c < 0xDC00) {
		low = o->end - o->p > 6 && o->p[5] == '\\' && o->p[6] == 'u'
		          ? hex4(o->p + 7, o->end)
		          : -1;
		if (low < 0xDC00 || low >= 0xE000)
			return syntax(o, "half of a surrogate pair", err);
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
		return syntax(o, "no such escape", err);
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
			return syntax(o, "a control character in a string",
			              err);
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

/*
 * The string whose opening quote is next. With out, *v is its text, borrowed
 * from the line, or from out where it has escapes; out has room for it, so that
 * what stands in it does not move.
 */
static int take_string(struct bt_jsonl_object *o, struct bt_buf *out,
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
		return syntax(o, "the string is not closed", err);
	o->p++;
	return BT_OK;
}

/* A member's key and the colon. */
static int take_key(struct bt_jsonl_object *o, struct bt_buf *out,
                    struct bt_span *key, struct bt_error *err)
{
	int r;

	skip_blanks(o);
	if (o->p == o->end || *o->p != '"')
		return syntax(o, "expected a key in quotes", err);
	r = take_string(o, out, key, err);
	if (r != BT_OK)
		return r;
	return take(o, ':') ? BT_OK : syntax(o, "expected ':'", err);
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
		return syntax(o, "expected a digit", err);
	if (take_char(o, ".") && !take_digits(o))
		return syntax(o, "expected a digit", err);
	if (take_char(o, "eE")) {
		take_char(o, "+-");
		if (!take_digits(o))
			return syntax(o, "expected a digit", err);
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

/* null, true, false or a number; *v is its text. */
static int take_bare(struct bt_jsonl_object *o, struct bt_span *v,
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
		return syntax(o,
		              "NaN and Infinity are not JSON: null stands "
		              "for a missing value",
		              err);
	if (i == 3 && (is_digit(o) || *o->p == '-'))
		r = take_number(o, err);
	else if (i == 3)
		return syntax(o, "expected a value", err);
	*v = (struct bt_span){i == 0 ? NULL : start, (size_t)(o->p - start)};
	return r;
}

/*
 * Goes behind the value that is next, whatever it is. object[] tells for each
 * depth whether it is an object that is open, or a list.
 */
static int skip_value(struct bt_jsonl_object *o, struct bt_error *err)
{
	bool object[BT_JSONL_DEPTH_MAX];
	struct bt_span v;
	size_t depth = 0;
	bool first;
	int r;

	for (;;) {
		first = false;
		skip_blanks(o);
		if (o->p < o->end && (*o->p == '{' || *o->p == '[')) {
			if (depth == BT_JSONL_DEPTH_MAX)
				return syntax(o, "nested too deeply", err);
			object[depth++] = *o->p++ == '{';
			first = true;
		} else {
			if (o->p == o->end)
				return syntax(o, "expected a value", err);
			r = *o->p == '"' ? take_string(o, NULL, &v, err)
			                 : take_bare(o, &v, err);
			if (r != BT_OK)
				return r;
		}
		while (depth > 0 && take(o, object[depth - 1] ? '}' : ']')) {
			depth--;
			first = false;
		}
		if (depth == 0)
			return BT_OK;
		if (!first && !take(o, ','))
			return syntax(o,
			              object[depth - 1] ? "expected ',' or '}'"
			                                : "expected ',' or ']'",
			              err);
		r = object[depth - 1] ? take_key(o, NULL, &v, err) : BT_OK;
		if (r != BT_OK)
			return r;
	}
}

static int has_nul(struct bt_jsonl_object *o, size_t i, struct bt_span v,
                   struct bt_error *err)
{
	if (v.n == 0 || memchr(v.p, '\0', v.n) == NULL)
		return BT_OK;
	o->fault = BT_JSONL_NUL;
	return bt_error_set(err, BT_EFORMAT, "a NUL in '%.*s'",
	                    (int)o->keys[i].n, o->keys[i].p);
}

static int nested(struct bt_jsonl_object *o, size_t i, const char *what,
                  struct bt_error *err)
{
	o->fault = BT_JSONL_NESTED;
	return bt_error_set(
	    err, BT_EFORMAT,
	    "byte %zu: '%.*s' holds %s, expected a string, number or boolean",
	    (size_t)(o->p - o->start) + 1, (int)o->keys[i].n, o->keys[i].p,
	    what);
}

/* The list that is next, of scalars. */
static int take_list(struct bt_jsonl_object *o, size_t i, struct bt_error *err)
{
	size_t at = o->bytes.len, element;
	struct bt_span v;
	int r = BT_OK;

	o->p++;
	bt_buf_putc(&o->bytes, '\0');
	if (!take(o, ']')) {
		do {
			skip_blanks(o);
			element = o->bytes.len;
			if (o->p == o->end)
				return syntax(o, "expected a value", err);
			if (strchr("[{n", *o->p) != NULL)
				return nested(o, i, "a list with other values",
				              err);
			r = *o->p == '"' ? take_string(o, &o->bytes, &v, err)
			                 : take_bare(o, &v, err);
			if (r == BT_OK)
				r = has_nul(o, i, v, err);
			if (r != BT_OK)
				return r;
			if (o->bytes.len == element)
				bt_buf_put(&o->bytes, v.p, v.n);
			bt_buf_putc(&o->bytes, '\0');
		} while (take(o, ','));
		if (!take(o, ']'))
			return syntax(o, "expected ',' or ']'", err);
	}
	o->values[i] =
	    (struct bt_span){bt_buf_at(&o->bytes, at), o->bytes.len - at};
	return BT_OK;
}

/* The value of key number i. */
static int take_wanted(struct bt_jsonl_object *o, size_t i,
                       struct bt_error *err)
{
	struct bt_span *v = &o->values[i];
	bool text = o->p < o->end && *o->p == '"';
	int r;

	if (o->found[i])
		return syntax(o, "a key that stands twice", err);
	o->found[i] = true;
	if (o->p == o->end)
		return syntax(o, "expected a value", err);
	if (*o->p == '[' && i == o->list)
		return take_list(o, i, err);
	if (*o->p == '{' || *o->p == '[')
		return nested(o, i, *o->p == '{' ? "an object" : "a list", err);
	r = text ? take_string(o, &o->bytes, v, err) : take_bare(o, v, err);
	return r == BT_OK && text ? has_nul(o, i, *v, err) : r;
}

static int take_member(struct bt_jsonl_object *o, struct bt_error *err)
{
	struct bt_span key;
	size_t i;
	int r;

	bt_buf_reset(&o->key);
	r = take_key(o, &o->key, &key, err);
	if (r != BT_OK)
		return r;
	skip_blanks(o);
	for (i = 0; i < o->n; i++)
		if (bt_span_equal(key, o->keys[i]))
			return take_wanted(o, i, err);
	return skip_value(o, err);
}

/* The text is an object: its keys, for a message. */
static void put_keys(struct bt_jsonl_object *o, struct bt_buf *b)
{
	struct bt_error none = {0};
	struct bt_span key;
	size_t n = 0;

	o->p = o->start;
	take(o, '{');
	skip_blanks(o);
	while (o->p < o->end && *o->p == '"' && b->len < NAMES_SHOWN) {
		bt_buf_reset(&o->key);
		if (take_string(o, &o->key, &key, &none) != BT_OK)
			return;
		bt_buf_printf(b, "%s'%.*s'", n++ > 0 ? ", " : "", (int)key.n,
		              key.p);
		if (!take(o, ':') || skip_value(o, &none) != BT_OK)
			return;
		if (!take(o, ','))
			break;
		skip_blanks(o);
	}
	if (b->len >= NAMES_SHOWN)
		bt_buf_puts(b, ", ...");
}

static int missing(struct bt_jsonl_object *o, size_t i, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *s;

	o->fault = BT_JSONL_KEY;
	put_keys(o, &b);
	s = bt_buf_str(&b);
	if (*s == '\0')
		bt_error_set(err, BT_EFORMAT, "has no key '%.*s', nor any",
		             (int)o->keys[i].n, o->keys[i].p);
	else
		bt_error_set(err, BT_EFORMAT,
		             "has no key '%.*s'; its keys are %s",
		             (int)o->keys[i].n, o->keys[i].p, s);
	bt_buf_clear(&b);
	return BT_EFORMAT;
}

static int take_object(struct bt_jsonl_object *o, struct bt_error *err)
{
	size_t i;
	int r;

	skip_blanks(o);
	if (o->p < o->end && *o->p == '[')
		return syntax(o,
		              "a list, expected an object on each line: "
		              "jq -c '.[]' makes them of one list",
		              err);
	if (!take(o, '{'))
		return syntax(o, "expected an object", err);
	if (!take(o, '}')) {
		do {
			r = take_member(o, err);
			if (r != BT_OK)
				return r;
		} while (take(o, ','));
		if (!take(o, '}'))
			return syntax(o, "expected ',' or '}'", err);
	}
	skip_blanks(o);
	if (o->p < o->end)
		return syntax(o, "text behind the object", err);
	for (i = 0; i < o->n; i++)
		if (!o->found[i])
			return missing(o, i, err);
	return BT_OK;
}

int bt_jsonl_parse(struct bt_jsonl_object *o, struct bt_span text,
                   struct bt_error *err)
{
	int r;

	o->start = o->p = text.p;
	o->end = text.p + text.n;
	o->fault = BT_JSONL_FINE;
	memset(o->found, 0, o->n * sizeof(*o->found));
	bt_buf_reset(&o->bytes);
	/* no string grows by losing its escapes, no list by losing its quotes
	 */
	if (o->list < o->n || memchr(text.p, '\\', text.n) != NULL)
		bt_buf_reserve(&o->bytes, text.n);
	r = take_object(o, err);
	if (o->bytes.oom || o->key.oom) {
		o->fault = BT_JSONL_FINE;
		bt_error_clear(err);
		return bt_error_nomem(err, "reading JSON");
	}
	return r;
}
