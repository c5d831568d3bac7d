/* SPDX-License-Identifier: MIT */
#include "record/predicate.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/span.h"
#include "format/tf_example.h"

enum relation { EQUAL, LESS, AT_MOST, MORE, AT_LEAST };

struct condition {
	struct bt_span field;
	enum relation relation;
	const char *value;
	bool is_int, is_real;
	int64_t as_int;
	double as_real;
	bool seen; /* some record had the field */
	bool holds;
};

struct bt_predicate {
	struct condition *conditions;
	int n;
	bool any; /* there was a record */
	int64_t *ints;
	float *reals;
	size_t ints_cap, reals_cap;
};

static int parse(const char *text, struct condition *c, struct bt_error *err)
{
	const char *sign = strpbrk(text, "=<>");

	if (sign == NULL || sign == text)
		return bt_error_set(err, BT_EARG,
		                    "bad condition '%s': expected FIELD=VALUE, "
		                    "or <, <=, > or >= in place of =",
		                    text);
	c->field.p = text;
	c->field.n = (size_t)(sign - text);
	c->value = sign + 1;
	if (*sign != '=') {
		bool equal = *c->value == '=';

		c->relation = *sign == '<' ? (equal ? AT_MOST : LESS)
		                           : (equal ? AT_LEAST : MORE);
		c->value += equal;
	}
	c->is_int =
	    bt_parse_i64(c->value, INT64_MIN, INT64_MAX, &c->as_int) == BT_OK;
	c->is_real =
	    bt_parse_f64(c->value, -DBL_MAX, DBL_MAX, &c->as_real) == BT_OK;
	if (c->relation != EQUAL && !c->is_real)
		return bt_error_set(err, BT_EARG,
		                    "bad condition '%s': '%s' is not a number",
		                    text, c->value);
	return BT_OK;
}

int bt_predicate_new(const char *const *conditions, int n,
                     struct bt_predicate **res, struct bt_error *err)
{
	struct bt_predicate *w = bt_array0(1, sizeof(*w));
	int i, r = BT_OK;

	w->conditions = bt_array0((size_t)n, sizeof(*w->conditions));
	w->n = n;
	for (i = 0; i < n && r == BT_OK; i++)
		r = parse(conditions[i], &w->conditions[i], err);
	if (r == BT_OK)
		*res = w;
	else
		bt_predicate_free(w);
	return r;
}

void bt_predicate_free(struct bt_predicate *w)
{
	if (w == NULL)
		return;
	free(w->conditions);
	free(w->ints);
	free(w->reals);
	free(w);
}

static bool fits(enum relation relation, double a, double b)
{
	switch (relation) {
	case LESS:
		return a < b;
	case AT_MOST:
		return a <= b;
	case MORE:
		return a > b;
	case AT_LEAST:
		return a >= b;
	default:
		return a == b;
	}
}

/* 1 or 0, or an error; of numbers in texts an empty one is none. */
static int one_text_holds(const struct condition *c, const struct bt_feature *f,
                          struct bt_span s, struct bt_error *err)
{
	char text[64];
	double x;

	if (c->relation == EQUAL)
		return bt_span_equal(s, bt_span(c->value));
	if (s.n == 0)
		return 0;
	if (!bt_span_str(s, text, sizeof(text)) ||
	    bt_parse_f64(text, -DBL_MAX, DBL_MAX, &x) != BT_OK)
		return bt_error_set(err, BT_EFORMAT,
		                    "feature '%.*s' holds '%.*s', not a number",
		                    (int)f->name_len, f->name,
		                    (int)(s.n < 60 ? s.n : 60), s.p);
	return fits(c->relation, x, c->as_real);
}

static int text_holds(const struct condition *c, const struct bt_feature *f,
                      struct bt_error *err)
{
	struct bt_pb at = f->list;
	struct bt_span s;
	int r = 0, h = 0;

	while (h == 0 &&
	       (r = bt_feature_next_text(f, &at, &s.p, &s.n, err)) == 1)
		h = one_text_holds(c, f, s, err);
	return h != 0 ? h : r;
}

static bool int_holds(const struct condition *c, int64_t x)
{
	return c->is_int
	           ? fits(c->relation, (x > c->as_int) - (x < c->as_int), 0)
	           : fits(c->relation, (double)x, c->as_real);
}

static int one_holds(struct bt_predicate *w, const struct condition *c,
                     const struct bt_feature *f, struct bt_error *err)
{
	bool ints = f->kind == BT_FEATURE_INT64;
	size_t n, i;
	int r;

	if (f->kind == BT_FEATURE_NONE)
		return 0;
	if (f->kind == BT_FEATURE_BYTES)
		return text_holds(c, f, err);
	if (!c->is_int && !c->is_real)
		return bt_error_set(err, BT_EFORMAT,
		                    "feature '%.*s' holds numbers, and '%s' is "
		                    "none",
		                    (int)f->name_len, f->name, c->value);
	r = ints ? bt_feature_int64s(f, NULL, 0, &n, err)
	         : bt_feature_floats(f, NULL, 0, &n, err);
	if (r != BT_OK)
		return r;
	if (bt_grow(&w->ints, &w->ints_cap, n, sizeof(*w->ints)) ||
	    bt_grow(&w->reals, &w->reals_cap, n, sizeof(*w->reals)))
		return bt_error_nomem(err, "reading a feature");
	r = ints ? bt_feature_int64s(f, w->ints, n, &n, err)
	         : bt_feature_floats(f, w->reals, n, &n, err);
	for (i = 0; r == BT_OK && i < n; i++)
		/* the float nearest to VALUE: weight=.1 is meant to hold for
		 * .1f */
		if (ints ? int_holds(c, w->ints[i])
		         : fits(c->relation, (double)w->reals[i],
		                (double)(float)c->as_real))
			return 1;
	return r;
}

int bt_predicate_holds(struct bt_predicate *w, const void *data, size_t len,
                       struct bt_error *err)
{
	struct bt_example x;
	struct bt_feature f;
	struct bt_span name;
	int i, r, h;

	w->any = true;
	for (i = 0; i < w->n; i++)
		w->conditions[i].holds = false;
	bt_example_open(&x, data, len);
	while ((r = bt_example_next(&x, &f, err)) == 1) {
		name.p = f.name;
		name.n = f.name_len;
		for (i = 0; i < w->n; i++) {
			if (!bt_span_equal(name, w->conditions[i].field))
				continue;
			w->conditions[i].seen = true;
			h = one_holds(w, &w->conditions[i], &f, err);
			if (h < 0)
				return h;
			w->conditions[i].holds = h == 1;
		}
	}
	if (r != 0)
		return r;
	for (i = 0; i < w->n; i++)
		if (!w->conditions[i].holds)
			return 0;
	return 1;
}

int bt_predicate_end(const struct bt_predicate *w, struct bt_error *err)
{
	int i;

	for (i = 0; i < w->n && w->any; i++)
		if (!w->conditions[i].seen)
			return bt_error_set(err, BT_EFORMAT,
			                    "no record has the feature '%.*s'",
			                    (int)w->conditions[i].field.n,
			                    w->conditions[i].field.p);
	return BT_OK;
}
