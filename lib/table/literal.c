/* SPDX-License-Identifier: MIT */
#include "table/literal.h"

#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "format/json.h"
#include "table/table_int.h"

#define BLANK " \t\r\n"
#define DEPTH_MAX 16 /* lists in lists */

struct literal {
	const char *p, *end;
	int depth;
};

static json_t *read_value(struct literal *l);

/* The next character that is not blank; '\0': none. */
static char peek(struct literal *l)
{
	while (l->p < l->end && strchr(BLANK, *l->p) != NULL && *l->p != '\0')
		l->p++;
	return l->p < l->end ? *l->p : '\0';
}

static bool take(struct literal *l, char c)
{
	if (c == '\0' || peek(l) != c)
		return false;
	l->p++;
	return true;
}

static json_t *read_text(struct literal *l)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *p = l->p;
	char quote = *p++;
	json_t *v = NULL;

	while (p != NULL && p < l->end && *p != quote)
		if (*p == '\\' && p + 1 < l->end)
			p = bt_table_take_escape(p + 1, l->end, &b);
		else
			bt_buf_putc(&b, *p++);
	if (p != NULL && p < l->end && !b.oom) {
		l->p = p + 1;
		v = json_stringn(bt_buf_at(&b, 0), b.len);
	}
	bt_buf_clear(&b);
	return v;
}

/* A number, or a word. */
static json_t *read_bare(struct literal *l)
{
	static const char not_part[] = BLANK ",:[](){}'\"";
	const char *from = l->p;
	struct bt_span v;
	char s[40];
	int64_t i;
	double x;

	while (l->p < l->end && *l->p != '\0' &&
	       strchr(not_part, *l->p) == NULL)
		l->p++;
	v = (struct bt_span){from, (size_t)(l->p - from)};
	if (!bt_span_str(v, s, sizeof(s)) || v.n == 0)
		return NULL;
	if (strcmp(s, "None") == 0 || strcmp(s, "null") == 0 ||
	    strcmp(s, "nan") == 0 || strcmp(s, "NaN") == 0)
		return json_null();
	if (strcmp(s, "True") == 0 || strcmp(s, "true") == 0)
		return json_true();
	if (strcmp(s, "False") == 0 || strcmp(s, "false") == 0)
		return json_false();
	if (bt_parse_i64(s, INT64_MIN, INT64_MAX, &i) == BT_OK)
		return json_integer(i);
	return bt_parse_f64(s, -1e300, 1e300, &x) == BT_OK ? json_real(x)
	                                                   : NULL;
}

static bool is_array(const struct literal *l)
{
	return l->end - l->p > 6 && memcmp(l->p, "array(", 6) == 0;
}

/* array([...], dtype=object): the list. */
static json_t *read_array(struct literal *l)
{
	json_t *v;

	l->p += 6;
	v = read_value(l);
	if (v != NULL && take(l, ','))
		while (l->p < l->end && *l->p != ')')
			l->p++;
	if (v != NULL && take(l, ')'))
		return v;
	json_decref(v);
	return NULL;
}

static json_t *read_list(struct literal *l, char close)
{
	json_t *list = json_array(), *v;

	l->p++;
	while (!take(l, close)) {
		v = read_value(l);
		if (v == NULL || json_array_append_new(list, v) != 0) {
			json_decref(list);
			return NULL;
		}
		take(l, ',');
	}
	return list;
}

static json_t *read_object(struct literal *l)
{
	json_t *o = json_object(), *key = NULL, *v = NULL;
	bool good = true;

	l->p++;
	while (good && !take(l, '}')) {
		key = read_value(l);
		v = json_is_string(key) && take(l, ':') ? read_value(l) : NULL;
		good =
		    v != NULL &&
		    strlen(json_string_value(key)) == json_string_length(key) &&
		    json_object_set(o, json_string_value(key), v) == 0;
		json_decref(key);
		json_decref(v);
		take(l, ',');
	}
	if (good)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *read_value(struct literal *l)
{
	char c = peek(l);
	json_t *v = NULL;

	if (l->depth++ < DEPTH_MAX)
		v = c == '\'' || c == '"' ? read_text(l)
		    : c == '['            ? read_list(l, ']')
		    : c == '('            ? read_list(l, ')')
		    : c == '{'            ? read_object(l)
		    : is_array(l)         ? read_array(l)
		                          : read_bare(l);
	l->depth--;
	return v;
}

json_t *bt_table_literal(struct bt_span v)
{
	struct literal l = {v.p, v.p + v.n, 0};
	char c = peek(&l);
	json_t *value;

	if (c != '[' && c != '{')
		return NULL;
	value = read_value(&l);
	if (value == NULL || peek(&l) == '\0')
		return value;
	json_decref(value);
	return NULL;
}
