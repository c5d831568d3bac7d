/* SPDX-License-Identifier: MIT */
/*
 * Text records out of CSV or TSV files: which columns hold the texts, the label
 * and the id, and what to do with a row that cannot be used. One thread at a
 * time.
 *
 * A column is given by its name in the header, exactly as it stands there, or
 * by its number from 1; a name that is a number wins. Names are looked up in
 * every file, so the order of its columns is each file's own.
 */
#ifndef BT_TASK_TABLE_H
#define BT_TASK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "io/charset.h"
#include "io/csv.h"
#include "task/record.h"

struct bt_table;

struct bt_table_opts {
	const char *text;  /* one column, or several with commas between, which
	                    * are joined by a blank; NULL: the one named text */
	const char *pair;  /* column of text_b, or NULL */
	const char *label; /* column, or NULL; an empty label is a bad row */
	const char *id;    /* column, or NULL */
	struct bt_csv_opts csv;
	enum bt_charset charset;
	bool skip_bad;            /* count bad rows and go on */
	const struct bt_log *log; /* told of the first bad rows; may be NULL */
};

/* Why a row is bad. */
enum bt_table_fault {
	BT_TABLE_FIELDS, /* fewer or more fields than the header has */
	BT_TABLE_QUOTES, /* malformed quotes */
	BT_TABLE_NUL,    /* a NUL byte */
	BT_TABLE_LARGE,  /* beyond a limit of bt_csv_opts */
	BT_TABLE_CHARSET,
	BT_TABLE_LABEL, /* an empty label */
	BT_TABLE_FAULTS /* how many there are; in a bt_table: none */
};

#define BT_TABLE_LABELS_MAX 65536

struct bt_table_stats {
	int files;        /* begun so far */
	uint64_t bytes;   /* read */
	uint64_t records; /* given out */
	uint64_t empty;   /* of them without a text */
	size_t labels;    /* different ones, counted to BT_TABLE_LABELS_MAX */
	uint64_t skipped; /* bad rows */
	uint64_t faults[BT_TABLE_FAULTS]; /* of them */
};

/*
 * paths[0..n-1] and opts' strings and log are borrowed; n = 0 is standard
 * input. Reads the header of every file and looks the columns up. BT_EARG where
 * opts make no sense (the same column as text and label, no column named text
 * and none given), BT_EFORMAT where a column is not there.
 */
int bt_table_open(char *const *paths, int n, const struct bt_table_opts *opts,
                  struct bt_table **table, struct bt_error *err) BT_MUST_USE;
void bt_table_close(struct bt_table *table); /* takes NULL */

/*
 * 1: *rec is the next record, borrowed until the next call; 0: no more; else an
 * error that names file, record and line. A file without rows is an error, and
 * so is a table whose rows were all skipped.
 */
int bt_table_next(struct bt_table *table, struct bt_text_rec *rec,
                  struct bt_error *err) BT_MUST_USE;

void bt_table_stats(const struct bt_table *table, struct bt_table_stats *stats);

/* "with malformed quotes", to follow "3 rows". */
const char *bt_table_fault_name(enum bt_table_fault fault);

#endif
