/* SPDX-License-Identifier: MIT */
/*
 * The values of one column, row group by row group: pages are read and
 * decompressed one at a time, with every size checked against the file and
 * against what the compression can do.
 */
#ifndef BT_PARQUET_COLUMN_H
#define BT_PARQUET_COLUMN_H

#include "io/random_access.h"
#include "parquet/values.h"

/* A value of a row, or the place of one that is not there. */
struct bt_parquet_entry {
	unsigned rep, def;
	struct bt_span value; /* p NULL: there is none */
};

struct bt_parquet_column {
	struct bt_random_access *file;
	const struct bt_parquet_node *node;
	const struct bt_parquet_chunk *chunk;

	uint64_t at;      /* of the next page in the file */
	uint64_t left;    /* values of the chunk behind the page */
	uint64_t on_page; /* values left on the page */
	struct bt_parquet_rle rep, def;
	unsigned next_rep; /* of the next value, where it was looked at: */
	bool looked;
	struct bt_parquet_values values;
	struct bt_parquet_dictionary dictionary;
	struct bt_buf page;       /* decompressed */
	struct bt_buf file_bytes; /* of the file from file_at on */
	uint64_t file_at;

	/* the row: its entries, whose values are in bytes where it is a list */
	struct bt_parquet_entry *row;
	size_t n, cap;
	struct bt_buf bytes;
	bool large; /* it has more than max bytes, and lacks some */
	size_t max;
};

/* Begins with the first row of a chunk. Keeps the memory of c; file, node and
 * max are set. */
int bt_parquet_column_begin(struct bt_parquet_column *c,
                            const struct bt_parquet_chunk *chunk,
                            struct bt_error *err) BT_MUST_USE;
void bt_parquet_column_clear(struct bt_parquet_column *c);

/* The next row, borrowed until the next call. One behind the last value is
 * BT_ECORRUPT. */
int bt_parquet_column_next(struct bt_parquet_column *c,
                           struct bt_error *err) BT_MUST_USE;

/* Behind the last row: BT_ECORRUPT where there are further values. */
int bt_parquet_column_end(const struct bt_parquet_column *c,
                          struct bt_error *err) BT_MUST_USE;

#endif
