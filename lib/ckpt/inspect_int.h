/* SPDX-License-Identifier: MIT */
/* What the parts of inspect.h share. */
#ifndef BT_CKPT_INSPECT_INT_H
#define BT_CKPT_INSPECT_INT_H

#include <jansson.h>

#include "ckpt/inspect.h"

/*
 * A table whose columns are as wide as their widest cell, within reason. Cells
 * are appended from left to right, row by row.
 */
struct bt_inspect_table {
	const char *align; /* 'l' or 'r' for each column */
	struct bt_buf text;
	size_t cells;
};

#define BT_INSPECT_TABLE_INIT(align)                                           \
	{                                                                      \
		align, BT_BUF_INIT, 0                                          \
	}

/* The text of a cell may be put together in t->text before its end. */
void bt_inspect_table_end(struct bt_inspect_table *t);
void bt_inspect_table_cell(struct bt_inspect_table *t, const char *fmt, ...)
    BT_PRINTF(2, 3);

/* A number, "-" for NaN. */
void bt_inspect_table_number(struct bt_inspect_table *t, double v);

/* Appends the lines to b and frees the table. */
void bt_inspect_table_show(struct bt_inspect_table *t, struct bt_buf *b);

/* s with all control characters spelled out. */
void bt_inspect_name(struct bt_buf *b, const char *s);

/* "[2,3]" */
void bt_inspect_shape(struct bt_buf *b, const struct bt_tensor *t);

struct bt_inspect_totals {
	size_t tensors, parameters, bytes;
};

/* Of the tensors of v, or of those of type dtype where it is below
 * BT_DTYPES. */
struct bt_inspect_totals bt_inspect_totals(const struct bt_inspect_view *v,
                                           enum bt_dtype dtype);
void bt_inspect_totals_line(struct bt_buf *b,
                            const struct bt_inspect_totals *t);

/* Appends v as one line without a newline, and lets go of it. NULL, which
 * jansson gives when memory runs out, sets b->oom. */
void bt_inspect_json(struct bt_buf *b, json_t *v);

json_t *bt_inspect_shape_json(const struct bt_tensor *t);
json_t *bt_inspect_text_json(const char *s); /* null where not UTF-8: a path */

#endif
