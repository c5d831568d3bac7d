/* SPDX-License-Identifier: MIT */
#include "stablehlo/builder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stablehlo/builder_int.h"

void bt_hlo_init(struct bt_hlo *b, struct bt_error *err)
{
	memset(b, 0, sizeof(*b));
	b->err = err;
}

void bt_hlo_clear(struct bt_hlo *b)
{
	bt_buf_clear(&b->body);
	free(b->values);
	memset(b, 0, sizeof(*b));
}

int bt_hlo_failed(const struct bt_hlo *b)
{
	if (b->body.oom)
		return bt_error_nomem(b->err, "writing a program");
	if (!b->failed)
		return BT_OK;
	return b->err != NULL && b->err->code != BT_OK ? b->err->code : BT_EARG;
}

int bt_hlo_fail(struct bt_hlo *b, int code, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	if (b->failed)
		return BT_HLO_NONE;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	b->failed = true;
	bt_error_set(b->err, code, "%s", text);
	return BT_HLO_NONE;
}

const char *bt_hlo_type_name(enum bt_hlo_type type)
{
	static const char *const names[BT_HLO_TYPES] = {
	    [BT_HLO_F32] = "f32",  [BT_HLO_BF16] = "bf16", [BT_HLO_I32] = "i32",
	    [BT_HLO_U32] = "ui32", [BT_HLO_U64] = "ui64",  [BT_HLO_BOOL] = "i1",
	};

	return names[type];
}

void bt_hlo_put_shape(struct bt_buf *out, const struct bt_hlo_shape *s)
{
	int i;

	bt_buf_puts(out, "tensor<");
	for (i = 0; i < s->rank; i++)
		bt_buf_printf(out, "%" PRId64 "x", s->dim[i]);
	bt_buf_printf(out, "%s>", bt_hlo_type_name(s->type));
}

void bt_hlo_put_value(struct bt_buf *out, const struct bt_hlo *b, int x)
{
	if (b->values[x].argument >= 0)
		bt_buf_printf(out, "%%arg%d", b->values[x].argument);
	else
		bt_buf_printf(out, "%%%d", x);
}

bool bt_hlo_same_shape(const struct bt_hlo_shape *a,
                       const struct bt_hlo_shape *b)
{
	return a->type == b->type && a->rank == b->rank &&
	       memcmp(a->dim, b->dim, (size_t)a->rank * sizeof(a->dim[0])) == 0;
}

struct bt_hlo_shape bt_hlo_shape_of(const struct bt_hlo *b, int x)
{
	struct bt_hlo_shape none = {.type = BT_HLO_F32};

	return b->failed || x < 0 || x >= b->n ? none : b->values[x].shape;
}

int64_t bt_hlo_dim(const struct bt_hlo *b, int x, int dim)
{
	struct bt_hlo_shape s = bt_hlo_shape_of(b, x);

	return dim < s.rank ? s.dim[dim] : 1;
}

static int value(struct bt_hlo *b, const struct bt_hlo_shape *s, int argument)
{
	if (b->failed)
		return BT_HLO_NONE;
	if (bt_grow(&b->values, &b->cap, (size_t)b->n + 1,
	            sizeof(*b->values)) != BT_OK) {
		b->failed = true;
		bt_error_nomem(b->err, "writing a program");
		return BT_HLO_NONE;
	}
	b->values[b->n] = (struct bt_hlo_value){*s, argument};
	return b->n++;
}

int bt_hlo_argument(struct bt_hlo *b, const struct bt_hlo_shape *s)
{
	return value(b, s, b->n_arguments++);
}

bool bt_hlo_usable(struct bt_hlo *b, const char *op, const int *x, int n)
{
	int i;

	for (i = 0; i < n && !b->failed; i++)
		if (x[i] < 0 || x[i] >= b->n)
			bt_hlo_misfit(b, op, x, 0);
	return !b->failed;
}

int bt_hlo_misfit(struct bt_hlo *b, const char *op, const int *x, int n)
{
	struct bt_buf s = BT_BUF_INIT;
	const char *text;
	int i;

	for (i = 0; i < n; i++) {
		bt_buf_puts(&s, i > 0 ? ", " : " of ");
		bt_hlo_put_shape(&s, &b->values[x[i]].shape);
	}
	text = bt_buf_str(&s);
	bt_hlo_fail(b, BT_EARG, "a device's program cannot be written: %s%s",
	            op, text != NULL ? text : "");
	bt_buf_clear(&s);
	return BT_HLO_NONE;
}

/* %3 = "stablehlo.add"(%1, %2) */
int bt_hlo_begin(struct bt_hlo *b, const char *op, const int *x, int n,
                 const struct bt_hlo_shape *result)
{
	int i, y = value(b, result, -1);

	if (y == BT_HLO_NONE)
		return y;
	bt_buf_printf(&b->body, "    %%%d = \"%s\"(", y, op);
	for (i = 0; i < n; i++) {
		bt_buf_puts(&b->body, i > 0 ? ", " : "");
		bt_hlo_put_value(&b->body, b, x[i]);
	}
	bt_buf_putc(&b->body, ')');
	return y;
}

/* : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> */
void bt_hlo_end(struct bt_hlo *b, const int *x, int n, int y)
{
	int i;

	bt_buf_puts(&b->body, " : (");
	for (i = 0; i < n; i++) {
		bt_buf_puts(&b->body, i > 0 ? ", " : "");
		bt_hlo_put_shape(&b->body, &b->values[x[i]].shape);
	}
	bt_buf_puts(&b->body, ") -> ");
	bt_hlo_put_shape(&b->body, &b->values[y].shape);
	bt_buf_putc(&b->body, '\n');
}

int bt_hlo_op(struct bt_hlo *b, const char *op, const char *properties,
              const int *x, int n, const struct bt_hlo_shape *result)
{
	char name[60];
	int y;

	snprintf(name, sizeof(name), "%s%s",
	         strchr(op, '.') == NULL ? "stablehlo." : "", op);
	y = bt_hlo_begin(b, name, x, n, result);
	if (y == BT_HLO_NONE)
		return y;
	if (properties != NULL)
		bt_buf_printf(&b->body, " <{%s}>", properties);
	bt_hlo_end(b, x, n, y);
	return y;
}

/* "array<i64: 1, 2>"; of no numbers "array<i64>". */
void bt_hlo_put_array(struct bt_buf *out, const int64_t *v, int n)
{
	int i;

	bt_buf_puts(out, "array<i64");
	for (i = 0; i < n; i++)
		bt_buf_printf(out, "%s%" PRId64, i > 0 ? ", " : ": ", v[i]);
	bt_buf_putc(out, '>');
}
