/* SPDX-License-Identifier: MIT */
#include "garden/params_override.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/span.h"
#include "garden/python_repr.h"

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

/* Past a value in quotes: to the first of them that ends an item. NULL if there
 * is none. */
static const char *quoted_end(const char *p, const char *end)
{
	char q = *p++;

	for (; p < end; p++)
		if (*p == q && item_end(p + 1, end) != NULL)
			return p + 1;
	return NULL;
}

/* NULL where a list has no end. */
static const char *value_end(const char *p, const char *end)
{
	const char *q = NULL;

	if (p < end && (*p == '\'' || *p == '"'))
		q = quoted_end(p, end);
	if (q != NULL)
		return q;
	for (q = p; q < end && *q != ',' && *q != '['; q++)
		;
	if (q > p || q == end || *q == ',')
		return q;
	/* a list */
	for (q = p + 1; q < end && *q != ']'; q++)
		;
	return q < end ? q + 1 : NULL;
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

/* The group of that name and kind, made if it is not there; NULL when out of
 * memory. */
static struct group *find(struct groups *s, struct bt_span name, bool list)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (bt_span_equal(s->g[i]->name, name) &&
		    (s->g[i]->n > 0) == list)
			return s->g[i];
	if (bt_grow(&s->g, &s->cap, s->n + 1, sizeof(struct group *)) != BT_OK)
		return NULL;
	s->g[s->n] = calloc(1, sizeof(struct group));
	if (s->g[s->n] == NULL)
		return NULL;
	s->g[s->n]->name = name;
	return s->g[s->n++];
}

/* Makes the list so long that it has that index. */
static int lengthen(struct group *g, long index)
{
	static const struct bt_buf none = BT_BUF_INIT;

	if (bt_grow(&g->number, &g->cap, (size_t)index + 1,
	            sizeof(*g->number)) != BT_OK)
		return BT_ENOMEM;
	while (g->n <= index)
		g->number[g->n++] = none;
	return BT_OK;
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

/* Puts a number into its place of the list. */
static int put_indexed(struct groups *s, const struct item *it,
                       struct bt_error *err)
{
	struct group *g = find(s, it->name, true);
	char *text = bt_strndup(it->value.p, it->value.n), *end;
	int r = BT_OK;

	if (g == NULL || text == NULL || lengthen(g, it->index) != BT_OK) {
		free(text);
		return bt_error_nomem(err, "reading assignments");
	}
	for (end = text + it->value.n; end > text && end[-1] == ' ';)
		*--end = '\0';
	bt_buf_reset(&g->number[it->index]);
	if (put_number(text, &g->number[it->index]) != BT_OK)
		r = bt_error_set(err, BT_EFORMAT,
		                 "%.*s[%ld]: '%.60s' is no number",
		                 (int)it->name.n, it->name.p, it->index, text);
	free(text);
	return r;
}

/* Adds the item to the group of its first name, under the rest. */
static int put_nested(struct groups *s, const struct item *it, size_t first,
                      struct bt_error *err)
{
	struct group *g = find(s, (struct bt_span){it->name.p, first}, false);

	if (g == NULL)
		return bt_error_nomem(err, "reading assignments");
	if (g->nested.len > 0)
		bt_buf_putc(&g->nested, ',');
	bt_buf_put(&g->nested, it->name.p + first + 1, it->name.n - first - 1);
	if (it->index >= 0)
		bt_buf_printf(&g->nested, "[%ld]", it->index);
	bt_buf_putc(&g->nested, '=');
	bt_buf_put(&g->nested, it->value.p, it->value.n);
	return g->nested.oom ? bt_error_nomem(err, "reading assignments")
	                     : BT_OK;
}

static void put_key(struct bt_span name, struct bt_buf *out)
{
	if (out->len > 0 && out->data[out->len - 1] != '{')
		bt_buf_puts(out, ", ");
	bt_buf_put(out, name.p, name.n);
	bt_buf_puts(out, ": ");
}

/* A value that begins so is quoted, for the sake of paths. */
static struct bt_span quote(struct bt_span v, struct bt_buf *to)
{
	if (v.n == 0 || memchr("gs:/", v.p[0], 4) == NULL)
		return v;
	bt_buf_putc(to, '\'');
	bt_buf_put(to, v.p, v.n);
	bt_buf_putc(to, '\'');
	return (struct bt_span){to->data, to->len};
}

static int put_item(struct item *it, struct groups *s, struct bt_buf *out,
                    struct bt_error *err)
{
	const char *dot = memchr(it->name.p, '.', it->name.n);
	struct bt_buf quoted = BT_BUF_INIT;
	int r = BT_OK;

	if (it->index >= 0 && dot == NULL)
		return put_indexed(s, it, err);
	it->value = quote(it->value, &quoted);
	if (dot != NULL) {
		r = put_nested(s, it, (size_t)(dot - it->name.p), err);
	} else {
		put_key(it->name, out);
		bt_buf_put(out, it->value.p, it->value.n);
	}
	if (quoted.oom)
		r = bt_error_nomem(err, "reading assignments");
	bt_buf_clear(&quoted);
	return r;
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
	out->oom |= inner.oom;
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
	int r = *text == '\0'
	            ? bt_error_set(err, BT_EFORMAT, "there is nothing in it")
	            : convert(bt_span(text), 0, out, err);

	if (r == BT_OK && bt_buf_str(out) == NULL)
		r = bt_error_nomem(err, "reading assignments");
	return r;
}
