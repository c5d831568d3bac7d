/* SPDX-License-Identifier: MIT */
#include "task/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/set.h"
#include "task/table_int.h"

#define REPORTED 5 /* bad rows told of one by one */

enum part { TEXT, PAIR, LABEL, ID, PARTS };

static const char *const part_names[] = {"text", "second text", "label", "id"};

/* One open file. */
struct source {
	struct bt_csv *csv; /* NULL: none */
	struct bt_table_columns columns;
	bool found;                /* columns were looked up */
	bool begun;                /* it has a row, good or bad */
	uint64_t records, skipped; /* counted before it */
};

struct bt_table {
	char *const *paths;
	int n_paths, at; /* the next to be opened */
	struct bt_table_opts opts;
	struct source now;
	struct source *ahead; /* [n_paths], opened early */
	struct bt_buf parts[PARTS];
	struct bt_set *labels;
	struct bt_table_stats stats;
	enum bt_table_fault fault; /* of the last row */
};

static const char *path_of(const struct bt_table *t, int i)
{
	return t->n_paths == 0 ? NULL : t->paths[i];
}

static int n_sources(const struct bt_table *t)
{
	return t->n_paths == 0 ? 1 : t->n_paths;
}

static void source_close(struct source *s)
{
	bt_csv_close(s->csv);
	bt_table_columns_clear(&s->columns);
	memset(s, 0, sizeof(*s));
}

/* Looks the columns up as soon as their number is known. */
static int find_columns(const struct bt_table *t, struct source *s,
                        struct bt_error *err)
{
	int r;

	if (s->found || bt_csv_width(s->csv) == 0)
		return BT_OK;
	r = bt_table_columns_find(&t->opts, s->csv, &s->columns, err);
	s->found = r == BT_OK;
	return r;
}

static int source_open(const struct bt_table *t, int i, struct source *s,
                       struct bt_error *err)
{
	int r = bt_csv_open(path_of(t, i), &t->opts.csv, &s->csv, err);

	if (r == BT_OK)
		r = find_columns(t, s, err);
	if (r != BT_OK)
		source_close(s);
	return r;
}

/* Opens every file, so that a missing column shows before any record does.
 * Those that can be opened a second time are closed again. */
static int check_sources(struct bt_table *t, struct bt_error *err)
{
	struct stat st;
	int i, r;

	for (i = 0; i < n_sources(t); i++) {
		r = source_open(t, i, &t->ahead[i], err);
		if (r != BT_OK)
			return r;
		if (i > 0 && strcmp(path_of(t, i), "-") != 0 &&
		    stat(path_of(t, i), &st) == 0 && S_ISREG(st.st_mode))
			source_close(&t->ahead[i]);
	}
	return BT_OK;
}

int bt_table_open(char *const *paths, int n, const struct bt_table_opts *opts,
                  struct bt_table **table, struct bt_error *err)
{
	struct bt_table *t = bt_array0(1, sizeof(*t));
	int r;

	if (t == NULL)
		return bt_error_nomem(err, "opening a table");
	t->paths = paths;
	t->n_paths = n;
	t->opts = *opts;
	t->labels = bt_set_new();
	t->ahead = bt_array0((size_t)n_sources(t), sizeof(*t->ahead));
	if (t->labels == NULL || t->ahead == NULL)
		r = bt_error_nomem(err, "opening a table");
	else
		r = check_sources(t, err);
	if (r != BT_OK) {
		bt_table_close(t);
		return r;
	}
	*table = t;
	return BT_OK;
}

void bt_table_close(struct bt_table *t)
{
	int i;

	if (t == NULL)
		return;
	source_close(&t->now);
	for (i = 0; t->ahead != NULL && i < n_sources(t); i++)
		source_close(&t->ahead[i]);
	for (i = 0; i < PARTS; i++)
		bt_buf_clear(&t->parts[i]);
	bt_set_free(t->labels);
	free(t->ahead);
	free(t);
}

static int next_source(struct bt_table *t, struct bt_error *err)
{
	int r = BT_OK;

	t->now = t->ahead[t->at];
	memset(&t->ahead[t->at], 0, sizeof(t->now));
	if (t->now.csv == NULL)
		r = source_open(t, t->at, &t->now, err);
	if (r == BT_OK) {
		t->at++;
		t->stats.files++;
		t->now.records = t->stats.records;
		t->now.skipped = t->stats.skipped;
	}
	return r;
}

static int end_source(struct bt_table *t, struct bt_error *err)
{
	uint64_t records, skipped;

	if (!t->now.begun)
		return bt_error_set(err, BT_EFORMAT,
		                    "%s has a header but no rows",
		                    bt_csv_name(t->now.csv));
	records = t->stats.records - t->now.records;
	skipped = t->stats.skipped - t->now.skipped;
	bt_log(t->opts.log, BT_LOG_MORE, "%s: %llu record%s, %llu bad row%s",
	       bt_csv_name(t->now.csv), (unsigned long long)records,
	       records == 1 ? "" : "s", (unsigned long long)skipped,
	       skipped == 1 ? "" : "s");
	t->stats.bytes += bt_csv_offset(t->now.csv);
	source_close(&t->now);
	if (t->at < n_sources(t) || t->stats.records > 0)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "no rows are left: %llu bad ones were skipped",
	                    (unsigned long long)t->stats.skipped);
}

static int bad_row(struct bt_table *t, enum bt_table_fault fault,
                   struct bt_error *err)
{
	t->fault = fault;
	return bt_csv_blame(t->now.csv, err);
}

/* Adds a field, in UTF-8, to what part is made of. The plain case, where the
 * field can be used as it lies, is told by a buffer that stays empty. */
static int take_field(struct bt_table *t, enum part part, struct bt_span v,
                      bool as_it_is, struct bt_span *out, struct bt_error *err)
{
	enum bt_charset set = t->opts.charset;
	size_t at = bt_charset_check(set, v.p, v.n);
	struct bt_buf *b = &t->parts[part];

	if (at < v.n) {
		bt_error_set(err, BT_EFORMAT,
		             "the %s is not valid %s (byte %02X at position "
		             "%zu)",
		             part_names[part], bt_charset_name(set),
		             (unsigned char)v.p[at], at + 1);
		return bad_row(t, BT_TABLE_CHARSET, err);
	}
	if (as_it_is && set == BT_CHARSET_UTF8) {
		*out = v;
		return BT_OK;
	}
	bt_charset_put(b, set, v.p, v.n);
	out->p = bt_buf_str(b);
	out->n = b->len;
	return out->p != NULL ? BT_OK : bt_error_nomem(err, "reading a row");
}

static int take_texts(struct bt_table *t, const struct bt_span *fields,
                      struct bt_span *out, struct bt_error *err)
{
	const struct bt_table_columns *c = &t->now.columns;
	size_t i;
	int r = BT_OK;

	bt_buf_reset(&t->parts[TEXT]);
	for (i = 0; r == BT_OK && i < c->n_text; i++) {
		if (i > 0)
			bt_buf_putc(&t->parts[TEXT], ' ');
		r = take_field(t, TEXT, fields[c->text[i]], c->n_text == 1, out,
		               err);
	}
	return r;
}

static int take_one(struct bt_table *t, enum part part, size_t column,
                    const struct bt_span *fields, struct bt_span *out,
                    struct bt_error *err)
{
	if (column == BT_TABLE_ABSENT)
		return BT_OK;
	bt_buf_reset(&t->parts[part]);
	return take_field(t, part, fields[column], true, out, err);
}

static int make_record(struct bt_table *t, const struct bt_span *fields,
                       struct bt_text_rec *rec, struct bt_error *err)
{
	const struct bt_table_columns *c = &t->now.columns;
	int r;

	memset(rec, 0, sizeof(*rec));
	r = take_texts(t, fields, &rec->text_a, err);
	if (r == BT_OK)
		r = take_one(t, PAIR, c->pair, fields, &rec->text_b, err);
	if (r == BT_OK)
		r = take_one(t, LABEL, c->label, fields, &rec->label, err);
	if (r == BT_OK)
		r = take_one(t, ID, c->id, fields, &rec->id, err);
	if (r != BT_OK)
		return r;
	if (rec->label.p != NULL && rec->label.n == 0) {
		bt_error_set(err, BT_EFORMAT, "the label is empty");
		return bad_row(t, BT_TABLE_LABEL, err);
	}
	return 1;
}

static enum bt_table_fault fault_of(enum bt_csv_fault fault)
{
	switch (fault) {
	case BT_CSV_FIELDS:
		return BT_TABLE_FIELDS;
	case BT_CSV_QUOTES:
		return BT_TABLE_QUOTES;
	case BT_CSV_NUL:
		return BT_TABLE_NUL;
	case BT_CSV_LARGE:
		return BT_TABLE_LARGE;
	default:
		return BT_TABLE_FAULTS;
	}
}

/* As bt_table_next, but a bad row is not skipped and its text does not name the
 * file. */
static int read_record(struct bt_table *t, struct bt_text_rec *rec,
                       struct bt_error *err)
{
	const struct bt_span *fields;
	int r;

	t->fault = BT_TABLE_FAULTS;
	for (;;) {
		if (t->now.csv == NULL && t->at == n_sources(t))
			return 0;
		r = t->now.csv == NULL ? next_source(t, err) : BT_OK;
		if (r == BT_OK)
			r = bt_csv_next(t->now.csv, &fields, err);
		if (r != 0)
			break;
		r = end_source(t, err);
		if (r != BT_OK)
			return r;
	}
	t->now.begun = true;
	if (r < 0) {
		t->fault = t->now.csv == NULL
		               ? BT_TABLE_FAULTS
		               : fault_of(bt_csv_fault(t->now.csv));
		return r;
	}
	r = find_columns(t, &t->now, err);
	return r == BT_OK ? make_record(t, fields, rec, err) : r;
}

static void skip(struct bt_table *t, const struct bt_error *why)
{
	t->stats.skipped++;
	t->stats.faults[t->fault]++;
	if (t->stats.skipped <= REPORTED)
		bt_log(t->opts.log, BT_LOG_WARN, "skipped a row: %s: %s",
		       bt_csv_name(t->now.csv), why->text);
	else if (t->stats.skipped == REPORTED + 1)
		bt_log(t->opts.log, BT_LOG_WARN,
		       "further bad rows are only counted");
}

static int count(struct bt_table *t, const struct bt_text_rec *rec,
                 struct bt_error *err)
{
	t->stats.records++;
	t->stats.empty += rec->text_a.n == 0;
	if (rec->label.p != NULL &&
	    bt_set_count(t->labels) < BT_TABLE_LABELS_MAX &&
	    bt_set_add(t->labels, rec->label, NULL) != BT_OK)
		return bt_error_nomem(err, "counting labels");
	return 1;
}

/* What may make the bad row a good one. */
static const char *advice(const struct bt_table *t)
{
	if (t->fault == BT_TABLE_QUOTES)
		return "; where quotes are ordinary characters, use --no-quote";
	if (t->fault == BT_TABLE_CHARSET && t->opts.charset == BT_CHARSET_UTF8)
		return "; what is not UTF-8 needs --encoding";
	return "";
}

int bt_table_next(struct bt_table *t, struct bt_text_rec *rec,
                  struct bt_error *err)
{
	struct bt_error why;
	int r;

	for (;;) {
		bt_error_clear(&why);
		r = read_record(t, rec, &why);
		if (r == 1)
			return count(t, rec, err);
		if (r == 0)
			return 0;
		if (t->fault == BT_TABLE_FAULTS)
			return bt_error_set(err, r, "%s", why.text);
		if (!t->opts.skip_bad)
			return bt_error_set(err, r, "cannot read %s: %s%s",
			                    bt_csv_name(t->now.csv), why.text,
			                    advice(t));
		skip(t, &why);
	}
}

void bt_table_stats(const struct bt_table *t, struct bt_table_stats *stats)
{
	*stats = t->stats;
	stats->labels = bt_set_count(t->labels);
	if (t->now.csv != NULL)
		stats->bytes += bt_csv_offset(t->now.csv);
}

const char *bt_table_fault_name(enum bt_table_fault fault)
{
	static const char *const names[] = {
	    "with the wrong number of fields",
	    "with malformed quotes",
	    "with a NUL byte",
	    "beyond a limit",
	    "in another character set",
	    "without a label",
	};

	return fault < BT_TABLE_FAULTS ? names[fault] : "?";
}
