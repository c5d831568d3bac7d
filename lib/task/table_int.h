/* SPDX-License-Identifier: MIT */
/* Columns of a table: from what the user says to positions in a row. */
#ifndef BT_TASK_TABLE_INT_H
#define BT_TASK_TABLE_INT_H

#include "base/buf.h"
#include "task/table.h"

/* The header of a file, its names in UTF-8. */
struct bt_table_header {
	const char *file;      /* for messages; borrowed */
	struct bt_span *names; /* [n], NULL without a header */
	size_t n;
	struct bt_buf bytes; /* of the names */
};

/* The header of csv, whose width must be known. It is cleared by the caller in
 * any case. */
int bt_table_header_init(struct bt_table_header *h, const struct bt_csv *csv,
                         enum bt_charset set, struct bt_error *err) BT_MUST_USE;
void bt_table_header_clear(struct bt_table_header *h);

/* For messages: 'name', cut if it is long, control characters as question
 * marks; "its columns are 'a', 'b'"; and a hint at why word is not among them,
 * if there is one: a similar name, or a delimiter within the only name. */
void bt_table_put_name(struct bt_buf *b, struct bt_span name);
void bt_table_put_names(struct bt_buf *b, const struct bt_table_header *h);
void bt_table_put_hint(struct bt_buf *b, const struct bt_table_header *h,
                       struct bt_span word);

#define BT_TABLE_ABSENT SIZE_MAX

struct bt_table_columns {
	size_t *text; /* [n_text] */
	size_t n_text;
	size_t pair, label, id; /* or BT_TABLE_ABSENT */
};

/* Looks up the columns that opts want in csv, whose width must be known. On
 * success *columns must be cleared. */
int bt_table_columns_find(const struct bt_table_opts *opts,
                          const struct bt_csv *csv,
                          struct bt_table_columns *columns,
                          struct bt_error *err) BT_MUST_USE;
void bt_table_columns_clear(struct bt_table_columns *columns);

#endif
