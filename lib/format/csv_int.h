/* SPDX-License-Identifier: MIT */
/* The lower half of format/csv.h: one row after the other out of an input. */
#ifndef BT_FORMAT_CSV_INT_H
#define BT_FORMAT_CSV_INT_H

#include <csv.h>

#include "base/buf.h"
#include "format/csv.h"

struct bt_csv_parse {
	struct bt_in *in;
	struct bt_csv_opts opts;
	struct csv_parser parser;
	uint64_t line; /* of the next byte */

	/* the row being read, or read last */
	size_t used;         /* its bytes so far, not yet consumed */
	uint64_t row_line;   /* where it begins */
	uint64_t last_line;  /* where it ends */
	uint64_t field_line; /* where its current field begins */
	size_t field_next;   /* its bytes up to the line after that one; 0:
	                      * not reached yet */
	enum bt_csv_fault fault;
	struct bt_error why;    /* of the fault */
	struct bt_buf bytes;    /* of its fields, from libcsv */
	struct bt_span *fields; /* [n], in bytes or in the input's buffer;
	                         * borrowed until the next row */
	size_t n, fields_cap;
	struct bt_buf raw; /* its bytes that were consumed early */
};

/* Takes over in and goes to its first line. x is cleared by the caller in any
 * case. */
int bt_csv_parse_init(struct bt_csv_parse *x, struct bt_in *in,
                      const struct bt_csv_opts *opts,
                      struct bt_error *err) BT_MUST_USE;
void bt_csv_parse_clear(struct bt_csv_parse *x);

/* 1: a row was read, well if its fault is BT_CSV_FINE; 0: no more; else an
 * error behind which nothing can be read. */
int bt_csv_parse_row(struct bt_csv_parse *x, struct bt_error *err) BT_MUST_USE;

/* As bt_csv_raw. */
int bt_csv_parse_raw(struct bt_csv_parse *x, struct bt_span *row,
                     struct bt_error *err) BT_MUST_USE;

#endif
