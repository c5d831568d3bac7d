/* SPDX-License-Identifier: MIT */
/* One JSON object, of which the values of some keys are wanted. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "format/jsonl_int.h"

#define NAMES_SHOWN 200 /* bytes of a list of keys in a message, about */

static int has_nul(struct bt_jsonl_object *o, size_t i, struct bt_span v,
                   struct bt_error *err)
{
	if (v.n == 0 || memchr(v.p, '\0', v.n) == NULL)
		return BT_OK;
	o->fault = BT_JSONL_NUL;
	return bt_error_set(err, BT_EFORMAT, "a NUL in '%.*s'",
	                    (int)o->keys[i].n, o->keys[i].p);
}

#define EXPECTED_SCALAR ", expected a string, number or boolean"

/* Whether a list or an object is a part of a text with its label, as programs
 * for annotation write them: [0, 3, "PER"], {"start": 0, ...}. A guess. */
static bool seems_span(const struct bt_jsonl_object *o)
{
	size_t n = (size_t)(o->end - o->p);
	const char *close;

	if (n > 1 && *o->p == '[')
		return o->p[1] >= '0' && o->p[1] <= '9';
	close = n > 0 && *o->p == '{' ? memchr(o->p, '}', n) : NULL;
	return close != NULL &&
	       memmem(o->p, (size_t)(close - o->p), "\"start", 6) != NULL;
}

/* Whether an object is a column by the numbers of its rows, as pandas writes
 * tables unless it is asked for rows. */
static bool seems_column(const struct bt_jsonl_object *o)
{
	static const char first[] = "{\"0\":";

	return (size_t)(o->end - o->p) > sizeof(first) &&
	       memcmp(o->p, first, sizeof(first) - 1) == 0;
}

static int nested(struct bt_jsonl_object *o, size_t i, const char *what,
                  struct bt_error *err)
{
	bool object = o->p < o->end && *o->p == '{';

	o->fault = BT_JSONL_NESTED;
	return bt_error_hint(
	    err,
	    seems_column(o) ? BT_HINT_JSON_ROWS
	    : seems_span(o) ? BT_HINT_READ_SPANS
	    : object        ? BT_HINT_MEMBER
	                    : BT_HINT_NONE,
	    bt_error_set(err, BT_EFORMAT, "byte %zu: '%.*s' holds %s",
	                 (size_t)(o->p - o->start) + 1, (int)o->keys[i].n,
	                 o->keys[i].p, what));
}

static int take_members(struct bt_jsonl_object *o, struct bt_span in,
                        struct bt_error *err);

/* The scalar that is next, into bytes. */
static int put_scalar(struct bt_jsonl_object *o, size_t i, struct bt_error *err)
{
	size_t at = o->bytes.len;
	struct bt_span v;
	int r;

	if (o->p == o->end)
		return bt_jsonl_syntax(o, "expected a value", err);
	if (*o->p == '[' || *o->p == '{' || *o->p == 'n')
		return nested(o, i,
		              "a list with other values, expected strings, "
		              "numbers or booleans",
		              err);
	r = *o->p == '"' ? bt_jsonl_take_string(o, &o->bytes, &v, err)
	                 : bt_jsonl_take_bare(o, &v, err);
	if (r == BT_OK)
		r = has_nul(o, i, v, err);
	if (r == BT_OK && o->bytes.len == at)
		bt_buf_put(&o->bytes, v.p, v.n);
	return r;
}

/* A member of the object that is next, into bytes. */
static int put_member(struct bt_jsonl_object *o, size_t i,
                      struct bt_span member, struct bt_error *err)
{
	struct bt_span top = {NULL, 0}, v = top;
	bool found = false, list = false, text = false;
	struct bt_jsonl_object e = {.keys = &member,
	                            .n = 1,
	                            .values = &v,
	                            .found = &found,
	                            .lists = &list,
	                            .texts = &text,
	                            .depth = o->depth,
	                            .start = o->start,
	                            .p = o->p,
	                            .end = o->end};
	int r;

	if (o->p < o->end && *o->p != '{' && *o->p != ']')
		return nested(
		    o, i, "a list with other values, expected objects", err);
	r = take_members(&e, top, err);
	o->p = e.p;
	o->fault = e.fault;
	if (r == BT_OK && v.p == NULL) {
		o->fault = BT_JSONL_KEY;
		r = bt_error_set(err, BT_EFORMAT,
		                 "byte %zu: an object without a '%.*s' in a "
		                 "list of such",
		                 (size_t)(o->p - o->start), (int)member.n,
		                 member.p);
	}
	if (r == BT_OK)
		bt_buf_put(&o->bytes, v.p, v.n);
	o->bytes.oom |= e.bytes.oom || e.key.oom || e.path.oom;
	bt_buf_clear(&e.bytes);
	bt_buf_clear(&e.key);
	bt_buf_clear(&e.path);
	return r;
}

/* The list that is next, of scalars, where member.p is NULL; or of objects, of
 * which that member is wanted. */
static int take_list(struct bt_jsonl_object *o, size_t i, struct bt_span member,
                     struct bt_error *err)
{
	size_t at = o->bytes.len;
	int r;

	o->p++;
	bt_buf_putc(&o->bytes, '\0');
	if (!bt_jsonl_take(o, ']')) {
		do {
			bt_jsonl_skip_blanks(o);
			r = member.p != NULL ? put_member(o, i, member, err)
			                     : put_scalar(o, i, err);
			if (r != BT_OK)
				return r;
			bt_buf_putc(&o->bytes, '\0');
		} while (bt_jsonl_take(o, ','));
		if (!bt_jsonl_take(o, ']'))
			return bt_jsonl_syntax(o, "expected ',' or ']'", err);
	}
	o->values[i] =
	    (struct bt_span){bt_buf_at(&o->bytes, at), o->bytes.len - at};
	return BT_OK;
}

static int note_found(struct bt_jsonl_object *o, size_t i, struct bt_error *err)
{
	if (o->found[i])
		return bt_jsonl_syntax(o, "a key that stands twice", err);
	o->found[i] = true;
	return BT_OK;
}

/* The value of key number i. */
static int take_wanted(struct bt_jsonl_object *o, size_t i,
                       struct bt_error *err)
{
	struct bt_span *v = &o->values[i], scalars = {NULL, 0};
	bool text = o->p < o->end && *o->p == '"';
	int r = note_found(o, i, err);

	if (r != BT_OK)
		return r;
	o->texts[i] = text;
	if (o->p == o->end)
		return bt_jsonl_syntax(o, "expected a value", err);
	if (*o->p == '[' && o->lists[i])
		return take_list(o, i, scalars, err);
	if (*o->p == '{' || *o->p == '[')
		return nested(o, i,
		              *o->p == '{' ? "an object" EXPECTED_SCALAR
		                           : "a list" EXPECTED_SCALAR,
		              err);
	r = text ? bt_jsonl_take_string(o, &o->bytes, v, err)
	         : bt_jsonl_take_bare(o, v, err);
	return r == BT_OK && text ? has_nul(o, i, *v, err) : r;
}

/* Whether key number i is that of a member in the value of a path. */
static bool is_in(const struct bt_jsonl_object *o, size_t i,
                  struct bt_span path)
{
	struct bt_span key = o->keys[i];

	return key.n > path.n && key.p[path.n] == '.' &&
	       memcmp(key.p, path.p, path.n) == 0;
}

/* The value of a path in which members are wanted: an object, a list of such,
 * or null, which the members then are, too. */
static int take_inside(struct bt_jsonl_object *o, struct bt_span path,
                       struct bt_error *err)
{
	const char *start = o->p;
	char first = o->p < o->end ? *o->p : '\0';
	struct bt_span member;
	size_t i;
	int r = BT_OK;

	if (first == '{') {
		if (++o->depth > BT_JSONL_DEPTH_MAX)
			return bt_jsonl_syntax(o, "nested too deeply", err);
		r = take_members(o, path, err);
		o->depth--;
		return r;
	}
	for (i = 0; r == BT_OK && i < o->n; i++) {
		if (!is_in(o, i, path) || (first != '[' && first != 'n'))
			continue;
		member = (struct bt_span){o->keys[i].p + path.n + 1,
		                          o->keys[i].n - path.n - 1};
		o->p = start;
		o->values[i] = (struct bt_span){NULL, 0};
		r = note_found(o, i, err);
		if (r == BT_OK && first == '[')
			r = o->lists[i]
			        ? take_list(o, i, member, err)
			        : nested(o, i, "a list" EXPECTED_SCALAR, err);
	}
	o->p = r == BT_OK ? start : o->p;
	return r == BT_OK ? bt_jsonl_skip_value(o, err) : r;
}

/* A member of the object whose path is in. */
static int take_member(struct bt_jsonl_object *o, struct bt_span in,
                       struct bt_error *err)
{
	struct bt_span path;
	size_t i;
	int r;

	bt_buf_reset(&o->key);
	r = bt_jsonl_take_key(o, &o->key, &path, err);
	if (r != BT_OK)
		return r;
	bt_jsonl_skip_blanks(o);
	if (in.p != NULL) {
		bt_buf_reset(&o->path);
		bt_buf_put(&o->path, in.p, in.n);
		bt_buf_putc(&o->path, '.');
		bt_buf_put(&o->path, path.p, path.n);
		path = (struct bt_span){o->path.data, o->path.len};
	}
	for (i = 0; i < o->n; i++)
		if (bt_span_equal(path, o->keys[i]))
			return take_wanted(o, i, err);
	for (i = 0; i < o->n; i++)
		if (is_in(o, i, path))
			return take_inside(
			    o, (struct bt_span){o->keys[i].p, path.n}, err);
	return bt_jsonl_skip_value(o, err);
}

/* The object that is next, whose own path is in; of the line in.p is NULL. */
static int take_members(struct bt_jsonl_object *o, struct bt_span in,
                        struct bt_error *err)
{
	int r;

	if (!bt_jsonl_take(o, '{'))
		return bt_jsonl_syntax(o, "expected an object", err);
	if (bt_jsonl_take(o, '}'))
		return BT_OK;
	do {
		r = take_member(o, in, err);
		if (r != BT_OK)
			return r;
	} while (bt_jsonl_take(o, ','));
	return bt_jsonl_take(o, '}')
	           ? BT_OK
	           : bt_jsonl_syntax(o, "expected ',' or '}'", err);
}

/* Of the object at o->p, which was read before: goes to the value of its first
 * member, or of the next one; false behind the last. */
static bool next_member(struct bt_jsonl_object *o, bool first,
                        struct bt_span *key)
{
	struct bt_error none = {0};

	bt_buf_reset(&o->key);
	if (!bt_jsonl_take(o, first ? '{' : ',') ||
	    bt_jsonl_take_key(o, &o->key, key, &none) != BT_OK)
		return false;
	bt_jsonl_skip_blanks(o);
	return true;
}

/* Goes to the deepest object on the way to a member that is missing; returns
 * how much of its path leads there. */
static size_t find_object(struct bt_jsonl_object *o, struct bt_span path)
{
	struct bt_error none = {0};
	const char *object = o->start;
	struct bt_span key, rest;
	bool first = true;
	size_t n = 0;

	o->p = object;
	while (next_member(o, first, &key)) {
		rest = (struct bt_span){path.p + n, path.n - n};
		first = *o->p == '{' && key.n < rest.n &&
		        rest.p[key.n] == '.' &&
		        memcmp(rest.p, key.p, key.n) == 0;
		if (first) {
			object = o->p;
			n += key.n + 1;
		} else if (bt_jsonl_skip_value(o, &none) != BT_OK) {
			break;
		}
	}
	o->p = object;
	return n;
}

/* The keys of the object at o->p, for a message; false: it has none. */
static bool put_keys(struct bt_jsonl_object *o, struct bt_buf *b)
{
	struct bt_error none = {0};
	struct bt_span key;
	bool first = true;

	for (; b->len < NAMES_SHOWN && next_member(o, first, &key);
	     first = false) {
		bt_buf_printf(b, "%s'%.*s'", first ? "" : ", ", (int)key.n,
		              key.p);
		if (bt_jsonl_skip_value(o, &none) != BT_OK)
			break;
	}
	if (b->len >= NAMES_SHOWN)
		bt_buf_puts(b, ", ...");
	return !first;
}

/* Whether the value at o->p is a list whose first value begins with c. */
static bool is_list_of(const struct bt_jsonl_object *o, char c)
{
	const char *p = o->p, *end = o->end;

	if (p == end || *p++ != '[')
		return false;
	while (p < end && memchr(" \t\r\n", *p, 4) != NULL)
		p++;
	return p < end && *p == c;
}

/* Whether the key stands behind o->p, somewhere. */
static bool has_key(const struct bt_jsonl_object *o, struct bt_span key)
{
	const char *k = o->p, *end = o->end;

	if (key.n == 0)
		return false;
	while ((k = memmem(k, (size_t)(end - k), key.p, key.n)) != NULL) {
		if (k[-1] == '"' && k + key.n < end && k[key.n] == '"')
			return true;
		k++;
	}
	return false;
}

enum bt_hint bt_jsonl_rows_inside(struct bt_jsonl_object *o,
                                  struct bt_span text, struct bt_span wanted)
{
	struct bt_error none = {0};
	bool first = true, columns = false, rows = false;
	struct bt_span key;

	o->start = o->p = text.p;
	o->end = text.p + text.n;
	for (; next_member(o, first, &key); first = false) {
		if (!rows && is_list_of(o, '{')) {
			rows = true; /* no list behind has it, either */
			if (has_key(o, wanted))
				return BT_HINT_JSON_LIST;
		}
		if (is_list_of(o, '[') && (first || columns))
			return first ? BT_HINT_JSON_LISTS : BT_HINT_JSON_SPLIT;
		if (first && bt_span_equal(key, bt_span("0")))
			return BT_HINT_JSON_BY_ROW;
		columns |= bt_span_equal(key, bt_span("columns"));
		if (bt_jsonl_skip_value(o, &none) != BT_OK)
			break;
	}
	return BT_HINT_NONE;
}

static int missing(struct bt_jsonl_object *o, size_t i, struct bt_error *err)
{
	struct bt_span all = {o->start, (size_t)(o->end - o->start)};
	struct bt_span path = o->keys[i];
	size_t n = find_object(o, path);
	struct bt_buf b = BT_BUF_INIT;

	if (n > 0)
		bt_buf_printf(&b, "; the keys of '%.*s' are ", (int)n - 1,
		              path.p);
	else
		bt_buf_puts(&b, "; its keys are ");
	if (!put_keys(o, &b)) {
		bt_buf_reset(&b);
		bt_buf_puts(&b, ", nor any");
		if (n > 0)
			bt_buf_printf(&b, " in '%.*s'", (int)n - 1, path.p);
	}
	bt_error_set(err, BT_EFORMAT, "has no key '%.*s'%s", (int)path.n,
	             path.p, bt_buf_str(&b));
	bt_buf_clear(&b);
	bt_error_hint(err, bt_jsonl_rows_inside(o, all, path), BT_EFORMAT);
	o->fault = BT_JSONL_KEY; /* and not that of looking again */
	return BT_EFORMAT;
}

static int take_line(struct bt_jsonl_object *o, struct bt_error *err)
{
	size_t i;
	int r;

	bt_jsonl_skip_blanks(o);
	if (o->p < o->end && *o->p == '[')
		return bt_jsonl_syntax(o, "a list, expected an object", err);
	r = take_members(o, (struct bt_span){NULL, 0}, err);
	if (r != BT_OK)
		return r;
	bt_jsonl_skip_blanks(o);
	if (o->p < o->end)
		return bt_jsonl_syntax(o, "text behind the object", err);
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
	o->depth = 0;
	memset(o->found, 0, o->n * sizeof(*o->found));
	bt_buf_reset(&o->bytes);
	/* no string grows by losing its escapes, no list by losing its quotes
	 */
	if (memchr(o->lists, 1, o->n) != NULL ||
	    memchr(text.p, '\\', text.n) != NULL)
		bt_buf_reserve(&o->bytes, text.n);
	r = take_line(o, err);
	if (o->bytes.oom || o->key.oom || o->path.oom) {
		o->fault = BT_JSONL_FINE;
		bt_error_clear(err);
		return bt_error_nomem(err, "reading JSON");
	}
	return r;
}
