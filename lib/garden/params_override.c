/* SPDX-License-Identifier: MIT */
#include "garden/params_override.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/span.h"
#include "format/python_repr.h"

#define MAX_INDEX 1023 /* of a list */
#define MAX_DEPTH 16   /* of names */

/* NAME[INDEX]=VALUE */
struct item {
	struct bt_span name, value;
	long index; /* -1: none */
};

static bool in_name(char c)
{
	return isalnum((unsigned char)c) != 0 || c == '_' || c == '.';
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p;
}

/* Past what may follow an item: nothing, or a comma and blanks. */
static const char *item_end(const char *p, const char *end)
{
	if (p == end)
		return p;
	return *p == ',' ? skip_blanks(p + 1, end) : NULL;
}

/* Past a value: of one in quotes to the first of them that ends an item. NULL
 * where a list has no end. */
static const char *value_end(const char *p, const char *end)
{
	const char *q;

	if (p < end && (*p == '\'' || *p == '"'))
		for (q = p + 1; q < end; q++)
			if (*q == *p && item_end(q + 1, end) != NULL)
				return q + 1;
	for (q = p; q < end && *q != ',' && *q != '['; q++)
		;
	if (q > p || q == end || *q == ',')
		return q;
	q = memchr(p, ']', (size_t)(end - p)); /* a list */
	return q != NULL ? q + 1 : NULL;
}

/* "[12]" */
static const char *read_index(const char *p, const char *end, long *index)
{
	long n = 0;

	*index = -1;
	if (p == end || *p != '[')
		return p;
	for (p++; p < end && isdigit((unsigned char)*p); p++) {
		n = n * 10 + (*p - '0');
		if (n > MAX_INDEX)
			return NULL;
		*index = n;
	}
	return *index >= 0 && p < end && *p == ']' ? p + 1 : NULL;
}

/* Reads the item at *p and moves past it. */
static bool read_item(const char **p, const char *end, struct item *it)
{
	const char *s = *p, *q;

	if (s == end || !isalpha((unsigned char)*s))
		return false;
	for (q = s; q < end && in_name(*q); q++)
		;
	it->name = (struct bt_span){s, (size_t)(q - s)};
	q = read_index(q, end, &it->index);
	if (q == NULL)
		return false;
	q = skip_blanks(q, end);
	if (q == end || *q != '=')
		return false;
	s = skip_blanks(q + 1, end);
	q = value_end(s, end);
	if (q == NULL)
		return false;
	it->value = (struct bt_span){s, (size_t)(q - s)};
	*p = item_end(q, end);
	return *p != NULL;
}

/* A list that grows by indices, or the items below a name. */
struct group {
	struct bt_span name;
	struct bt_buf nested; /* "b=1,c=2" */
	struct bt_buf *number;
	size_t cap;
	int n; /* numbers; 0: it is not a list */
};

struct groups {
	struct group **g;
	size_t n, cap;
};

static void clear(struct groups *s)
{
	size_t i;
	int k;

	for (i = 0; i < s->n; i++) {
		for (k = 0; k < s->g[i]->n; k++)
			bt_buf_clear(&s->g[i]->number[k]);
		free(s->g[i]->number);
		bt_buf_clear(&s->g[i]->nested);
		free(s->g[i]);
	}
	free(s->g);
}

/* The group of that name and kind, made if it is not there. */
static struct group *find(struct groups *s, struct bt_span name, bool list)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (bt_span_equal(s->g[i]->name, name) &&
		    (s->g[i]->n > 0) == list)
			return s->g[i];
	(void)!bt_grow(&s->g, &s->cap, s->n + 1, sizeof(struct group *));
	s->g[s->n] = bt_array0(1, sizeof(struct group));
	s->g[s->n]->name = name;
	return s->g[s->n++];
}

/* Writes a number as YAML has it. */
static int put_number(const char *text, struct bt_buf *out)
{
	double v;
	int64_t w;

	if (strchr(text, '.') != NULL) {
		if (bt_parse_f64(text, -1e308, 1e308, &v) != BT_OK)
			return BT_EFORMAT;
		bt_py_real(v, out);
		return BT_OK;
	}
	if (bt_parse_i64(text, INT64_MIN, INT64_MAX, &w) != BT_OK)
		return BT_EFORMAT;
	bt_buf_printf(out, "%lld", (long long)w);
	return BT_OK;
}

/* Puts a number into the list, which grows as long as its index needs. */
static int put_indexed(struct groups *s, const struct item *it,
                       struct bt_error *err)
{
	static const struct bt_buf none = BT_BUF_INIT;
	struct group *g = find(s, it->name, true);
	char *text = bt_strndup(it->value.p, it->value.n), *end;
	int r = BT_OK;

	(void)!bt_grow(&g->number, &g->cap, (size_t)it->index + 1,
	               sizeof(*g->number));
	while (g->n <= it->index)
		g->number[g->n++] = none;
	for (end = text + it->value.n; end > text && end[-1] == ' ';)
		*--end = '\0';
	bt_buf_reset(&g->number[it->index]);
	if (put_number(text, &g->number[it->index]) != BT_OK)
		r = bt_error_set(err, BT_EFORMAT,
		                 "%.*s[%ld]: '%.60s' is not a number",
		                 (int)it->name.n, it->name.p, it->index, text);
	free(text);
	return r;
}

static void put_key(struct bt_span name, struct bt_buf *out)
{
	if (out->len > 0 && out->data[out->len - 1] != '{')
		bt_buf_puts(out, ", ");
	bt_buf_put(out, name.p, name.n);
	bt_buf_puts(out, ": ");
}

/* A value is quoted where it begins as paths do. An item with a dot joins the
 * group of its first name, under the rest. */
static int put_item(const struct item *it, struct groups *s, struct bt_buf *out,
                    struct bt_error *err)
{
	const char *dot = memchr(it->name.p, '.', it->name.n);
	bool quoted =
	    it->value.n > 0 && memchr("gs:/", it->value.p[0], 4) != NULL;
	struct group *g;
	size_t first;

	if (dot == NULL && it->index >= 0)
		return put_indexed(s, it, err);
	if (dot == NULL) {
		put_key(it->name, out);
	} else {
		first = (size_t)(dot - it->name.p);
		g = find(s, (struct bt_span){it->name.p, first}, false);
		out = &g->nested;
		if (out->len > 0)
			bt_buf_putc(out, ',');
		bt_buf_put(out, dot + 1, it->name.n - first - 1);
		if (it->index >= 0)
			bt_buf_printf(out, "[%ld]", it->index);
		bt_buf_putc(out, '=');
	}
	bt_buf_puts(out, quoted ? "'" : "");
	bt_buf_put(out, it->value.p, it->value.n);
	bt_buf_puts(out, quoted ? "'" : "");
	return BT_OK;
}

static int put_list(const struct group *g, struct bt_buf *out,
                    struct bt_error *err)
{
	int i;

	bt_buf_putc(out, '[');
	for (i = 0; i < g->n; i++) {
		if (g->number[i].len == 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "%.*s[%d] is missing",
			                    (int)g->name.n, g->name.p, i);
		bt_buf_puts(out, i > 0 ? ", " : "");
		bt_buf_put(out, g->number[i].data, g->number[i].len);
	}
	bt_buf_putc(out, ']');
	return BT_OK;
}

static int convert(struct bt_span text, int depth, struct bt_buf *out,
                   struct bt_error *err);

static int put_groups(const struct groups *s, int depth, struct bt_buf *out,
                      struct bt_error *err)
{
	struct bt_buf inner = BT_BUF_INIT;
	const struct group *g;
	int r = BT_OK;
	size_t i;

	for (i = 0; r == BT_OK && i < s->n; i++) {
		g = s->g[i];
		bt_buf_reset(&inner);
		if (g->n > 0)
			r = put_list(g, &inner, err);
		else
			r = convert(
			    (struct bt_span){g->nested.data, g->nested.len},
			    depth + 1, &inner, err);
		put_key(g->name, out);
		bt_buf_put(out, inner.data, inner.len);
	}
	bt_buf_clear(&inner);
	return r;
}

static int convert(struct bt_span text, int depth, struct bt_buf *out,
                   struct bt_error *err)
{
	const char *p = text.p, *end = text.p + text.n;
	struct groups s = {0};
	struct item it;
	int r = BT_OK;

	if (depth > MAX_DEPTH)
		return bt_error_set(err, BT_EFORMAT,
		                    "a name of more than %d parts", MAX_DEPTH);
	bt_buf_putc(out, '{');
	while (r == BT_OK && p < end) {
		text.p = p;
		if (read_item(&p, end, &it))
			r = put_item(&it, &s, out, err);
		else
			r = bt_error_set(
			    err, BT_EFORMAT, "no assignment begins at '%.*s'",
			    (int)(end - text.p > 60 ? 60 : end - text.p),
			    text.p);
	}
	if (r == BT_OK)
		r = put_groups(&s, depth, out, err);
	bt_buf_putc(out, '}');
	clear(&s);
	return r;
}

int bt_override_yaml(const char *text, struct bt_buf *out, struct bt_error *err)
{
	if (*text == '\0')
		return bt_error_set(err, BT_EFORMAT, "there is nothing in it");
	return convert(bt_span(text), 0, out, err);
}
