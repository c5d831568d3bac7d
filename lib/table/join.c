/* SPDX-License-Identifier: MIT */
/*
 * A row of a joined file becomes a payload: the key and the wanted columns, of
 * which null is one length and others are one more than theirs. An index by the
 * keys' hashes says which payloads to look at.
 */
#include "table/join_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "dedup/hash_index.h"
#include "dedup/record_store.h"
#include "format/escape.h"
#include "format/protobuf_wire.h"
#include "io/path.h"

#define ROW_BITS 36                    /* of the number of a row */
#define INDEX_MEMORY ((size_t)1 << 28) /* 20 million keys */

int bt_table_join_init(struct bt_table_join *join, const char *text,
                       struct bt_error *err)
{
	const char *equals = strchr(text, '='), *path, *colon;

	memset(join, 0, sizeof(*join));
	path = equals != NULL ? equals + 1 : "";
	colon = strrchr(path, ':');
	if (colon != NULL && bt_str_starts(colon, "://")) /* an address */
		colon = NULL;
	if (colon != NULL && bt_path_there(path))
		colon = NULL;
	if (equals == NULL || equals == text || *path == '\0' ||
	    colon == path || (colon != NULL && colon[1] == '\0'))
		return bt_error_set(err, BT_EARG,
		                    "'%s' is not COLUMN=FILE or "
		                    "COLUMN=FILE:KEY",
		                    text);
	join->column = (struct bt_span){text, (size_t)(equals - text)};
	join->path = bt_strndup(path, colon != NULL ? (size_t)(colon - path)
	                                            : strlen(path));
	join->key =
	    colon != NULL ? bt_strndup(colon + 1, strlen(colon + 1)) : NULL;
	join->delimiter = bt_path_is_tsv(join->path) ? '\t' : ',';
	return BT_OK;
}

void bt_table_join_clear(struct bt_table_join *join)
{
	free(join->path);
	free(join->key);
	memset(join, 0, sizeof(*join));
}

void bt_joins_free(struct bt_joins *j)
{
	size_t i;

	if (j == NULL)
		return;
	for (i = 0; i < j->n; i++) {
		free(j->join[i].names);
		bt_record_store_free(j->join[i].rows);
		bt_hash_index_free(j->join[i].index);
	}
	free(j->join);
	free(j->fields);
	bt_buf_clear(&j->row);
	free(j);
}

/* 1: the row has the key to be found. */
static int is_row(void *arg, uint64_t row, struct bt_error *err)
{
	struct bt_joined_table *t = arg;
	struct bt_pb key;
	const void *data;
	size_t n;
	int r = bt_record_store_get(t->rows, (size_t)row, &data, &n, err);

	if (r != BT_OK)
		return r;
	t->values = (struct bt_pb){data, (const uint8_t *)data + n};
	return bt_pb_bytes(&t->values, &key) &&
	       bt_span_equal(bt_pb_span(key), t->key);
}

/* 1: the row with the key is there; 0: it is not; else an error. */
static int find_row(struct bt_joined_table *t, struct bt_span key,
                    struct bt_error *err)
{
	t->key = key;
	return bt_hash_index_find(t->index, bt_hash(key.p, key.n), is_row, t,
	                          err);
}

static void put_value(struct bt_buf *b, struct bt_span v)
{
	bt_pb_put_varint(b, v.p != NULL ? (uint64_t)v.n + 1 : 0);
	if (v.n > 0)
		bt_buf_put(b, v.p, v.n);
}

static int add_row(struct bt_joins *j, struct bt_joined_table *t,
                   const struct bt_table_columns *c,
                   const struct bt_span *fields, struct bt_error *err)
{
	struct bt_span key = fields[c->text[0]], values;
	size_t i, start;
	int r;

	if (key.p == NULL)
		return bt_error_set(err, BT_EFORMAT, "the key is null");
	bt_buf_reset(&j->row);
	bt_pb_put_varint(&j->row, key.n);
	if (key.n > 0)
		bt_buf_put(&j->row, key.p, key.n);
	start = j->row.len;
	for (i = 0; i < t->n; i++)
		put_value(&j->row, fields[c->where[i]]);
	if (j->row.oom)
		return bt_error_nomem(err, "joining a file");
	r = find_row(t, key, err);
	if (r < 0)
		return r;
	values =
	    (struct bt_span){bt_buf_at(&j->row, start), j->row.len - start};
	if (r == 1)
		return bt_span_equal(bt_pb_span(t->values), values)
		           ? BT_OK
		           : bt_error_set(err, BT_EFORMAT,
		                          "an earlier row has the key '%.*s' "
		                          "and other values",
		                          (int)(key.n < 60 ? key.n : 60),
		                          key.p);
	r = bt_hash_index_add(t->index, bt_hash(key.p, key.n),
	                      bt_record_store_count(t->rows), err);
	return r == BT_OK
	           ? bt_record_store_put(t->rows, j->row.data, j->row.len, err)
	           : r;
}

/* What can be done about a bad row of a joined file. */
static enum bt_hint hint_for(enum bt_table_fault fault)
{
	return fault == BT_TABLE_QUOTES    ? BT_HINT_TABLE_NO_QUOTE
	       : fault == BT_TABLE_CHARSET ? BT_HINT_TABLE_ENCODING
	                                   : BT_HINT_NONE;
}

/* The values are converted where they are used, which could not name the file.
 */
static int check_bytes(const struct bt_joined_table *t,
                       const struct bt_table_columns *c,
                       const struct bt_span *fields, enum bt_charset set,
                       struct bt_error *err)
{
	struct bt_span v, name;
	size_t i, at;

	for (i = 0; i < t->n; i++) {
		v = fields[c->where[i]];
		at = v.p != NULL ? bt_charset_check(set, v.p, v.n) : v.n;
		if (at == v.n)
			continue;
		name = t->names[i];
		return bt_error_set(err, BT_EFORMAT,
		                    "column '%.*s' is not valid %s (byte %02X "
		                    "at position %zu)",
		                    (int)(name.n - t->first->column.n - 1),
		                    name.p + t->first->column.n + 1,
		                    bt_charset_name(set),
		                    (unsigned)(uint8_t)v.p[at], at + 1);
	}
	return BT_OK;
}

/* The next row, which is added: 1; 0: there is none; else an error, with *fault
 * set where it is one of the row alone. */
static int next_row(struct bt_joins *j, struct bt_joined_table *t,
                    struct bt_row_source *rows,
                    const struct bt_table_opts *opts,
                    enum bt_table_fault *fault, struct bt_error *err)
{
	const struct bt_span *fields;
	int r;

	*fault = BT_TABLE_FAULTS;
	r = bt_row_source_next(rows, opts, &fields, fault, err);
	if (r != 1)
		return r;
	if (rows->columns.n_text != 1)
		return bt_error_set(err, BT_EARG,
		                    "the key of %s is not one column",
		                    bt_row_source_name(rows));
	r = check_bytes(t, &rows->columns, fields, opts->charset, err);
	if (r != BT_OK) {
		*fault = BT_TABLE_CHARSET;
		return bt_row_source_blame(rows, err);
	}
	r = add_row(j, t, &rows->columns, fields, err);
	if (r == BT_OK)
		return 1;
	if (r == BT_EFORMAT)
		*fault = fields[rows->columns.text[0]].p == NULL
		             ? BT_TABLE_KEY
		             : BT_TABLE_JOINED;
	return bt_row_source_blame(rows, err);
}

/* Leaves the bad row out, of which there are *bad, and tells of it. */
static void skip(const struct bt_row_source *rows,
                 const struct bt_table_opts *opts, uint64_t *bad,
                 struct bt_error *err)
{
	if (++*bad <= BT_TABLE_REPORTED)
		bt_log_warn(opts->log, "bad-row", BT_HINT_NONE,
		            "skipped a row to join: %s: %s",
		            bt_row_source_name(rows), err->text);
	bt_error_clear(err);
}

/* Behind the last row. */
static int end_rows(const struct bt_row_source *rows,
                    const struct bt_table_opts *opts, uint64_t n, uint64_t bad,
                    struct bt_error *err)
{
	const char *name = bt_row_source_name(rows);
	char left_out[48] = "";

	if (n + bad == 0)
		return bt_table_empty(rows, err);
	if (bad > 0)
		snprintf(left_out, sizeof(left_out), ", %llu bad skipped",
		         (unsigned long long)bad);
	bt_log(opts->log, bad > 0 ? BT_LOG_NOTE : BT_LOG_MORE,
	       "%s: %llu row%s to join%s", name, (unsigned long long)n,
	       bt_plural(n), left_out);
	if (opts->max_bad > 0 &&
	    (double)bad > opts->max_bad * (double)(n + bad))
		return bt_error_set(err, BT_EFORMAT,
		                    "%s: %llu of %llu rows are malformed, a "
		                    "larger share than %g",
		                    name, (unsigned long long)bad,
		                    (unsigned long long)(n + bad),
		                    opts->max_bad);
	return BT_OK;
}

static int read_rows(struct bt_joins *j, struct bt_joined_table *t,
                     struct bt_row_source *rows,
                     const struct bt_table_opts *opts, struct bt_error *err)
{
	enum bt_table_fault fault;
	uint64_t n = 0, bad = 0;
	int r;

	while ((r = next_row(j, t, rows, opts, &fault, err)) != 0) {
		/* of two rows with a key, none is the bad one */
		if (r < 0 && (fault == BT_TABLE_FAULTS || !opts->skip_bad ||
		              fault == BT_TABLE_JOINED))
			break;
		if (r < 0)
			skip(rows, opts, &bad, err);
		else if (++n % 4096 == 0 && opts->joining != NULL)
			opts->joining(opts->joining_ctx, n);
	}
	if (r == 0)
		return end_rows(rows, opts, n, bad, err);
	if (fault != BT_TABLE_FAULTS) {
		bt_printable(err->text);
		bt_error_prefix(err, "cannot read %s",
		                bt_row_source_name(rows));
		bt_error_hint(err, hint_for(fault), r);
	}
	return r;
}

static bool is_among(struct bt_span column, const char *list)
{
	size_t n;

	for (; list != NULL; list = list[n] != '\0' ? list + n + 1 : NULL) {
		n = strcspn(list, ",");
		if (bt_span_equal(column, (struct bt_span){list, n}))
			return true;
	}
	return false;
}

static bool is(struct bt_span column, const char *name)
{
	return name != NULL && bt_span_equal(column, bt_span(name));
}

/* Whether a joined column may hold lists, as one of the table itself may. */
static bool may_hold_lists(const struct bt_table_opts *o, struct bt_span column)
{
	if (o->text_lists &&
	    (is_among(column, o->text) || is_among(column, o->pair)))
		return true;
	if (is(column, o->choices) || is(column, o->choice_names))
		return true;
	return is(column, o->label) && o->choices == NULL &&
	       o->candidates == NULL && !o->numbers;
}

/* Reads the wanted columns as if they were asked for by their values. */
static int read_file(struct bt_joins *j, const struct bt_table_join *file,
                     const struct bt_table_opts *opts, struct bt_error *err)
{
	struct bt_joined_table *t = bt_joins_of_file(j, file);
	struct bt_table_where *wanted = bt_array(t->n, sizeof(*wanted));
	struct bt_table_opts o = {
	    .text = file->key,
	    .key_of = file->key == NULL ? &file->column : NULL,
	    .where = wanted,
	    .n_where = t->n,
	    .csv = opts->csv,
	    .charset = opts->charset,
	    .utf16 = opts->utf16,
	    .limit = opts->limit,
	    .skip_bad = opts->skip_bad || opts->rejects != NULL,
	    .max_bad = opts->max_bad,
	    .joining = opts->joining,
	    .joining_ctx = opts->joining_ctx,
	    .log = opts->log};
	struct bt_row_source rows;
	size_t i;
	int r;

	o.csv.delimiter = file->delimiter;
	if (opts->charset != BT_CHARSET_UTF8) /* of others it is known */
		o.format = BT_TABLE_CSV;
	for (i = 0; i < t->n; i++)
		wanted[i] = (struct bt_table_where){
		    .column = {t->names[i].p + file->column.n + 1,
		               t->names[i].n - file->column.n - 1},
		    .lists = may_hold_lists(opts, t->names[i])};
	r = bt_row_source_open(file->path, &o, &rows, err);
	if (r == BT_OK) {
		r = read_rows(j, t, &rows, &o, err);
		bt_row_source_close(&rows);
	}
	free(wanted);
	return r;
}

int bt_joins_read(struct bt_joins *j, const struct bt_table_opts *opts,
                  struct bt_error *err)
{
	size_t i;
	int r = BT_OK;

	for (i = 0; i < bt_joins_count(j); i++) {
		j->join[i].rows =
		    bt_record_store_new(BT_RECORD_STORE_AT_RANDOM, false);
		j->join[i].index = bt_hash_index_new(INDEX_MEMORY, ROW_BITS);
	}
	for (i = 0; r == BT_OK && i < opts->n_joins; i++)
		r = read_file(j, &opts->joins[i], opts, err);
	return r;
}

static int not_there(const struct bt_joined_table *t, struct bt_table_maker *m,
                     struct bt_span key, struct bt_error *err)
{
	char others[40] = "";

	m->fault = BT_TABLE_JOINED;
	if (t->files > 1)
		snprintf(others, sizeof(others), " and %zu other%s",
		         t->files - 1, bt_plural(t->files - 1));
	return bt_error_hint(
	    err, BT_HINT_TABLE_SKIP_BAD,
	    bt_error_set(err, BT_EFORMAT,
	                 "'%.*s' in column '%.*s' is not a key of '%s'%s",
	                 (int)(key.n < 60 ? key.n : 60), key.p,
	                 (int)t->first->column.n, t->first->column.p,
	                 t->first->path, others));
}

/* The values of the row that was found, or null. */
static int take_values(struct bt_joined_table *t, bool found,
                       struct bt_span *fields, struct bt_error *err)
{
	struct bt_pb *v = &t->values;
	uint64_t n;
	size_t i;

	for (i = 0; i < t->n; i++) {
		fields[i] = (struct bt_span){NULL, 0};
		if (!found)
			continue;
		if (!bt_pb_varint(v, &n) || n > (size_t)(v->end - v->p) + 1)
			return bt_error_set(err, BT_ECORRUPT,
			                    "the row that '%.*s' joins is "
			                    "damaged",
			                    (int)t->first->column.n,
			                    t->first->column.p);
		if (n > 0)
			fields[i] =
			    (struct bt_span){(const char *)v->p, (size_t)n - 1};
		v->p += n > 0 ? n - 1 : 0;
	}
	return BT_OK;
}

int bt_joins_look_up(struct bt_joins *j, struct bt_table_maker *m,
                     struct bt_error *err)
{
	const struct bt_table_columns *c = m->columns;
	struct bt_span key;
	struct bt_joined_table *t;
	size_t i;
	int r = BT_OK;

	if (bt_grow(&j->fields, &j->cap, c->own + j->columns,
	            sizeof(*j->fields)) != BT_OK)
		return bt_error_nomem(err, "reading a row");
	memcpy(j->fields, m->fields, c->own * sizeof(*j->fields));
	for (i = 0; r == BT_OK && i < j->n; i++) {
		t = &j->join[i];
		key = m->fields[c->join[i]];
		r = key.p != NULL ? find_row(t, key, err) : 1;
		if (r == 0)
			return not_there(t, m, key, err);
		if (r == 1)
			r = take_values(t, key.p != NULL,
			                j->fields + c->own + t->at, err);
	}
	m->fields = j->fields;
	return r;
}

/* Appends the names of a file's columns, a line each, behind that of the column
 * by which it is joined, if there is one. */
static int put_names(const char *path, struct bt_table_opts o,
                     struct bt_span joined, struct bt_buf *names,
                     struct bt_error *err)
{
	struct bt_buf own = BT_BUF_INIT;
	struct bt_row_source rows;
	const char *p, *line;
	int r;

	o.names = &own;
	o.csv.ahead = false;
	r = bt_row_source_open(path, &o, &rows, err);
	if (r == BT_OK && own.len == 0)
		r = bt_error_set(err, BT_EFORMAT, "%s has no header",
		                 bt_row_source_name(&rows));
	bt_row_source_close(&rows);
	for (line = bt_buf_str(&own); r == BT_OK && *line != '\0'; line = p) {
		p = strchr(line, '\n') + 1;
		if (joined.n > 0) {
			bt_escape_line(names, joined, 0);
			bt_buf_putc(names, '.');
		}
		bt_buf_put(names, line, (size_t)(p - line));
	}
	bt_buf_clear(&own);
	return r;
}

int bt_table_names(const char *path, const struct bt_table_opts *opts,
                   struct bt_buf *names, struct bt_error *err)
{
	struct bt_table_opts o = *opts;
	struct bt_span none = {NULL, 0};
	int r = put_names(path, o, none, names, err);
	size_t i, k;

	for (i = 0; r == BT_OK && i < opts->n_joins; i++) {
		const struct bt_table_join *join = &opts->joins[i];

		for (k = 0; !bt_span_equal(opts->joins[k].column, join->column);
		     k++)
			;
		o.csv.delimiter = join->delimiter;
		if (k == i) /* a table's first file */
			r = put_names(join->path, o, join->column, names, err);
	}
	return r;
}
