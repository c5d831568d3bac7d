/* SPDX-License-Identifier: MIT */
#include "tensorstream/aligned.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int bt_aligned_open(char *const *paths, size_t n, size_t limit,
                    struct bt_aligned *t, struct bt_error *err)
{
	int r = BT_OK;

	memset(t, 0, sizeof(*t));
	t->side = bt_array0(n, sizeof(*t->side));
	for (; t->n_sides < n && r == BT_OK; t->n_sides++)
		r = bt_ts_reader_open(paths != NULL ? paths[t->n_sides] : NULL,
		                      limit, &t->side[t->n_sides].in, err);
	if (r != BT_OK)
		bt_aligned_close(t);
	return r;
}

void bt_aligned_close(struct bt_aligned *t)
{
	size_t i;

	for (i = 0; i < t->n_sides; i++)
		bt_ts_reader_close(t->side[i].in);
	free(t->side);
	memset(t, 0, sizeof(*t));
}

/* Makes the side's rows those behind the ones that were passed. */
static int load(struct bt_side *s, struct bt_error *err)
{
	const struct bt_ckpt *c;
	int r;

	while (!s->end && (!s->loaded || s->at == s->f.rows)) {
		r = bt_ts_reader_next(s->in, &c, err);
		if (r < 0)
			return r;
		s->end = r == 0;
		s->loaded = true;
		s->at = 0;
		if (r == 1 && bt_frame_of(c, &s->f, err) != BT_OK)
			return bt_ts_reader_prefix(s->in, err);
	}
	return BT_OK;
}

/* Says in what side k differs from the first. */
BT_PRINTF(4, 5)
static int disagree(struct bt_aligned *t, size_t k, struct bt_error *err,
                    const char *fmt, ...)
{
	char why[300];
	va_list ap;

	t->disagrees = true;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return bt_error_set(err, BT_EFORMAT, "%s differs from %s: %s",
	                    bt_ts_reader_name(t->side[k].in),
	                    bt_ts_reader_name(t->side[0].in), why);
}

static int check_row(struct bt_aligned *t, size_t k, const struct bt_tensor *a,
                     struct bt_error *err)
{
	const struct bt_frame *f = &t->side[0].f, *g = &t->side[k].f;
	const struct bt_tensor *b = bt_frame_find(g, a->name);
	bool whole = f->whole;

	if (b == NULL)
		return disagree(t, k, err, "it has no tensor '%.100s'",
		                a->name);
	if (a->dtype != b->dtype &&
	    !(bt_dtype_is_real(a->dtype) && bt_dtype_is_real(b->dtype)))
		return disagree(t, k, err, "tensor '%.100s' is %s, not %s",
		                a->name, bt_dtype_name(b->dtype),
		                bt_dtype_name(a->dtype));
	if (a->rank != b->rank ||
	    memcmp(a->shape + !whole, b->shape + !whole,
	           (size_t)(a->rank - !whole) * sizeof(*a->shape)) != 0)
		return disagree(t, k, err,
		                "rows of tensor '%.100s' have another shape, "
		                "%zu values and not %zu",
		                a->name, bt_frame_row_count(g, b),
		                bt_frame_row_count(f, a));
	return BT_OK;
}

static int check_labels(struct bt_aligned *t, size_t k, struct bt_error *err)
{
	const struct bt_frame *f = &t->side[0].f, *g = &t->side[k].f;
	const char *a = bt_frame_note(f, BT_FRAME_LABELS);
	const char *b = bt_frame_note(g, BT_FRAME_LABELS);
	json_t *l, *m;
	size_t i;
	int r = BT_OK;

	if (a == b || (a != NULL && b != NULL && strcmp(a, b) == 0))
		return BT_OK;
	l = bt_frame_labels(f);
	m = bt_frame_labels(g);
	for (i = 0; i <= json_array_size(l) || i <= json_array_size(m); i++) {
		a = json_string_value(json_array_get(l, i));
		b = json_string_value(json_array_get(m, i));
		if (a == b || (a != NULL && b != NULL && strcmp(a, b) == 0))
			continue;
		r = disagree(t, k, err, "its class %zu is '%.80s', not '%.80s'",
		             i, b != NULL ? b : "", a != NULL ? a : "");
		break;
	}
	json_decref(l);
	json_decref(m);
	return r;
}

/* Side k against the first. */
static int check(struct bt_aligned *t, size_t k, struct bt_error *err)
{
	const struct bt_side *s = &t->side[0], *o = &t->side[k];
	const struct bt_frame *f = &s->f, *g = &o->f;
	struct bt_span a, b;
	size_t i;
	int r = BT_OK;

	if ((f->id == NULL) != (g->id == NULL))
		return disagree(t, k, err, "one of them has ids");
	for (i = 0; i < t->n && f->id != NULL; i++) {
		a = bt_frame_id(f, s->at + i);
		b = bt_frame_id(g, o->at + i);
		if (!bt_span_equal(a, b))
			return disagree(t, k, err,
			                "row %llu has the id '%.*s', not "
			                "'%.*s'",
			                (unsigned long long)(t->rows + i + 1),
			                (int)(b.n < 80 ? b.n : 80), b.p,
			                (int)(a.n < 80 ? a.n : 80), a.p);
	}
	if (f->whole != g->whole)
		return disagree(t, k, err, "one of them has no rows");
	for (i = 0; i < f->s.count && r == BT_OK; i++)
		if (bt_frame_is_value(f, &f->s.tensors[i]))
			r = check_row(t, k, &f->s.tensors[i], err);
	for (i = 0; i < g->s.count && r == BT_OK; i++)
		if (bt_frame_find(f, g->s.tensors[i].name) == NULL)
			r = disagree(t, k, err, "it has a tensor '%.100s'",
			             g->s.tensors[i].name);
	return r == BT_OK ? check_labels(t, k, err) : r;
}

int bt_aligned_next(struct bt_aligned *t, struct bt_error *err)
{
	size_t k, left;
	int r = BT_OK;

	t->rows += t->n;
	for (k = 0; k < t->n_sides; k++)
		t->side[k].at += t->n;
	t->n = 0;
	for (k = 0; k < t->n_sides; k++) {
		r = load(&t->side[k], err);
		if (r != BT_OK)
			return r;
		if (t->side[k].end != t->side[0].end)
			return disagree(t, k, err,
			                "only one of them ends behind row %llu",
			                (unsigned long long)t->rows);
		left = t->side[k].f.rows - t->side[k].at;
		if (k == 0 || left < t->n)
			t->n = left;
	}
	if (t->side[0].end) {
		t->n = 0;
		return 0;
	}
	for (k = 1; k < t->n_sides && r == BT_OK; k++)
		r = check(t, k, err);
	return r == BT_OK ? 1 : r;
}
