/* SPDX-License-Identifier: MIT */
#include "format/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "io/in.h"
#include "io/out.h"
#include "io/path.h"

#define MAX_FILE ((size_t)256 << 20)

static bool begins(const char *data, size_t len, const char *with)
{
	return len >= strlen(with) && memcmp(data, with, strlen(with)) == 0;
}

/* A JSON object or list, which begins in a line of what is called name. */
static int parse_from(const char *name, uint64_t line, const char *data,
                      size_t len, size_t flags, json_t **value,
                      struct bt_error *err)
{
	json_error_t e;
	json_t *o = json_loadb(data, len, flags, &e);
	unsigned long long at = line - 1 + (uint64_t)(e.line > 0 ? e.line : 1);

	if (o == NULL && (json_error_code(&e) == json_error_null_character ||
	                  json_error_code(&e) == json_error_null_byte_in_key))
		return bt_error_set(err, BT_EFORMAT,
		                    "%s has \\u0000 in a string, in line "
		                    "%llu, column %d: it is not supported "
		                    "there",
		                    name, at, e.column);
	if (len == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "%s is empty, JSON is expected", name);
	if (o == NULL && begins(data, len, "<"))
		return bt_error_set(err, BT_EFORMAT,
		                    "%s is not valid JSON: it begins as a page "
		                    "of HTML or XML does: was one saved in its "
		                    "place?",
		                    name);
	if (o == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "%s is not valid JSON: line %llu, column "
		                    "%d: %s",
		                    name, at, e.column, e.text);
	*value = o;
	return BT_OK;
}

static int parse_any(const char *name, const char *data, size_t len,
                     size_t flags, json_t **value, struct bt_error *err)
{
	return parse_from(name, 1, data, len, flags, value, err);
}

static int need_object(const char *name, json_t *o, json_t **object,
                       struct bt_error *err)
{
	if (!json_is_object(o)) {
		json_decref(o);
		return bt_error_set(err, BT_EFORMAT,
		                    "%s does not hold a JSON object", name);
	}
	*object = o;
	return BT_OK;
}

static int parse(const char *name, const char *data, size_t len, size_t flags,
                 json_t **object, struct bt_error *err)
{
	json_t *o = NULL;
	int r = parse_any(name, data, len, flags, &o, err);

	return r == BT_OK ? need_object(name, o, object, err) : r;
}

int bt_json_parse(const char *name, const char *data, size_t len, bool unique,
                  json_t **object, struct bt_error *err)
{
	return parse(name, data, len, unique ? JSON_REJECT_DUPLICATES : 0,
	             object, err);
}

int bt_json_parse_from(uint64_t line, struct bt_span text, json_t **object,
                       struct bt_error *err)
{
	json_t *o = NULL;
	int r = parse_from("the text", line, text.p, text.n,
	                   JSON_REJECT_DUPLICATES, &o, err);

	return r == BT_OK ? need_object("the text", o, object, err) : r;
}

static bool in_number(char c)
{
	return memchr("-+.eE0123456789", c, 15) != NULL;
}

/* Copies JSON with "e0" behind whole numbers of more than 18 digits, which
 * makes them reals: jansson refuses those that need more than 64 bits. */
static void widen(const char *p, const char *end, struct bt_buf *out)
{
	const char *from;
	bool whole;

	while (p < end) {
		from = p;
		if (*p == '"') {
			for (p++; p < end && *p != '"'; p++)
				if (*p == '\\' && p + 1 < end)
					p++;
			p += p < end;
			bt_buf_put(out, from, (size_t)(p - from));
		} else if (in_number(*p)) {
			for (whole = true; p < end && in_number(*p); p++)
				whole = whole && *p != '.' && *p != 'e' &&
				        *p != 'E';
			bt_buf_put(out, from, (size_t)(p - from));
			if (whole && p - from > 18)
				bt_buf_puts(out, "e0");
		} else {
			bt_buf_putc(out, *p++);
		}
	}
}

/* transformers writes 1000000000000000019884624838656 for "no limit". */
static int parse_wide(const char *name, const char *data, size_t len,
                      size_t flags, json_t **object, struct bt_error *err)
{
	struct bt_buf wide = BT_BUF_INIT;
	json_error_t e;
	int r;

	*object = json_loadb(data, len, flags, &e);
	if (json_is_object(*object))
		return BT_OK;
	if (*object != NULL ||
	    json_error_code(&e) != json_error_numeric_overflow) {
		json_decref(*object);
		return parse(name, data, len, flags, object, err);
	}
	widen(data, data + len, &wide);
	if (bt_buf_str(&wide) == NULL)
		r = bt_error_nomem(err, "reading JSON");
	else
		r = parse(name, wide.data, wide.len, flags, object, err);
	bt_buf_clear(&wide);
	return r;
}

int bt_json_parse_nul(const char *name, const char *data, size_t len,
                      json_t **object, struct bt_error *err)
{
	return parse_wide(name, data, len, JSON_ALLOW_NUL, object, err);
}

typedef int parser(const char *name, const char *data, size_t len, size_t flags,
                   json_t **value, struct bt_error *err);

/* The value of a whole file; *value is not set where that fails. */
static int load(const char *path, parser *parse_value, json_t **value,
                struct bt_error *err)
{
	char *data, name[300];
	json_t *v = NULL;
	size_t len;
	int r = bt_in_whole(path, MAX_FILE, &data, &len, err);

	if (r != BT_OK)
		return r;
	snprintf(name, sizeof(name), "'%s'", path);
	r = parse_value(name, data, len, 0, &v, err);
	free(data);
	if (r == BT_OK)
		*value = v;
	return r;
}

int bt_json_load(const char *path, json_t **object, struct bt_error *err)
{
	return load(path, parse_wide, object, err);
}

int bt_json_load_list(const char *path, json_t **list, struct bt_error *err)
{
	int r;

	*list = NULL;
	r = load(path, parse_any, list, err);
	if (r != BT_OK || json_is_array(*list))
		return r;
	json_decref(*list);
	*list = NULL;
	return bt_error_set(err, BT_EFORMAT, "'%s' does not hold a JSON list",
	                    path);
}

int bt_json_load_in(const char *dir, const char *name, json_t **o,
                    struct bt_error *err)
{
	char *path = bt_path_join(dir, name);
	int r = BT_OK;

	*o = NULL;
	if (bt_path_there(path))
		r = bt_json_load(path, o, err);
	free(path);
	return r;
}

/* Puts a list that begins at *p and holds only numbers, true, false or null on
 * one line; returns the end of it, or NULL where it holds something else. */
static char *join_list(const char **p, char *to)
{
	const char *s = *p, *end = s + 1 + strcspn(s + 1, "[]{}\"");

	if (*end != ']')
		return NULL;
	for (; s <= end; s++)
		if (*s != '\n')
			*to++ = *s;
		else if (s[1 + strspn(s + 1, " ")] != ']' && s[-1] != '[')
			*to++ = ' ', s += strspn(s + 1, " ");
		else
			s += strspn(s + 1, " ");
	*p = end + 1;
	return to;
}

json_t *bt_json_finite(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *bt_json_whole(json_t *v, bool failed)
{
	if (!failed)
		return v;
	json_decref(v);
	return NULL;
}

void bt_json_join_lists(char *text)
{
	const char *s = text;
	char *to = text, *joined;
	bool quoted = false;

	while (*s != '\0') {
		joined = !quoted && *s == '[' ? join_list(&s, to) : NULL;
		if (joined != NULL) {
			to = joined;
			continue;
		}
		if (quoted && *s == '\\')
			*to++ = *s++;
		else if (*s == '"')
			quoted = !quoted;
		*to++ = *s++;
	}
	*to = '\0';
}

int bt_json_save(const char *path, const json_t *object, struct bt_error *err)
{
	char *s = json_dumps(object, JSON_INDENT(2) |
	                                 JSON_REAL_PRECISION(BT_JSON_DIGITS));
	size_t n;
	int r;

	if (s == NULL)
		return bt_error_nomem(err, "writing JSON");
	n = strlen(s);
	s[n] = '\n'; /* in place of the NUL */
	r = bt_out_whole(path, s, n + 1, err);
	free(s);
	return r;
}

static const json_t *member(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return v == NULL || json_is_null(v) ? NULL : v;
}

int bt_json_int(const json_t *o, const char *key, int64_t lo, int64_t hi,
                int64_t *v, struct bt_error *err)
{
	const json_t *m = member(o, key);

	if (m == NULL)
		return BT_OK;
	if (!json_is_integer(m) || json_integer_value(m) < lo ||
	    json_integer_value(m) > hi)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' is not a whole number from %lld to "
		                    "%lld",
		                    key, (long long)lo, (long long)hi);
	*v = json_integer_value(m);
	return BT_OK;
}

int bt_json_real(const json_t *o, const char *key, double lo, double hi,
                 double *v, struct bt_error *err)
{
	const json_t *m = member(o, key);
	double x;

	if (m == NULL)
		return BT_OK;
	x = json_number_value(m);
	if (!json_is_number(m) || !(x >= lo && x <= hi))
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' is not a number from %g to %g", key,
		                    lo, hi);
	*v = x;
	return BT_OK;
}

int bt_json_flag(const json_t *o, const char *key, int *v, struct bt_error *err)
{
	const json_t *m = member(o, key);

	if (m == NULL)
		return BT_OK;
	if (!json_is_boolean(m))
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' is neither true nor false", key);
	*v = json_is_true(m);
	return BT_OK;
}

int bt_json_bool(const json_t *o, const char *key, bool *v,
                 struct bt_error *err)
{
	int flag = *v, r = bt_json_flag(o, key, &flag, err);

	*v = flag != 0;
	return r;
}

int bt_json_str(const json_t *o, const char *key, const char **v,
                struct bt_error *err)
{
	const json_t *m = member(o, key);

	if (m == NULL)
		return BT_OK;
	if (!json_is_string(m))
		return bt_error_set(err, BT_EFORMAT, "'%s' is not a string",
		                    key);
	if (strlen(json_string_value(m)) != json_string_length(m))
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' has \\u0000, which is not supported "
		                    "there",
		                    key);
	*v = json_string_value(m);
	return BT_OK;
}
