/* SPDX-License-Identifier: MIT */
/*
 * Text records out of CSV, TSV, JSON Lines or Parquet files, or of the files of
 * published data sets: which columns hold the texts, the labels, the id and the
 * weight, and what to do with a row that cannot be used. One thread at a time.
 *
 * A column of a CSV file is given by its name in the header, exactly as it
 * stands there, or by its number from 1; a name that is a number wins. Names
 * are looked up in every file, so the order of its columns is each file's own.
 * A column of JSON Lines is a key of its objects; one of Parquet is a leaf of
 * its tree of columns (parquet/parquet.h).
 */
#ifndef BT_TABLE_TABLE_H
#define BT_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/span.h"
#include "format/charset.h"
#include "format/csv.h"
#include "io/in.h"
#include "io/out.h"
#include "record/label_map.h"
#include "record/record.h"
#include "table/candidates.h"
#include "table/datasets.h"

struct bt_table;

enum bt_table_format {
	BT_TABLE_AUTO, /* Parquet where it begins so; JSON Lines where the name
	                * ends in .jsonl or .ndjson, perhaps with .gz or .zst
	                * behind it, or where the first character is '{'; else
	                * CSV */
	BT_TABLE_CSV,
	BT_TABLE_JSONL
};

/* Of texts and labels that pandas takes for missing values. */
enum bt_table_na {
	BT_TABLE_NA_KEEP,   /* they are values like others */
	BT_TABLE_NA_PANDAS, /* the text is "nan", and there is no label */
	BT_TABLE_NA_DROP    /* their rows are left out */
};

/* What hints at options name. */
enum bt_table_advice {
	BT_TABLE_ADVICE_ALL,     /* those of csv2tfrecord */
	BT_TABLE_ADVICE_READING, /* of them, how a file is read */
	BT_TABLE_ADVICE_NONE
};

/* Rows of which a column holds just that. */
struct bt_table_where {
	struct bt_span column, value;
	bool lists; /* it may hold lists; set by table/join.c */
};

/* A file whose row with the key that a column holds is read beside each row:
 * its columns are COLUMN.NAME. Several files of one column are one table. */
struct bt_table_join {
	struct bt_span column;
	char *path, *key; /* the key's column in the file; NULL: the one named
	                   * as column is, or _id, or id; else the first */
	char delimiter;   /* of CSV */
};

struct bt_table_opts {
	const char *text;  /* one column, or several with commas between, which
	                    * are joined by a blank; NULL: the one named text */
	const char *pair;  /* the same of text_b, or NULL */
	const char *label; /* column, or NULL; an empty label is a bad row. A
	                    * list of JSON Lines or Parquet is several labels.
	                    * Several with commas between: columns of 0 and 1,
	                    * whose names are the labels of a record */
	const char *choices; /* columns with commas between, of the choices of
	                      * a question, which is the text; their names are
	                      * those of the choices, and the label is one of
	                      * these, or its number from 0. The last ones may
	                      * be empty: then there are fewer. One column is a
	                      * list of them, named A, B, ... Or NULL */
	const char
	    *choice_names; /* column of the names in such a list, or NULL */
	const struct bt_candidates *candidates; /* in place of choices: the
	                                         * same for each row; or NULL */
	const char *id;     /* column, or "row" where none has that name: the
	                     * file and the row's number; or NULL */
	bool id_of_several; /* the id is of several rows: "row" is a column
	                     * like others, and null is as empty */
	const char *keep;   /* columns with commas between that become features
	                     * of their names, or NULL; null is absent */
	bool text_lists; /* text and pair hold lists of texts, as JSON or Python
	                  * writes them, which are joined by blanks */
	bool html; /* text, pair and choices are HTML, of which plain text is
	            * made */
	const char *weight; /* column of numbers of at least 0, or NULL */
	const struct bt_table_where *where; /* [n_where] all must hold; other
	                                     * rows are passed over */
	size_t n_where;
	const struct bt_table_join *joins; /* [n_joins] */
	size_t n_joins;
	const char *label_separator; /* what stands between the labels in their
	                              * one column; NULL: there is one label */
	bool label_lists; /* or the one column holds lists, as Python prints
	                   * them */
	bool one_hot; /* of several columns just one holds 1: the label is its
	               * name, as of one column */
	bool numbers; /* labels are numbers to predict; those of several columns
	               * are named as these are */
	bool decimal_comma; /* these, and weights, are written as 3,5 */
	bool strip;         /* labels lose the white space at their ends */
	bool fold_case;     /* labels become lower case; both before map */
	const struct bt_label_map *map; /* labels' new names, or NULL */
	bool only_mapped; /* a label that is not in map is a bad row */
	const struct bt_published *task; /* decides columns, quoting and labels,
	                                  * or NULL */
	enum bt_table_format format;
	struct bt_csv_opts csv;
	enum bt_charset charset; /* of CSV */
	enum bt_utf16 utf16; /* how files are read that have no byte order mark;
	                      * the mark is heeded where charset is UTF-8 */
	enum bt_table_na na;
	bool drop_duplicates; /* leave out texts that came before */
	bool skip_bad;        /* count bad rows and go on */
	double max_bad;       /* the largest share of bad rows; 0: any */
	const char *rejects;  /* go on, and write bad rows to a file of that
	                       * name ("-": standard output); or NULL */
	struct bt_in_limit *limit; /* on what is read; borrowed, or NULL */
	bt_in_idle_fn *idle;       /* as bt_in_idle, or NULL */
	void *idle_ctx;
	/* told now and then how many rows of a file to join were read; or NULL
	 */
	void (*joining)(void *ctx, uint64_t rows);
	void *joining_ctx;
	enum bt_table_advice advice;  /* which hints messages have */
	struct bt_buf *names;         /* set by bt_table_names */
	struct bt_joins *joined;      /* set by bt_table_open */
	const struct bt_span *key_of; /* set by table/join.c */
	const struct bt_log *log; /* told of the first bad rows; may be NULL */
};

/* Why a row is bad. */
enum bt_table_fault {
	BT_TABLE_FIELDS, /* fewer or more fields than the header has */
	BT_TABLE_QUOTES, /* malformed quotes */
	BT_TABLE_NUL,    /* a NUL byte */
	BT_TABLE_LARGE,  /* beyond a limit */
	BT_TABLE_CHARSET,
	BT_TABLE_LABEL,   /* an empty label */
	BT_TABLE_UNKNOWN, /* a label that the map, or the data set, lacks */
	BT_TABLE_CELL,    /* neither 0 nor 1 in one of several label columns */
	BT_TABLE_ONE_HOT, /* none of several label columns holds 1, or more */
	BT_TABLE_NUMBER,  /* no number in one of several columns of such */
	BT_TABLE_WEIGHT,  /* not a valid weight */
	BT_TABLE_JSON,    /* no JSON object */
	BT_TABLE_KEY,     /* a key that is not there */
	BT_TABLE_NESTED,  /* a key that holds a list or an object */
	BT_TABLE_NULL,    /* a text or id that is null */
	BT_TABLE_AGAIN,   /* the header once more */
	BT_TABLE_CHOICES, /* an empty choice before another, or one alone */
	BT_TABLE_JOINED,  /* a key that the file to join lacks */
	BT_TABLE_LIST,    /* not the list that a text should be */
	BT_TABLE_FAULTS   /* how many there are; in a bt_table: none */
};

#define BT_TABLE_LABELS_MAX 65536

struct bt_table_stats {
	int files;            /* begun so far */
	uint64_t bytes;       /* read */
	uint64_t records;     /* given out */
	uint64_t empty;       /* of them without a text */
	uint64_t empty_pairs; /* of them without a second text in its column */
	uint64_t singles;     /* of them with one of several labels */
	uint64_t missing;     /* of them with a text that is "nan" by na */
	uint64_t listed;      /* of them with a text that looks like a list */
	uint64_t marked;      /* of them with a text that has tags of HTML */
	uint64_t labelled;    /* of them with one label or more */
	size_t labels; /* different ones, counted to BT_TABLE_LABELS_MAX */
	uint64_t duplicates;         /* left out */
	uint64_t dropped;            /* left out by na */
	uint64_t others;             /* passed over: where did not hold */
	uint64_t numeric;            /* with one label, which is a number: */
	double least, greatest, sum; /* of those labels */
	bool fraction;               /* one of them is not whole */
	uint64_t skipped;            /* bad rows */
	uint64_t faults[BT_TABLE_FAULTS]; /* of them */
	bool unasked; /* opts name no column, and a file has more than the
	               * texts' */
};

/* Reads COLUMN=FILE[:KEY], or returns BT_EARG; a FILE that has a colon in its
 * name must be there. The delimiter is that of the file's name. text is
 * borrowed. */
int bt_table_join_init(struct bt_table_join *join, const char *text,
                       struct bt_error *err) BT_MUST_USE;
void bt_table_join_clear(struct bt_table_join *join);

/* Appends the names of a file's columns, one a line, and those of the files
 * that opts join to it; path may be NULL. Else only opts' format, csv, charset
 * and limit count. */
int bt_table_names(const char *path, const struct bt_table_opts *opts,
                   struct bt_buf *names, struct bt_error *err) BT_MUST_USE;

/*
 * paths[0..n-1] and what opts points to are borrowed; n = 0 is standard input.
 * Reads the header of every file and looks the columns up. BT_EARG where opts
 * make no sense (the same column as text and label, no column named text and
 * none given), BT_EFORMAT where a column is not there.
 */
int bt_table_open(char *const *paths, int n, const struct bt_table_opts *opts,
                  struct bt_table **table, struct bt_error *err) BT_MUST_USE;
void bt_table_close(struct bt_table *table); /* takes NULL */

/*
 * 1: *rec is the next record, borrowed until the next call; 0: no more; else an
 * error that names file, record and line. A file without rows is an error, and
 * so is a table whose rows were all bad. The rejects appear when all was read,
 * also where no row was good.
 */
int bt_table_next(struct bt_table *table, struct bt_text_rec *rec,
                  struct bt_error *err) BT_MUST_USE;

/* Writes all records that are left. show, unless it is NULL, is called after
 * each. */
int bt_table_write(struct bt_table *table, struct bt_out *out,
                   void (*show)(void *ctx, const struct bt_table *table),
                   void *ctx, struct bt_error *err) BT_MUST_USE;

void bt_table_stats(const struct bt_table *table, struct bt_table_stats *stats);

/* The file of the last record, 'in quotes', and its number among the file's
 * records, from 1. */
const char *bt_table_file(const struct bt_table *table);
uint64_t bt_table_record(const struct bt_table *table);

/* "3 records from 1 file, 2 labels; ...". rejects is that of the options. */
void bt_table_summary(const struct bt_table_stats *stats, const char *rejects,
                      struct bt_buf *b);

/* The same for programs. */
void bt_table_facts(const struct bt_table_stats *stats, struct bt_summary *s);

#endif
