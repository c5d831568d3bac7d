/* SPDX-License-Identifier: MIT */
#include "recordset/strata.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/string_set.h"
#include "format/tf_example.h"
#include "record/feature.h"

struct value {
	struct bt_span text; /* the value, or the undecoded list of several */
	bool is_int, is_real;
	int64_t as_int;
	double as_real;
	uint32_t old; /* its number by first appearance */
};

static int by_text(const void *a, const void *b)
{
	return bt_span_compare(((const struct value *)a)->text,
	                       ((const struct value *)b)->text);
}

static int by_int(const void *a, const void *b)
{
	int64_t x = ((const struct value *)a)->as_int;
	int64_t y = ((const struct value *)b)->as_int;

	return x != y ? (x > y) - (x < y) : by_text(a, b);
}

static int by_real(const void *a, const void *b)
{
	double x = ((const struct value *)a)->as_real;
	double y = ((const struct value *)b)->as_real;

	return x != y ? (x > y) - (x < y) : by_text(a, b);
}

static void decode_text(const struct bt_feature *f, struct value *v)
{
	char number[64];
	struct bt_span s, more;
	struct bt_pb at = f->list;

	if (bt_feature_next_text(f, &at, &s.p, &s.n, NULL) != 1 ||
	    bt_feature_next_text(f, &at, &more.p, &more.n, NULL) != 0)
		return;
	v->text = s;
	if (!bt_span_str(s, number, sizeof(number)))
		return;
	v->is_int =
	    bt_parse_i64(number, INT64_MIN, INT64_MAX, &v->as_int) == BT_OK;
	v->is_real =
	    bt_parse_f64(number, -DBL_MAX, DBL_MAX, &v->as_real) == BT_OK;
}

static void decode(struct bt_span raw, enum bt_feature_kind kind,
                   struct value *v)
{
	struct bt_feature f = {.kind = kind};
	float real;
	size_t n;

	f.list.p = (const uint8_t *)raw.p;
	f.list.end = f.list.p + raw.n;
	v->text = raw;
	v->is_int = v->is_real = false;
	if (kind == BT_FEATURE_BYTES) {
		decode_text(&f, v);
	} else if (kind == BT_FEATURE_INT64) {
		v->is_int =
		    bt_feature_int64s(&f, &v->as_int, 1, &n, NULL) == BT_OK &&
		    n == 1;
		v->is_real = v->is_int;
		v->as_real = v->is_int ? (double)v->as_int : 0;
	} else if (kind == BT_FEATURE_FLOAT) {
		v->is_real =
		    bt_feature_floats(&f, &real, 1, &n, NULL) == BT_OK &&
		    n == 1 && real == real;
		v->as_real = v->is_real ? (double)real : 0;
	}
}

/* rank[k]: place of value k among the sorted ones. */
static int rank_values(const struct bt_string_set *values,
                       const enum bt_feature_kind *kind, uint32_t *rank)
{
	size_t n = bt_string_set_count(values), i;
	struct value *v = bt_array(n, sizeof(*v));
	bool ints = true, reals = true;

	if (v == NULL)
		return BT_ENOMEM;
	for (i = 0; i < n; i++) {
		decode(bt_string_set_get(values, i), kind[i], &v[i]);
		v[i].old = (uint32_t)i;
		ints = ints && v[i].is_int;
		reals = reals && v[i].is_real;
	}
	if (n > 1)
		qsort(v, n, sizeof(*v),
		      ints    ? by_int
		      : reals ? by_real
		              : by_text);
	for (i = 0; i < n; i++)
		rank[v[i].old] = (uint32_t)i;
	free(v);
	return BT_OK;
}

struct bt_strata {
	const char *field;
	struct bt_string_set *values; /* by first appearance */
	enum bt_feature_kind *kind;   /* of each */
	size_t cap;
	struct bt_bitpack of; /* of each record: the number of its value */
};

struct bt_strata *bt_strata_new(const char *field)
{
	struct bt_strata *c = bt_array0(1, sizeof(*c));

	c->values = bt_string_set_new();
	c->field = field;
	return c;
}

void bt_strata_free(struct bt_strata *c)
{
	if (c == NULL)
		return;
	bt_string_set_free(c->values);
	bt_bitpack_clear(&c->of);
	free(c->kind);
	free(c);
}

int bt_strata_add(struct bt_strata *c, const void *data, size_t len,
                  struct bt_error *err)
{
	enum bt_feature_kind kind;
	struct bt_span value;
	size_t k, before = bt_string_set_count(c->values);
	int r = bt_record_feature_find(data, len, c->field, &value, &kind, err);

	if (r == 0)
		return bt_error_set(err, BT_EFORMAT, "has no feature '%s'",
		                    c->field);
	if (r < 0)
		return r;
	if (c->of.n == UINT32_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "more than %zu records to arrange",
		                    c->of.n);
	if (bt_string_set_add(c->values, value, &k) != BT_OK ||
	    bt_grow(&c->kind, &c->cap, k + 1, sizeof(*c->kind)) != BT_OK ||
	    bt_bitpack_add(&c->of, (uint32_t)k) != BT_OK)
		return bt_error_nomem(err, "splitting");
	if (k == before)
		c->kind[k] = kind;
	return BT_OK;
}

int bt_strata_end(struct bt_strata *c, bool sorted,
                  const struct bt_bitpack **class, uint32_t *n,
                  struct bt_error *err)
{
	uint32_t *rank = NULL;
	size_t i;

	*n = (uint32_t)bt_string_set_count(c->values);
	if (sorted) {
		rank = bt_array(*n, sizeof(*rank));
		if (rank == NULL || rank_values(c->values, c->kind, rank)) {
			free(rank);
			return bt_error_nomem(err, "splitting");
		}
		for (i = 0; i < c->of.n; i++)
			bt_bitpack_set(&c->of, i,
			               rank[bt_bitpack_get(&c->of, i)]);
		free(rank);
	}
	*class = &c->of;
	return BT_OK;
}
