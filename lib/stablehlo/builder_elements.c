/* SPDX-License-Identifier: MIT */
/* Constants, and operations element by element. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stablehlo/builder_int.h"

/* A constant of what text says. */
static int constant(struct bt_hlo *b, struct bt_buf *text,
                    const struct bt_hlo_shape *s)
{
	int y = bt_hlo_begin(b, "stablehlo.constant", NULL, 0, s);

	if (y != BT_HLO_NONE) {
		bt_buf_puts(&b->body, " <{value = dense<");
		bt_buf_put(&b->body, bt_buf_at(text, 0), text->len);
		bt_buf_puts(&b->body, "> : ");
		bt_hlo_put_shape(&b->body, s);
		bt_buf_puts(&b->body, "}>");
		bt_hlo_end(b, NULL, 0, y);
		b->body.oom |= text->oom;
	}
	bt_buf_clear(text);
	return y;
}

int bt_hlo_splat(struct bt_hlo *b, struct bt_hlo_shape s, double v)
{
	struct bt_buf text = BT_BUF_INIT;

	if (s.type == BT_HLO_BOOL)
		bt_buf_puts(&text, v != 0 ? "true" : "false");
	else if (s.type == BT_HLO_I32)
		bt_buf_printf(&text, "%" PRId32, (int32_t)v);
	else if (s.type == BT_HLO_U32 || s.type == BT_HLO_U64)
		bt_buf_printf(&text, "%" PRIu64, (uint64_t)v);
	else
		bt_buf_printf(&text, "%.9e", v);
	return constant(b, &text, &s);
}

int bt_hlo_ints(struct bt_hlo *b, const int32_t *v, int64_t n)
{
	struct bt_hlo_shape s = bt_hlo_vector(BT_HLO_I32, n);
	struct bt_buf text = BT_BUF_INIT;
	int64_t i;

	bt_buf_putc(&text, '[');
	for (i = 0; i < n; i++)
		bt_buf_printf(&text, "%s%" PRId32, i > 0 ? ", " : "", v[i]);
	bt_buf_putc(&text, ']');
	return constant(b, &text, &s);
}

int bt_hlo_floats(struct bt_hlo *b, const float *v, int64_t n)
{
	struct bt_hlo_shape s = bt_hlo_vector(BT_HLO_F32, n);
	struct bt_buf text = BT_BUF_INIT;
	int64_t i;

	bt_buf_putc(&text, '[');
	for (i = 0; i < n; i++)
		bt_buf_printf(&text, "%s%.9e", i > 0 ? ", " : "", (double)v[i]);
	bt_buf_putc(&text, ']');
	return constant(b, &text, &s);
}

int bt_hlo_iota(struct bt_hlo *b, struct bt_hlo_shape s, int dim)
{
	char text[60];

	snprintf(text, sizeof(text), "iota_dimension = %d : i64", dim);
	return bt_hlo_op(b, "iota", text, NULL, 0, &s);
}

int bt_hlo_unary(struct bt_hlo *b, const char *op, int x)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);

	if (!bt_hlo_usable(b, op, &x, 1))
		return BT_HLO_NONE;
	return bt_hlo_op(b, op, NULL, &x, 1, &s);
}

int bt_hlo_once(struct bt_hlo *b, int x)
{
	return bt_hlo_unary(b, "optimization_barrier", x);
}

int bt_hlo_binary(struct bt_hlo *b, const char *op, int x, int y)
{
	const int in[] = {x, y};
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);
	struct bt_hlo_shape t = bt_hlo_shape_of(b, y);

	if (!bt_hlo_usable(b, op, in, 2))
		return BT_HLO_NONE;
	if (!bt_hlo_same_shape(&s, &t))
		return bt_hlo_misfit(b, op, in, 2);
	return bt_hlo_op(b, op, NULL, in, 2, &s);
}

int bt_hlo_with(struct bt_hlo *b, const char *op, int x, double v)
{
	return bt_hlo_binary(b, op, x,
	                     bt_hlo_splat(b, bt_hlo_shape_of(b, x), v));
}

int bt_hlo_convert(struct bt_hlo *b, int x, enum bt_hlo_type type)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);

	if (!bt_hlo_usable(b, "convert", &x, 1) || s.type == type)
		return x;
	s.type = type;
	return bt_hlo_op(b, "convert", NULL, &x, 1, &s);
}

int bt_hlo_compare(struct bt_hlo *b, const char *direction, int x, int y)
{
	const int in[] = {x, y};
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);
	struct bt_hlo_shape t = bt_hlo_shape_of(b, y);
	char text[200];

	if (!bt_hlo_usable(b, "compare", in, 2))
		return BT_HLO_NONE;
	if (!bt_hlo_same_shape(&s, &t) || s.type == BT_HLO_BOOL)
		return bt_hlo_misfit(b, "compare", in, 2);
	snprintf(text, sizeof(text),
	         "comparison_direction = #stablehlo<comparison_direction %s>, "
	         "compare_type = #stablehlo<comparison_type %s>",
	         direction,
	         s.type == BT_HLO_I32                           ? "SIGNED"
	         : s.type == BT_HLO_U32 || s.type == BT_HLO_U64 ? "UNSIGNED"
	                                                        : "FLOAT");
	s.type = BT_HLO_BOOL;
	return bt_hlo_op(b, "compare", text, in, 2, &s);
}

int bt_hlo_compare_with(struct bt_hlo *b, const char *direction, int x,
                        double v)
{
	return bt_hlo_compare(b, direction, x,
	                      bt_hlo_splat(b, bt_hlo_shape_of(b, x), v));
}

int bt_hlo_select(struct bt_hlo *b, int where, int x, int y)
{
	const int in[] = {where, x, y};
	struct bt_hlo_shape w = bt_hlo_shape_of(b, where);
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);
	struct bt_hlo_shape t = bt_hlo_shape_of(b, y);

	if (!bt_hlo_usable(b, "select", in, 3))
		return BT_HLO_NONE;
	t.type = w.type == BT_HLO_BOOL && t.type == s.type ? BT_HLO_BOOL
	                                                   : BT_HLO_TYPES;
	if (!bt_hlo_same_shape(&w, &t) ||
	    memcmp(s.dim, t.dim, (size_t)t.rank * sizeof(t.dim[0])) != 0 ||
	    s.rank != t.rank)
		return bt_hlo_misfit(b, "select", in, 3);
	return bt_hlo_op(b, "select", NULL, in, 3, &s);
}
