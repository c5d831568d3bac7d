/* SPDX-License-Identifier: MIT */
/* Rows, whatever they come from. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/path.h"
#include "table/join_int.h"
#include "table/table_int.h"

/* tabs: they are blanks, too, and do not divide the fields of a table. */
static size_t blanks(const uint8_t *p, size_t n, bool tabs)
{
	size_t i = 0;

	while (i < n && (p[i] == ' ' || p[i] == '\n' || p[i] == '\r' ||
	                 (tabs && p[i] == '\t')))
		i++;
	return i;
}

#define FIRST 64 /* bytes that tell what an input is */

/* Looks at the first bytes, no more than tell what the input is: a line, since
 * the next one may be long in coming, unless that is the bracket of an array.
 */
static int look_first(struct bt_in *in, const uint8_t **p, size_t *got,
                      struct bt_error *err)
{
	size_t want = 1, i;
	int r;

	for (;;) {
		r = bt_in_peek(in, want, p, got, err);
		if (r != BT_OK || *got < want || want == FIRST)
			return r;
		i = blanks(*p, *got, false);
		if (i < *got && (*p)[i] != '[' &&
		    memchr(*p + i, '\n', *got - i) != NULL)
			return BT_OK;
		want++;
	}
}

/* What begins with '{' is no table where it holds questions. */
static int refuse_questions(struct bt_in *in, struct bt_error *err)
{
	const uint8_t *p;
	size_t got;
	int r = bt_in_some(in, 1, &p, &got, err);

	if (r != BT_OK || !bt_table_is_squad(p, got))
		return r;
	return bt_error_hint(
	    err, BT_HINT_READ_QUESTIONS,
	    bt_error_set(err, BT_EFORMAT,
	                 "cannot read %s: it holds questions in the form of "
	                 "SQuAD, not JSON Lines",
	                 bt_in_name(in)));
}

/* 1: the input holds JSON objects; 0: CSV; else an error. */
static int is_jsonl(struct bt_in *in, const char *path,
                    const struct bt_table_opts *opts, struct bt_error *err)
{
	static const char *const ends[] = {".jsonl", ".ndjson"};
	const uint8_t *p;
	size_t got, i;
	int r;

	if (opts->format != BT_TABLE_AUTO)
		return opts->format == BT_TABLE_JSONL;
	if (path != NULL && bt_path_ends(path, ends, 2))
		return 1;
	r = look_first(in, &p, &got, err);
	if (r != BT_OK)
		return r;
	i = blanks(p, got, false);
	if (i < got && p[i] == '[') {
		i++;
		i += blanks(p + i, got - i, true);
		if (i < got && p[i] == ']') /* nothing is in it */
			return i + 1 + blanks(p + i + 1, got - i - 1, true) ==
			       got;
	}
	if (i == got || p[i] != '{')
		return 0;
	r = refuse_questions(in, err);
	return r == BT_OK ? 1 : r;
}

/* Whether the label's column may hold lists, as of several labels. */
static bool may_have_several(const struct bt_table_columns *c,
                             const struct bt_table_opts *opts)
{
	return c->n_label == 1 && c->n_choice == 0 &&
	       opts->candidates == NULL && !opts->numbers;
}

static void allow_lists(struct bt_row_source *rows,
                        const struct bt_table_opts *opts)
{
	const struct bt_table_columns *c = &rows->columns;
	size_t i;

	for (i = 0; opts->text_lists && i < c->n_text; i++)
		if (c->text[i] < c->own)
			bt_jsonl_allow_list(rows->jsonl, c->text[i]);
	for (i = 0; opts->text_lists && i < c->n_pair; i++)
		if (c->pair[i] < c->own)
			bt_jsonl_allow_list(rows->jsonl, c->pair[i]);
	if (may_have_several(c, opts) && c->label[0] < c->own)
		bt_jsonl_allow_list(rows->jsonl, c->label[0]);
	if (c->n_choice == 1 && c->choice[0] < c->own)
		bt_jsonl_allow_list(rows->jsonl, c->choice[0]);
	if (c->choice_list_names < c->own)
		bt_jsonl_allow_list(rows->jsonl, c->choice_list_names);
	for (i = 0; i < opts->n_where; i++)
		if (opts->where[i].lists)
			bt_jsonl_allow_list(rows->jsonl, c->where[i]);
}

static int open_jsonl(struct bt_in *in, const struct bt_table_opts *opts,
                      struct bt_row_source *rows, struct bt_error *err)
{
	struct bt_table_opts o = *opts;
	struct bt_buf key = BT_BUF_INIT;
	int r;

	if (opts->names != NULL) {
		r = bt_error_set(err, BT_EFORMAT,
		                 "%s holds JSON Lines, which have no header: "
		                 "each row has its own names",
		                 bt_in_name(in));
		bt_in_close(in);
		return r;
	}
	r = bt_table_json_key(in, &o, &key, err);
	if (r == BT_OK) {
		bt_table_header_keys(&rows->keys, &o);
		rows->keys.bytes = key;
		r = bt_table_columns_find(&o, &rows->keys, &rows->columns, err);
	}
	if (r != BT_OK) {
		bt_in_close(in);
		return r;
	}
	rows->found = true;
	if (opts->csv.ahead)
		bt_in_ahead(in);
	r = bt_jsonl_from(in, rows->keys.names, rows->keys.n,
	                  4 * opts->csv.max_field, &rows->jsonl, err);
	if (r == BT_OK)
		allow_lists(rows, opts);
	return r;
}

static int find_columns(struct bt_row_source *rows,
                        const struct bt_table_opts *opts, struct bt_error *err)
{
	struct bt_table_header h;
	int r;

	if (rows->found || rows->csv == NULL || bt_csv_width(rows->csv) == 0)
		return BT_OK;
	r = bt_table_header_init(&h, rows->csv, opts->charset, err);
	if (r == BT_OK)
		r = bt_table_columns_find(opts, &h, &rows->columns, err);
	bt_table_header_clear(&h);
	rows->found = r == BT_OK;
	return r;
}

static void use_form(struct bt_table_opts *o,
                     const struct bt_published_form *form)
{
	o->text = form->text;
	o->pair = form->pair;
	o->label = form->label;
	if (o->id == NULL)
		o->id = form->id;
}

/* A file of a published data set: its first row tells its form. */
static int find_form(struct bt_row_source *rows,
                     const struct bt_table_opts *opts, struct bt_error *err)
{
	struct bt_table_opts o = *opts;
	const struct bt_published_form *form;
	const struct bt_span *first = bt_csv_first(rows->csv);
	int r;

	if (first == NULL) {
		r = bt_csv_next(rows->csv, &first, err);
		return r < 0 ? bt_error_prefix(err, "cannot read %s",
		                               bt_csv_name(rows->csv))
		             : r;
	}
	r = bt_published_form(o.task, bt_csv_name(rows->csv), first,
	                      bt_csv_width(rows->csv), &form, err);
	if (r == BT_OK && form->header)
		r = bt_csv_take_header(rows->csv, err);
	if (r != BT_OK)
		return r;
	use_form(&o, form);
	return find_columns(rows, &o, err);
}

/* Of what has no such columns. */
static int refuse_words(const struct bt_row_source *rows, struct bt_error *err)
{
	bt_error_clear(err);
	return bt_error_hint(
	    err, BT_HINT_READ_WORDS,
	    bt_error_set(err, BT_EFORMAT,
	                 "cannot read %s: it holds a word and its tag in each "
	                 "line, not a table of texts",
	                 bt_csv_name(rows->csv)));
}

static int open_csv(struct bt_in *in, const struct bt_table_opts *opts,
                    struct bt_row_source *rows, struct bt_error *err)
{
	struct bt_csv_opts csv = opts->csv;
	const uint8_t *p;
	size_t n;
	bool nul, words;
	int r = bt_in_some(in, 2, &p, &n, err);

	if (r != BT_OK) {
		bt_in_close(in);
		return r;
	}
	words = bt_table_is_conll(p, n);
	nul = n >= 2 && (p[0] == 0) != (p[1] == 0);
	if (opts->task != NULL) {
		csv.header = false;
		csv.quotes = opts->task->quotes;
		csv.delimiter = opts->task->delimiter;
	}
	r = bt_csv_from(in, &csv, &rows->csv, err);
	if (r != BT_OK)
		return nul ? bt_error_hint(err, BT_HINT_TABLE_UTF16, r) : r;
	if (opts->task != NULL)
		return find_form(rows, opts, err);
	r = find_columns(rows, opts, err);
	return r != BT_OK && words ? refuse_words(rows, err) : r;
}

/* Columns that rows are wanted of: all but that of the label, where it may be
 * several, hold no lists. */
static int want_columns(struct bt_row_source *rows,
                        const struct bt_table_opts *opts, struct bt_error *err)
{
	const struct bt_table_columns *c = &rows->columns;
	const struct {
		const size_t *at;
		size_t n;
		unsigned lists;
	} all[] = {
	    {c->text, c->n_text, opts->text_lists},
	    {c->label, c->n_label, may_have_several(c, opts)},
	    {c->choice, c->n_choice, c->n_choice == 1},
	    {&c->choice_list_names, c->choice_list_names != BT_TABLE_ABSENT, 1},
	    {c->keep, c->n_keep, 0},
	    {c->where, opts->n_where, 0},
	    {c->pair, c->n_pair, opts->text_lists},
	    {c->join, c->n_join, 0},
	    {&c->id, c->id < BT_TABLE_ROW, 0},
	    {&c->weight, c->weight != BT_TABLE_ABSENT, 0}};
	struct bt_parquet *p = rows->parquet;
	struct bt_span name;
	size_t i, k, at;
	unsigned lists;
	int r = BT_OK;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (k = 0; r == BT_OK && k < all[i].n; k++) {
			at = all[i].at[k];
			if (at >= c->own)
				continue;
			lists = all[i].at == c->where ? opts->where[k].lists
			                              : all[i].lists;
			name = bt_parquet_names(p)[at];
			r = bt_parquet_want(p, at, err);
			if (r == BT_OK && bt_parquet_lists(p, at) > lists)
				return bt_error_set(
				    err, BT_EFORMAT,
				    "column '%.*s' of %s holds lists, expected "
				    "single values",
				    (int)(name.n < 60 ? name.n : 60), name.p,
				    bt_parquet_name(p));
		}
	return r;
}

static int open_parquet(struct bt_in *in, const struct bt_table_opts *opts,
                        struct bt_row_source *rows, struct bt_error *err)
{
	struct bt_table_header h = {.lists = true};
	const struct bt_published_form *form = NULL;
	struct bt_table_opts o = *opts;
	int r = bt_parquet_open(in, opts->csv.max_field, opts->limit,
	                        &rows->parquet, err);

	if (r != BT_OK)
		return r;
	h.file = bt_parquet_name(rows->parquet);
	h.n = bt_parquet_width(rows->parquet);
	h.names = bt_array(h.n, sizeof(*h.names));
	if (h.names == NULL)
		return bt_error_nomem(err, "reading a header");
	memcpy(h.names, bt_parquet_names(rows->parquet),
	       h.n * sizeof(*h.names));
	r = opts->task != NULL ? bt_published_columns(opts->task, h.file,
	                                              h.names, h.n, &form, err)
	                       : BT_OK;
	if (r == BT_OK && form != NULL)
		use_form(&o, form);
	if (r == BT_OK)
		r = bt_table_columns_find(&o, &h, &rows->columns, err);
	bt_table_header_clear(&h);
	rows->found = r == BT_OK;
	return r == BT_OK ? want_columns(rows, opts, err) : r;
}

/* The columns of a folder are those of bt_text_folder_open. */
static int open_folder(const char *path, const struct bt_table_opts *opts,
                       struct bt_row_source *rows, struct bt_error *err)
{
	struct bt_span names[] = {bt_span("text"), bt_span("id"),
	                          bt_span("label")};
	struct bt_table_header h = {.names = names, .n = 3};
	struct bt_table_opts o = *opts;
	int r = bt_text_folder_open(path, opts, &rows->folder, err);

	if (r != BT_OK)
		return r;
	h.file = rows->folder->name;
	h.n -= rows->folder->bare;
	if (opts->task != NULL) {
		o.text = "text";
		o.label = "label";
		o.id = "id";
	}
	r = bt_table_columns_find(&o, &h, &rows->columns, err);
	rows->found = r == BT_OK;
	return r;
}

static int open_text(struct bt_in *in, const char *path,
                     const struct bt_table_opts *opts,
                     struct bt_row_source *rows, struct bt_error *err)
{
	int r = BT_OK;

	rows->utf16 = opts->utf16;
	if (opts->charset == BT_CHARSET_UTF8)
		r = bt_in_utf16(in, &rows->utf16, err);
	if (r == BT_OK)
		r = bt_charset_skip_mark(opts->charset, in, err);
	if (r == BT_OK && opts->task == NULL)
		r = is_jsonl(in, path, opts, err);
	if (r < 0) {
		bt_in_close(in);
		return r;
	}
	return r == 1 ? open_jsonl(in, opts, rows, err)
	              : open_csv(in, opts, rows, err);
}

int bt_row_source_open(const char *path, const struct bt_table_opts *opts,
                       struct bt_row_source *rows, struct bt_error *err)
{
	uint64_t left = opts->limit != NULL ? opts->limit->left : 0;
	struct bt_in *in;
	int r;

	memset(rows, 0, sizeof(*rows));
	if ((opts->task == NULL || opts->task->folder) &&
	    bt_text_folder_is(path)) {
		r = open_folder(path, opts, rows, err);
	} else {
		r = bt_in_open(path, &in, err);
		if (r != BT_OK)
			return r;
		bt_in_limit(in, opts->limit);
		bt_in_idle(in, opts->idle, opts->idle_ctx);
		r = opts->format == BT_TABLE_AUTO ? bt_parquet_begins(in, err)
		                                  : 0;
		/* of Parquet, values count, not what is looked at */
		if (r == 1 && opts->limit != NULL)
			opts->limit->left = left;
		if (r < 0)
			bt_in_close(in);
		else if (r == 1)
			r = open_parquet(in, opts, rows, err);
		else
			r = open_text(in, path, opts, rows, err);
	}
	if (r != BT_OK)
		bt_row_source_close(rows);
	return r;
}

void bt_row_source_close(struct bt_row_source *rows)
{
	bt_csv_close(rows->csv);
	bt_jsonl_close(rows->jsonl);
	bt_parquet_close(rows->parquet);
	bt_text_folder_close(rows->folder);
	bt_table_header_clear(&rows->keys);
	bt_table_columns_clear(&rows->columns);
	memset(rows, 0, sizeof(*rows));
}

bool bt_row_source_is_open(const struct bt_row_source *rows)
{
	return rows->csv != NULL || rows->jsonl != NULL ||
	       rows->parquet != NULL || rows->folder != NULL;
}

static const enum bt_table_fault csv_faults[] = {
    [BT_CSV_FINE] = BT_TABLE_FAULTS,   [BT_CSV_FIELDS] = BT_TABLE_FIELDS,
    [BT_CSV_QUOTES] = BT_TABLE_QUOTES, [BT_CSV_NUL] = BT_TABLE_NUL,
    [BT_CSV_LARGE] = BT_TABLE_LARGE,
};

static const enum bt_table_fault jsonl_faults[] = {
    [BT_JSONL_FINE] = BT_TABLE_FAULTS,     [BT_JSONL_SYNTAX] = BT_TABLE_JSON,
    [BT_JSONL_KEY] = BT_TABLE_KEY,         [BT_JSONL_NUL] = BT_TABLE_NUL,
    [BT_JSONL_NESTED] = BT_TABLE_NESTED,   [BT_JSONL_LARGE] = BT_TABLE_LARGE,
    [BT_JSONL_CHARSET] = BT_TABLE_CHARSET,
};

static const enum bt_table_fault parquet_faults[] = {
    [BT_PARQUET_FINE] = BT_TABLE_FAULTS,
    [BT_PARQUET_NUL] = BT_TABLE_NUL,
    [BT_PARQUET_NESTED] = BT_TABLE_NESTED,
    [BT_PARQUET_LARGE] = BT_TABLE_LARGE,
    [BT_PARQUET_CLASS] = BT_TABLE_UNKNOWN,
    [BT_PARQUET_CHARSET] = BT_TABLE_CHARSET,
    [BT_PARQUET_DECIMAL] = BT_TABLE_LARGE,
};

int bt_row_source_next(struct bt_row_source *rows,
                       const struct bt_table_opts *opts,
                       const struct bt_span **fields,
                       enum bt_table_fault *fault, struct bt_error *err)
{
	const struct bt_span *names;
	size_t n, i = 0;
	int r;

	if (rows->jsonl != NULL) {
		r = bt_jsonl_next(rows->jsonl, fields, err);
		*fault = jsonl_faults[bt_jsonl_fault(rows->jsonl)];
		return r;
	}
	if (rows->parquet != NULL) {
		r = bt_parquet_next(rows->parquet, fields, err);
		*fault = parquet_faults[bt_parquet_fault(rows->parquet)];
		return r;
	}
	if (rows->folder != NULL) {
		r = bt_text_folder_next(rows->folder, opts, fields, err);
		rows->utf16 = rows->folder->utf16;
		*fault = rows->folder->fault;
		return r;
	}
	r = bt_csv_next(rows->csv, fields, err);
	*fault = csv_faults[bt_csv_fault(rows->csv)];
	if (r == 1 && !rows->found)
		r = find_columns(rows, opts, err) == BT_OK ? 1 : err->code;
	names = bt_csv_names(rows->csv);
	n = bt_csv_width(rows->csv);
	while (r == 1 && names != NULL && i < n &&
	       bt_span_equal((*fields)[i], names[i]))
		i++;
	if (n > 1 && i == n) { /* as where files were joined */
		*fault = BT_TABLE_AGAIN;
		bt_error_set(err, BT_EFORMAT, "it is the header again");
		return bt_csv_blame(rows->csv, err);
	}
	return r;
}

int bt_row_source_blame(const struct bt_row_source *rows, struct bt_error *err)
{
	if (rows->jsonl != NULL)
		return bt_jsonl_blame(rows->jsonl, err);
	if (rows->parquet != NULL)
		return bt_parquet_blame(rows->parquet, err);
	if (rows->folder != NULL)
		return bt_text_folder_blame(rows->folder, err);
	return bt_csv_blame(rows->csv, err);
}

const char *bt_row_source_name(const struct bt_row_source *rows)
{
	if (rows->jsonl != NULL)
		return bt_jsonl_name(rows->jsonl);
	if (rows->parquet != NULL)
		return bt_parquet_name(rows->parquet);
	if (rows->folder != NULL)
		return rows->folder->name;
	return bt_csv_name(rows->csv);
}

int bt_table_empty(const struct bt_row_source *rows, struct bt_error *err)
{
	return bt_error_set(err, BT_EFORMAT, "%s %s", bt_row_source_name(rows),
	                    rows->csv != NULL ? "has a header but no rows"
	                                      : "is empty");
}

uint64_t bt_row_source_offset(const struct bt_row_source *rows)
{
	if (rows->jsonl != NULL)
		return bt_jsonl_offset(rows->jsonl);
	if (rows->parquet != NULL)
		return bt_parquet_offset(rows->parquet);
	if (rows->folder != NULL)
		return rows->folder->offset;
	return rows->csv != NULL ? bt_csv_offset(rows->csv) : 0;
}

const struct bt_string_set *
bt_row_source_classes(const struct bt_row_source *rows)
{
	return rows->parquet != NULL && rows->columns.n_label == 1 &&
	               rows->columns.label[0] < rows->columns.own
	           ? bt_parquet_classes(rows->parquet, rows->columns.label[0])
	           : NULL;
}

int bt_row_source_reject(struct bt_row_source *rows, const char *path,
                         const char *reason, struct bt_buf *b,
                         struct bt_error *err)
{
	struct bt_buf file = BT_BUF_INIT, json = BT_BUF_INIT;
	struct bt_span row;
	uint64_t line = 1;
	int r = BT_OK;

	bt_buf_puts(&file, path != NULL ? path : "-");
	if (rows->jsonl != NULL) {
		row = bt_jsonl_raw(rows->jsonl);
		line = bt_jsonl_line(rows->jsonl);
	} else if (rows->parquet != NULL) {
		bt_parquet_put_row(rows->parquet, &json);
		row = (struct bt_span){bt_buf_str(&json), json.len};
		line = bt_parquet_row(rows->parquet);
	} else if (rows->folder != NULL) {
		bt_buf_printf(&file, "/%s", rows->folder->file);
		row = (struct bt_span){rows->folder->text, rows->folder->len};
	} else {
		r = bt_csv_raw(rows->csv, &row, err);
		line = bt_csv_line(rows->csv);
	}
	if (r == BT_OK) {
		bt_csv_put(b, bt_span(bt_buf_str(&file)), ',');
		bt_buf_printf(b, ",%llu,", (unsigned long long)line);
		bt_csv_put(b, bt_span(reason), ',');
		bt_buf_putc(b, ',');
		bt_csv_put(b, row, ',');
		bt_buf_puts(b, "\n");
	}
	if (b->oom || json.oom)
		r = bt_error_nomem(err, "writing a bad row");
	bt_buf_clear(&json);
	bt_buf_clear(&file);
	return r;
}
