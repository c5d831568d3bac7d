/* SPDX-License-Identifier: MIT */
/*
 * Rows of a CSV or TSV file, through libcsv. RFC 4180 and what is common beyond
 * it: lines end in LF, CRLF or CR, the last one perhaps in nothing; a UTF-8
 * byte order mark is dropped and empty lines are passed over; fields in double
 * quotes may hold delimiters, line ends and doubled quotes. Blanks are data,
 * and so is a quote inside a field that does not begin with one.
 *
 * All rows of a file have the same number of fields. A row that is not as it
 * should be is an error behind which reading can go on. Bytes are not looked
 * at otherwise: format/charset.h checks them. One thread at a time.
 */
#ifndef BT_FORMAT_CSV_H
#define BT_FORMAT_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "io/in.h"

struct bt_csv;

struct bt_csv_opts {
	char delimiter;
	bool quotes;        /* false: a double quote is an ordinary character */
	bool header;        /* the first row holds the columns' names */
	size_t max_field;   /* bytes; of a row: four times as many */
	size_t max_columns; /* fields of a row */
	bool ahead;         /* as bt_in_ahead */
};

#define BT_CSV_OPTS_INIT                                                       \
	{                                                                      \
		.delimiter = ',', .quotes = true, .header = true,              \
		.max_field = (size_t)16 << 20, .max_columns = 65536            \
	}

/* What is wrong with a row. */
enum bt_csv_fault {
	BT_CSV_FINE,
	BT_CSV_FIELDS, /* fewer or more fields than the header or first row */
	BT_CSV_QUOTES, /* text after a closing quote, or no closing quote */
	BT_CSV_NUL,    /* a NUL byte */
	BT_CSV_LARGE   /* beyond a limit */
};

/* What may be given for one, for messages and help. */
#define BT_CSV_DELIMITERS "character, tab, comma, semicolon or pipe"

/* The delimiter that people mean: one ASCII character, "\t", or tab, comma,
 * semicolon, pipe. Returns 0 or BT_EARG. */
int bt_csv_delimiter(const char *s, char *delimiter) BT_MUST_USE;

/* The two columns that a header as "id,label" names; BT_EARG if they are not
 * two. */
int bt_csv_two_names(const char *header, struct bt_span name[2],
                     struct bt_error *err) BT_MUST_USE;

/* Appends v as a field, in quotes where it needs them. */
void bt_csv_put(struct bt_buf *b, struct bt_span v, char delimiter);

/*
 * path "-" or NULL is standard input. Reads the header, or the first row
 * otherwise; an input without any row is BT_EFORMAT, as is one that is plainly
 * no CSV (UTF-16, compressed).
 */
int bt_csv_open(const char *path, const struct bt_csv_opts *opts,
                struct bt_csv **csv, struct bt_error *err) BT_MUST_USE;
void bt_csv_close(struct bt_csv *csv); /* takes NULL */

/* The same for an open input, which is taken over, whatever is returned. */
int bt_csv_from(struct bt_in *in, const struct bt_csv_opts *opts,
                struct bt_csv **csv, struct bt_error *err) BT_MUST_USE;

/*
 * Where opts said that there is no header: the first row, width fields, before
 * it is given out; NULL if it is bad or was given out. bt_csv_take_header makes
 * it, which must not be NULL then, the header after all.
 */
const struct bt_span *bt_csv_first(const struct bt_csv *csv);
int bt_csv_take_header(struct bt_csv *csv, struct bt_error *err) BT_MUST_USE;

/* The columns' names, as they stand in the file; NULL without a header. */
const struct bt_span *bt_csv_names(const struct bt_csv *csv);

/* The number of columns; 0 as long as there is no header and no good row. */
size_t bt_csv_width(const struct bt_csv *csv);

/*
 * 1: *fields is the next row, borrowed until the next call; 0: no more; else an
 * error. If bt_csv_fault is then not BT_CSV_FINE the row is bad, the text says
 * "record 17 (line 19): 3 fields, expected 2" without the file's name, and the
 * next call goes on behind the row: at the next line, or, where a quote was
 * never closed, at the line after the one that opened it.
 */
int bt_csv_next(struct bt_csv *csv, const struct bt_span **fields,
                struct bt_error *err) BT_MUST_USE;

/* Of the row that the last bt_csv_next returned or refused. */
enum bt_csv_fault bt_csv_fault(const struct bt_csv *csv);

/* Puts "record 17 (line 19)" of that row before the text in err; returns err's
 * code. Records are counted from 1 without the header; a row's line is the one
 * on which it begins. */
int bt_csv_blame(const struct bt_csv *csv, struct bt_error *err);

/* The line on which that row begins. */
uint64_t bt_csv_line(const struct bt_csv *csv);

/* The bytes of that row as they stand in the input, without its last line end;
 * borrowed until the next call. Of a row beyond a limit, the first MiB at
 * least. */
int bt_csv_raw(struct bt_csv *csv, struct bt_span *row,
               struct bt_error *err) BT_MUST_USE;

/* For messages: 'file' in quotes, or "standard input"; lives as long as csv. */
const char *bt_csv_name(const struct bt_csv *csv);

/* Bytes consumed so far. */
uint64_t bt_csv_offset(const struct bt_csv *csv);

#endif
