/* SPDX-License-Identifier: MIT */
/* Files joined to a table: the columns of theirs that are wanted, kept by the
 * key of each row, in memory up to a limit and in a temporary file beyond. */
#ifndef BT_TABLE_JOIN_INT_H
#define BT_TABLE_JOIN_INT_H

#include "format/protobuf_wire.h"
#include "table/table_int.h"

/* Files with the same column of keys. */
struct bt_joined_table {
	const struct bt_table_join *first;
	size_t files;
	struct bt_span *names; /* [n] COLUMN.NAME, each once */
	size_t n, cap;
	size_t at; /* of the first of them, among all */
	struct bt_record_store *rows;
	struct bt_hash_index *index;
	struct bt_span key;  /* to be found */
	struct bt_pb values; /* of the row that was found */
};

struct bt_joins {
	struct bt_joined_table *join; /* [n] */
	size_t n, columns;
	struct bt_span *fields; /* of a row and all that is joined to it */
	size_t cap;
	struct bt_buf row;
};

/* What opts name of each joined table; *joins is NULL where nothing is joined.
 * BT_EARG for a table of which nothing is named. */
int bt_joins_new(const struct bt_table_opts *opts, struct bt_joins **joins,
                 struct bt_error *err) BT_MUST_USE;
void bt_joins_free(struct bt_joins *joins); /* takes NULL, as all of these */

/* The table that a file is of, or a part of. */
struct bt_joined_table *bt_joins_of_file(struct bt_joins *joins,
                                         const struct bt_table_join *file);

/* Reads the files. */
int bt_joins_read(struct bt_joins *joins, const struct bt_table_opts *opts,
                  struct bt_error *err) BT_MUST_USE;

/* The tables, each by the column that holds its keys. */
size_t bt_joins_count(const struct bt_joins *joins);
struct bt_span bt_joins_column(const struct bt_joins *joins, size_t i);

/* True if word is COLUMN.NAME of one of them; *at is its number among all. */
bool bt_joins_find(const struct bt_joins *joins, struct bt_span word,
                   size_t *at);
struct bt_span bt_joins_name(const struct bt_joins *joins, size_t at);

/* Puts the joined columns behind those of m's row. As bt_table_make. */
int bt_joins_look_up(struct bt_joins *joins, struct bt_table_maker *m,
                     struct bt_error *err) BT_MUST_USE;

/* Where opts leave the key of a joined file to be found: chooses one by the
 * first object of in, whose name is put into name, as opts' text. */
int bt_table_json_key(struct bt_in *in, struct bt_table_opts *opts,
                      struct bt_buf *name, struct bt_error *err) BT_MUST_USE;

#endif
