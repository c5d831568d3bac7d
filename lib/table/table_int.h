/* SPDX-License-Identifier: MIT */
/* What a table is made of: rows from somewhere, their columns, and what makes a
 * record of a row. */
#ifndef BT_TABLE_TABLE_INT_H
#define BT_TABLE_TABLE_INT_H

#include "base/buf.h"
#include "base/string_set.h"
#include "format/jsonl.h"
#include "parquet/parquet.h"
#include "table/table.h"

#define BT_TABLE_REPORTED 5 /* bad rows that are warned of singly */

/* The columns of a table, their names in UTF-8. */
struct bt_table_header {
	const char *file;      /* for messages; borrowed */
	struct bt_span *names; /* [n], NULL without a header */
	size_t n, cap;
	bool lists;                   /* values may be lists */
	const struct bt_joins *joins; /* whose columns follow, or NULL */
	struct bt_buf bytes;          /* of the names */
};

/* The header of csv, whose width must be known. It is cleared by the caller in
 * any case. */
int bt_table_header_init(struct bt_table_header *h, const struct bt_csv *csv,
                         enum bt_charset set, struct bt_error *err) BT_MUST_USE;
void bt_table_header_clear(struct bt_table_header *h);

/* For messages: 'name', cut if it is long; "its columns are 'a', 'b'"; and a
 * hint at why word is not among them, if there is one: a similar name, or the
 * delimiter that divides the only name. */
void bt_table_put_name(struct bt_buf *b, struct bt_span name);
void bt_table_put_names(struct bt_buf *b, const struct bt_table_header *h);
enum bt_hint bt_table_put_hint(struct bt_buf *b,
                               const struct bt_table_header *h,
                               struct bt_span word);

/* A column by its name, or its number from 1, which must be there; or 1: *at is
 * the only column of that name; 0: none is. */
int bt_table_find_column(const struct bt_table_header *h, struct bt_span word,
                         size_t *at, struct bt_error *err) BT_MUST_USE;
int bt_table_find_name(const struct bt_table_header *h, struct bt_span word,
                       size_t *at, struct bt_error *err) BT_MUST_USE;

#define BT_TABLE_ABSENT SIZE_MAX
#define BT_TABLE_ROW (SIZE_MAX - 1) /* of the id: file and row number */

struct bt_table_columns {
	size_t own;   /* of the file; those of joined files follow */
	size_t *text; /* [n_text] */
	size_t n_text;
	size_t *pair; /* [n_pair] */
	size_t n_pair;
	size_t *label; /* [n_label] */
	size_t n_label;
	struct bt_span *label_names; /* [n_label] where that is more than 1 */
	struct bt_buf label_bytes;   /* of the names */
	size_t *choice;              /* [n_choice]; one is a list of them */
	size_t n_choice;
	struct bt_span *choice_names; /* [n_choice] where that is more than 1 */
	struct bt_buf choice_bytes;   /* of the names */
	size_t choice_list_names;     /* of a list, or BT_TABLE_ABSENT */
	size_t *keep;                 /* [n_keep] */
	size_t n_keep;
	char **keep_names; /* [n_keep] */
	size_t id, weight; /* or BT_TABLE_ABSENT; id: or BT_TABLE_ROW */
	size_t *where;     /* [opts->n_where] */
	size_t *join;      /* [n_join] with the keys of joined files */
	size_t n_join;
	bool unasked; /* there are others, and none was named */
};

/* Looks up the columns that opts want. On success *columns must be cleared. */
int bt_table_columns_find(const struct bt_table_opts *opts,
                          struct bt_table_header *h,
                          struct bt_table_columns *columns,
                          struct bt_error *err) BT_MUST_USE;
void bt_table_columns_clear(struct bt_table_columns *columns);

/* Whether the id may be the file and the row's number. */
bool bt_table_may_number(const struct bt_table_opts *opts);

/* Tells of each column that opts name, as far as commas say: the id's unless it
 * may be the row's number, and that of the text also if it is the default. */
typedef void bt_table_named_fn(void *arg, struct bt_span column);
void bt_table_columns_named(const struct bt_table_opts *opts,
                            bt_table_named_fn *fn, void *arg);

/* As a header, the keys that opts want of JSON Lines, each once. */
void bt_table_header_keys(struct bt_table_header *h,
                          const struct bt_table_opts *opts);

/* Whether a text that begins with these bytes is one of words and tags in
 * columns, with an empty line behind each sentence (table/conll.h), or of
 * questions as SQuAD's JSON (table/squad.h). A guess, for messages. */
bool bt_table_is_conll(const uint8_t *p, size_t n);
bool bt_table_is_squad(const uint8_t *p, size_t n);

/* A folder of texts: fields are text, id and, unless bare, label. As
 * format/csv.h. */
struct bt_text_folder {
	char *path, *name;
	bool bare;           /* the texts have no labels */
	struct bt_buf names; /* LABEL/NAME, each with a NUL behind */
	size_t *starts;      /* [n] where they begin */
	size_t n, cap, at;
	const char *file; /* of the last row */
	char *text;       /* its text, or NULL */
	size_t len;
	enum bt_utf16 utf16; /* as which it was read */
	uint64_t offset;
	struct bt_span fields[3];
	enum bt_table_fault fault;
};
bool bt_text_folder_is(const char *path);
/* Of the labels of a published data set; or the names of all folders in it, or
 * it is bare. */
int bt_text_folder_open(const char *path, const struct bt_table_opts *opts,
                        struct bt_text_folder **folder,
                        struct bt_error *err) BT_MUST_USE;
void bt_text_folder_close(struct bt_text_folder *folder); /* takes NULL */
int bt_text_folder_next(struct bt_text_folder *folder,
                        const struct bt_table_opts *opts,
                        const struct bt_span **fields,
                        struct bt_error *err) BT_MUST_USE;
int bt_text_folder_blame(const struct bt_text_folder *folder,
                         struct bt_error *err);

/* One source of rows: one of the four, or none if it is closed. */
struct bt_row_source {
	struct bt_csv *csv;
	struct bt_jsonl *jsonl;
	struct bt_parquet *parquet;
	struct bt_text_folder *folder;
	struct bt_table_header keys; /* of jsonl */
	struct bt_table_columns columns;
	bool found;          /* columns were looked up */
	enum bt_utf16 utf16; /* as which it was read */
};

/* On success *rows must be closed. Columns are looked up as soon as their
 * number is known, at the latest by bt_row_source_next. */
int bt_row_source_open(const char *path, const struct bt_table_opts *opts,
                       struct bt_row_source *rows,
                       struct bt_error *err) BT_MUST_USE;
void bt_row_source_close(struct bt_row_source *rows);
bool bt_row_source_is_open(const struct bt_row_source *rows);

/* As bt_csv_next; where the fault is BT_TABLE_FAULTS, nothing more can be
 * read. */
int bt_row_source_next(struct bt_row_source *rows,
                       const struct bt_table_opts *opts,
                       const struct bt_span **fields,
                       enum bt_table_fault *fault,
                       struct bt_error *err) BT_MUST_USE;
int bt_row_source_blame(const struct bt_row_source *rows, struct bt_error *err);
const char *bt_row_source_name(const struct bt_row_source *rows);

/* The error of one that has no rows. */
int bt_table_empty(const struct bt_row_source *rows, struct bt_error *err);

uint64_t bt_row_source_offset(const struct bt_row_source *rows);

/* The classes of the label's only column, by their numbers, where the file
 * numbers them; or NULL. */
const struct bt_string_set *
bt_row_source_classes(const struct bt_row_source *rows);

/* Appends "file,line," and the reason and the bytes of the last row, each as a
 * CSV field, and a line end; file is the path, "-" for standard input. */
int bt_row_source_reject(struct bt_row_source *rows, const char *path,
                         const char *reason, struct bt_buf *b,
                         struct bt_error *err) BT_MUST_USE;

/* What makes records of rows. */
enum bt_table_part {
	BT_TEXT,
	BT_PAIR,
	BT_LABEL,
	BT_ID,
	BT_WHERE,
	BT_KEEP,
	BT_CHOICE,
	BT_LIST, /* of texts; or choices that were HTML */
	BT_PARTS
};

struct bt_table_maker {
	const struct bt_table_opts *opts;
	struct bt_string_set *known; /* labels of the data set; NULL: any */
	bool numbered;               /* records have label ids */
	struct bt_buf parts[BT_PARTS];
	struct bt_buf folded;   /* labels in lower case */
	struct bt_buf list;     /* of labels, read from a field */
	struct bt_span *labels; /* of a record with several */
	size_t labels_cap;
	struct bt_span *names; /* of all that it might have */
	size_t names_cap;
	/* sets of both, where they are many; or NULL */
	struct bt_string_set *labels_seen, *names_seen;
	size_t ones;    /* label columns of the last row that hold 1 */
	float *numbers; /* of a record with several */
	size_t numbers_cap;
	struct bt_span *choices; /* of a record */
	size_t choices_cap;
	/* of all records: labels that were numbers of choices, and 0 */
	uint64_t numbers_of_choices, first_choices;
	struct bt_passthrough *kept; /* of a record */
	size_t kept_cap;
	bool control; /* a record has bytes 80 to 9F in Latin-1 */
	bool utf16;   /* rows are of such a file */
	/* of the label's column: names of classes by their numbers, or NULL */
	const struct bt_string_set *classes;
	bool classes_numbered; /* and these go into records */
	bool missing;          /* the last record has a text that was missing */
	bool dropped;          /* it has no label, tidied up, and is left out */

	/* the row; it is a bad one where fault is not BT_TABLE_FAULTS */
	const struct bt_row_source *rows;
	const struct bt_table_columns *columns;
	const struct bt_span *fields;
	const char *path; /* of its file */
	uint64_t row;     /* its number in the file, from 1 */
	enum bt_table_fault fault;
	struct bt_text_rec *rec; /* made of it */
};

void bt_table_maker_init(struct bt_table_maker *m,
                         const struct bt_table_opts *opts);
void bt_table_maker_clear(struct bt_table_maker *m);

/* Before the first row of a file: the classes of its label's column, or NULL;
 * borrowed. */
void bt_table_maker_classes(struct bt_table_maker *m,
                            const struct bt_string_set *classes);

/* Makes a record of m's row. BT_OK: *rec is borrowed from the fields and m
 * until the next call; else an error, of a bad row if m->fault says so. */
int bt_table_make(struct bt_table_maker *m, struct bt_text_rec *rec,
                  struct bt_error *err) BT_MUST_USE;

/* 1: the row is one of those wanted, and what is joined to it stands in
 * m->fields; 0: it is not; else as bt_table_make. */
int bt_table_wants(struct bt_table_maker *m, struct bt_error *err) BT_MUST_USE;

/* The labels of the row into m->rec; as bt_table_make. What was kept to find
 * some of them again is forgotten before the next row, or by the second
 * function. */
int bt_table_make_labels(struct bt_table_maker *m,
                         struct bt_error *err) BT_MUST_USE;
void bt_table_forget_labels(struct bt_table_maker *m);

/* The choices of the row into m->rec, whose label then names one of them; as
 * bt_table_make. */
int bt_table_make_choices(struct bt_table_maker *m,
                          struct bt_error *err) BT_MUST_USE;

/*
 * Appends a field of a row, in UTF-8, to a part of the record: *out is the
 * whole part so far, or the field itself where in_place is true and it needs no
 * conversion. The second function begins the part anew. As bt_table_make.
 */
int bt_table_add_field(struct bt_table_maker *m, enum bt_table_part part,
                       struct bt_span v, bool in_place, struct bt_span *out,
                       struct bt_error *err) BT_MUST_USE;
int bt_table_set_field(struct bt_table_maker *m, enum bt_table_part part,
                       struct bt_span v, struct bt_span *out,
                       struct bt_error *err) BT_MUST_USE;

/* True for a list, as format/jsonl.h gives it. */
bool bt_table_is_list(struct bt_span v);

/* Makes such a list in *out of one that is written as Python or JSON does, as
 * "['a', 'b']"; false: v is none. The second one is a guess, for messages. */
bool bt_table_parse_list(struct bt_span v, struct bt_buf *out);
bool bt_table_looks_like_list(struct bt_span v);
bool bt_table_looks_like_spans(struct bt_span v);

/* Whether a text has tags, comments or entities of HTML, of which *first is
 * one; appends the text with a blank for each tag or comment, and a character
 * for each entity. */
bool bt_table_find_html(struct bt_span v, struct bt_span *first);
void bt_table_put_plain(struct bt_buf *out, struct bt_span v);

/* Appends what stands behind a backslash, at p; returns its end, NULL: it makes
 * no character. */
const char *bt_table_take_escape(const char *p, const char *end,
                                 struct bt_buf *out);

/* 1 or 0, as programs and people write them, in any case; -1 for anything else,
 * also for nothing, which may be a value that is missing. */
int bt_table_truth(struct bt_span v);

bool bt_table_is_number(struct bt_span v, double *x);

/* Whether it would be a number with a point in place of a comma, which is
 * between digits. */
bool bt_table_has_comma(struct bt_span v);

/* The number v of a column, written as opts say, in the usual way: v or, where
 * the comma is decimal, its copy in s, of n bytes, with a point; "" where it
 * has a point already. */
struct bt_span bt_table_with_point(const struct bt_table_maker *m,
                                   size_t column, struct bt_span v, char *s,
                                   size_t n);

/* True for what pandas reads as a missing value; for m's row if that is all of
 * its text, its second text, or a label's column. */
bool bt_table_is_na(struct bt_span v);
bool bt_table_is_incomplete(const struct bt_table_maker *m);

/* UTF-8 without white space at its ends. */
struct bt_span bt_table_strip(struct bt_span v);

/* Warns of labels that differ only in case, blanks or how a number is written,
 * that have blanks at their ends, or that stand for a missing value: once for
 * each of these. */
int bt_table_warn_labels(const struct bt_string_set *labels,
                         const struct bt_log *log,
                         struct bt_error *err) BT_MUST_USE;

/* Warns where a table's only column has a name that holds a delimiter. */
void bt_table_doubt_delimiter(const char *file, struct bt_span name,
                              const struct bt_log *log);

/* The same, and warns where columns were given by their numbers and the header
 * has one of the labels, or looks like data, in them. */
void bt_table_warn_header(const struct bt_row_source *rows,
                          const struct bt_table_opts *opts,
                          const struct bt_string_set *labels);

#endif
