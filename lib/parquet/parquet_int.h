/* SPDX-License-Identifier: MIT */
/* A Parquet file that is read, and its row as JSON. */
#ifndef BT_PARQUET_PARQUET_INT_H
#define BT_PARQUET_PARQUET_INT_H

#include "parquet/column.h"
#include "parquet/parquet.h"

struct bt_parquet {
	struct bt_random_access *file;
	struct bt_parquet_schema schema;
	struct bt_span *names;             /* [n_leaves] */
	struct bt_span *fields;            /* [n_leaves] of the row */
	struct bt_parquet_column **column; /* [n_leaves]; NULL: not wanted */
	size_t *wanted;                    /* [n_wanted] leaves */
	size_t n_wanted;
	size_t *at;         /* [n_wanted] of its text in text; SIZE_MAX: not */
	struct bt_buf text; /* of fields that are not as they are stored */
	size_t max;
	struct bt_in_limit *limit;

	size_t group;    /* from 1 on; 0: before the first */
	uint64_t left;   /* rows of it */
	uint64_t before; /* bytes of earlier groups */
	uint64_t row;    /* from 1 on */
	bool end;        /* behind the last row */
	enum bt_parquet_fault fault;

	/* while an object is made: entries of each wanted column that were
	 * used, by leaf */
	size_t *used; /* [n_leaves] */
	bool lenient; /* what is not UTF-8, or no class, is replaced */
};

/* The row as an object. An error is one of the row alone if p->fault says so.
 */
int bt_parquet_make_object(struct bt_parquet *p, bool lenient, json_t **object,
                           struct bt_error *err) BT_MUST_USE;

/* Why a value of a leaf is bad. */
int bt_parquet_bad_value(struct bt_parquet *p, size_t leaf,
                         enum bt_parquet_fault fault, struct bt_error *err);

#endif
