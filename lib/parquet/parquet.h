/* SPDX-License-Identifier: MIT */
/*
 * Rows of a Parquet file, as texts like those of CSV or as JSON objects. Only
 * the columns that are wanted are read, page by page, one row group after the
 * other: a page, a dictionary and a row of each are in memory.
 * https://github.com/apache/parquet-format
 *
 * A column is a leaf of the file's tree of columns, with dots in the name of
 * one that is a member of another ("answers.text"). One in a list has a list of
 * values in each row. One thread at a time.
 */
#ifndef BT_PARQUET_PARQUET_H
#define BT_PARQUET_PARQUET_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "base/string_set.h"
#include "io/in.h"

struct bt_parquet;

/* What is wrong with a row, behind which reading can go on. */
enum bt_parquet_fault {
	BT_PARQUET_FINE,
	BT_PARQUET_NUL,     /* a NUL in a text */
	BT_PARQUET_NESTED,  /* a null in a list */
	BT_PARQUET_LARGE,   /* beyond the limit */
	BT_PARQUET_CLASS,   /* a number that is not of a class */
	BT_PARQUET_CHARSET, /* not UTF-8, of an object */
	BT_PARQUET_DECIMAL  /* a decimal number that is too long */
};

/* Whether an input, of which nothing was consumed, begins as Parquet does: 1 or
 * 0, or an error. */
int bt_parquet_begins(struct bt_in *in, struct bt_error *err) BT_MUST_USE;

/*
 * Takes over such an input, whatever is returned, and reads the footer. What
 * comes through a pipe goes to a temporary store first. max is the most bytes
 * of a value or of a row's list; limit, which is borrowed, on the bytes of all
 * values that are read, or NULL.
 */
int bt_parquet_open(struct bt_in *in, size_t max, struct bt_in_limit *limit,
                    struct bt_parquet **parquet,
                    struct bt_error *err) BT_MUST_USE;
void bt_parquet_close(struct bt_parquet *p); /* takes NULL */

/* The columns: their number and names. */
size_t bt_parquet_width(const struct bt_parquet *p);
const struct bt_span *bt_parquet_names(const struct bt_parquet *p);
/* In how many lists a column's values are. */
unsigned bt_parquet_lists(const struct bt_parquet *p, size_t i);
/* The names of the classes whose numbers it holds, or NULL. */
const struct bt_string_set *bt_parquet_classes(const struct bt_parquet *p,
                                               size_t i);

/* Whether it holds numbers, without names. */
bool bt_parquet_has_numbers(const struct bt_parquet *p, size_t i);

/* Before the first row: column i is wanted. BT_EFORMAT for a type that is not
 * read. */
int bt_parquet_want(struct bt_parquet *p, size_t i,
                    struct bt_error *err) BT_MUST_USE;
/* The same of all columns of that name, or in it. 1; 0: there are none. */
int bt_parquet_want_all(struct bt_parquet *p, const char *name,
                        struct bt_error *err) BT_MUST_USE;

/*
 * 1: fields[i] is the text of column i, where it is wanted, p NULL for null,
 * borrowed until the next call: texts as they are, names of classes, numbers
 * and times as Python writes them, "true" and "false". A list is a NUL, and
 * each value with a NUL behind it. 0: no more; else an error. If
 * bt_parquet_fault is not BT_PARQUET_FINE then, the row is bad, and the text is
 * as that of bt_csv_next: "record 3 (row group 1): ...".
 */
int bt_parquet_next(struct bt_parquet *p, const struct bt_span **fields,
                    struct bt_error *err) BT_MUST_USE;

/* The same with the row as a JSON object of the wanted columns, which the
 * caller json_decref()s: lists, and objects for columns in columns. */
int bt_parquet_next_object(struct bt_parquet *p, json_t **object,
                           struct bt_error *err) BT_MUST_USE;

/* Of the last row, as their namesakes in format/csv.h. */
enum bt_parquet_fault bt_parquet_fault(const struct bt_parquet *p);
int bt_parquet_blame(const struct bt_parquet *p, struct bt_error *err);
uint64_t bt_parquet_row(const struct bt_parquet *p);

/* Appends the last row as one line of JSON, without a line end; what is not
 * UTF-8 in it is replaced. */
void bt_parquet_put_row(struct bt_parquet *p, struct bt_buf *b);

const char *bt_parquet_name(const struct bt_parquet *p);

/* Bytes of the file that were read, about. */
uint64_t bt_parquet_offset(const struct bt_parquet *p);

#endif
