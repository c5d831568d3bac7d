/* SPDX-License-Identifier: MIT */
#include "table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/string_set.h"
#include "dedup/duplicate_ids.h"
#include "dedup/record_store.h"
#include "dedup/string_set_disk.h"
#include "io/duplicate_paths.h"
#include "table/contradictions_int.h"
#include "table/join_int.h"
#include "table/table_int.h"

#define REJECTS "file,line,reason,row\n"
#define FEW 20 /* labels; fewer may be like that by chance */

/* One open file. */
struct source {
	struct bt_row_source rows;
	uint64_t read;             /* rows, good or bad */
	uint64_t records, skipped; /* counted before it */
};

struct bt_table {
	char *const *paths;
	int n_paths, at; /* the next to be opened */
	struct bt_table_opts opts;
	struct bt_table_maker maker;
	struct source now;
	struct source *ahead; /* [n_paths], opened early */
	struct bt_string_set *labels;
	struct bt_string_set_disk
	    *texts; /* keys, with drop_duplicates; or NULL */
	struct bt_duplicate_ids ids;
	struct bt_contradictions contradictions;
	uint64_t rows; /* of the files before */
	struct bt_out *rejects;
	struct bt_buf scratch;
	struct bt_table_stats stats;
	char html[24];   /* a tag or entity of HTML in a text */
	uint64_t firsts; /* records with the label of the first one */
	bool several;    /* a record may have several labels */
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
	bt_row_source_close(&s->rows);
	memset(s, 0, sizeof(*s));
}

static int source_open(const struct bt_table *t, int i, struct source *s,
                       struct bt_error *err)
{
	return bt_row_source_open(path_of(t, i), &t->opts, &s->rows, err);
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

	t->paths = paths;
	t->n_paths = n;
	t->opts = *opts;
	t->labels = bt_string_set_new();
	t->ahead = bt_array0((size_t)n_sources(t), sizeof(*t->ahead));
	bt_table_maker_init(&t->maker, &t->opts);
	t->contradictions.on =
	    opts->label != NULL && !opts->numbers && opts->task == NULL &&
	    opts->choices == NULL &&
	    (opts->rejects != NULL || bt_log_is_heard(opts->log, BT_LOG_WARN));
	t->contradictions.all = opts->rejects != NULL;
	t->contradictions.dropped = opts->drop_duplicates;
	t->contradictions.paths = n > 0 ? paths : NULL;
	r = t->ahead != NULL ? bt_duplicate_paths(paths, n, opts->log, err)
	                     : bt_error_nomem(err, "opening a table");
	if (opts->drop_duplicates)
		t->texts = bt_string_set_disk_new(BT_RECORD_STORE_DEFAULT);
	if (r == BT_OK)
		r = bt_joins_new(opts, &t->opts.joined, err);
	if (r == BT_OK)
		r = check_sources(t, err);
	if (r == BT_OK)
		r = bt_joins_read(t->opts.joined, opts, err);
	if (r == BT_OK && opts->rejects != NULL)
		r = bt_out_open(opts->rejects, BT_OUT_TEXT, &t->rejects, err);
	if (r == BT_OK && opts->rejects != NULL)
		r = bt_out_write(t->rejects, REJECTS, strlen(REJECTS), err);
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
	bt_table_maker_clear(&t->maker);
	bt_joins_free(t->opts.joined);
	bt_string_set_free(t->labels);
	bt_string_set_disk_free(t->texts);
	bt_duplicate_ids_clear(&t->ids);
	bt_contradictions_clear(&t->contradictions);
	bt_out_abandon(t->rejects);
	bt_buf_clear(&t->scratch);
	free(t->ahead);
	free(t);
}

static int next_source(struct bt_table *t, struct bt_error *err)
{
	int r = BT_OK;

	t->now = t->ahead[t->at];
	memset(&t->ahead[t->at], 0, sizeof(t->now));
	if (!bt_row_source_is_open(&t->now.rows))
		r = source_open(t, t->at, &t->now, err);
	if (r == BT_OK) {
		t->at++;
		t->stats.files++;
		bt_table_maker_classes(&t->maker,
		                       bt_row_source_classes(&t->now.rows));
		t->now.records = t->stats.records;
		t->now.skipped = t->stats.skipped;
		bt_contradictions_file(&t->contradictions, t->rows);
	}
	return r;
}

/* What is renamed may be misspelt. */
static void warn_unused_map(const struct bt_table *t)
{
	struct bt_span from, to;
	struct bt_buf b = BT_BUF_INIT;
	size_t i, k, n = 0;

	for (i = 0;
	     t->opts.map != NULL && bt_label_map_get(t->opts.map, i, &from);
	     i++)
		if (bt_label_map_find(t->opts.map, from, &to) &&
		    !bt_string_set_find(t->labels, to, &k) && n++ == 0)
			bt_table_put_name(&b, from);
	if (n > 0)
		bt_log_warn(
		    t->opts.log, "map-unused", BT_HINT_NONE,
		    "no record has %zu of the labels that the label map "
		    "renames, such as %s",
		    n, bt_buf_str(&b));
	bt_buf_clear(&b);
}

/* Labels that are taken for numbers of choices may be other numbers. */
static void warn_from_one(const struct bt_table *t)
{
	if (t->maker.numbers_of_choices >= FEW && t->maker.first_choices == 0)
		bt_log_warn(t->opts.log, "choices-from-one",
		            BT_HINT_MAP_FROM_ONE,
		            "none of %llu labels is 0, the number of the first "
		            "choice: 1 was taken for the second",
		            (unsigned long long)t->maker.numbers_of_choices);
}

/* What the labels look like. */
static int doubt_labels(const struct bt_table *t, struct bt_error *err)
{
	size_t n = bt_string_set_count(t->labels);

	/* a header is a label that is no other row's, where labels recur */
	if (!t->opts.csv.header && n > 1 && t->stats.records >= 4 * n &&
	    t->firsts == 1)
		bt_log_warn(t->opts.log, "label-in-first-row",
		            BT_HINT_TABLE_HEADER,
		            "label '%.*s' occurs only in the first row",
		            (int)bt_string_set_get(t->labels, 0).n,
		            bt_string_set_get(t->labels, 0).p);
	if (!t->several && !t->stats.fraction && n < BT_TABLE_LABELS_MAX &&
	    t->stats.labelled >= FEW && n > t->stats.labelled / 10 * 9)
		bt_log_warn(t->opts.log, "many-labels", BT_HINT_TABLE_LABEL,
		            "%llu records have %zu different labels",
		            (unsigned long long)t->stats.labelled, n);
	if (n > 1 && t->stats.records >= FEW &&
	    t->stats.singles == t->stats.records)
		bt_log_warn(t->opts.log, "one-label-each",
		            BT_HINT_TABLE_ONE_HOT,
		            "each of %llu records has exactly one of the %zu "
		            "labels, of which any number may apply",
		            (unsigned long long)t->stats.records, n);
	if (t->stats.listed > t->stats.records / 2)
		bt_log_warn(t->opts.log, "texts-are-lists",
		            BT_HINT_TABLE_TEXT_LIST,
		            "%llu of %llu texts look like lists, with brackets "
		            "and quotes",
		            (unsigned long long)t->stats.listed,
		            (unsigned long long)t->stats.records);
	if (t->stats.marked > t->stats.records / 10)
		bt_log_warn(t->opts.log, "texts-have-html", BT_HINT_TABLE_HTML,
		            "%llu of %llu texts have tags or entities of HTML, "
		            "such as '%s'",
		            (unsigned long long)t->stats.marked,
		            (unsigned long long)t->stats.records, t->html);
	if (t->maker.control)
		bt_log_warn(t->opts.log, "control-characters",
		            BT_HINT_TABLE_WINDOWS1252,
		            "texts have control characters (bytes 80 to 9F), "
		            "which are quotes and dashes in windows-1252");
	warn_unused_map(t);
	return t->opts.numbers
	           ? BT_OK
	           : bt_table_warn_labels(t->labels, t->opts.log, err);
}

static int check_skipped(const struct bt_table *t, struct bt_error *err)
{
	uint64_t bad = t->stats.skipped,
	         rows = t->stats.records + t->stats.duplicates + bad;

	if (t->opts.max_bad > 0 && (double)bad > t->opts.max_bad * (double)rows)
		return bt_error_set(err, BT_EFORMAT,
		                    "%llu of %llu rows are malformed, a larger "
		                    "share than %g",
		                    (unsigned long long)bad,
		                    (unsigned long long)rows, t->opts.max_bad);
	if (bad > rows - bad)
		bt_log_warn(
		    t->opts.log, "most-rows-bad", BT_HINT_NONE,
		    "MORE THAN HALF OF THE ROWS ARE LEFT OUT: %llu of %llu "
		    "are malformed",
		    (unsigned long long)bad, (unsigned long long)rows);
	return BT_OK;
}

/* Behind the last row of all. */
static int end_all(struct bt_table *t, struct bt_error *err)
{
	struct bt_out *out = t->rejects;
	int r = BT_OK;

	t->rejects = NULL;
	if (out != NULL)
		r = bt_out_commit(out, err);
	bt_duplicate_ids_tell(&t->ids, t->opts.log);
	bt_contradictions_tell(&t->contradictions, t->opts.rejects,
	                       t->opts.log);
	warn_from_one(t);
	if (r == BT_OK && t->opts.task == NULL)
		r = doubt_labels(t, err);
	if (r != BT_OK || t->stats.records > 0)
		return r == BT_OK ? check_skipped(t, err) : r;
	if (t->stats.others > 0 && t->stats.skipped == 0)
		return bt_error_set(
		    err, BT_EFORMAT, "no row has '%.*s' in the column '%.*s'%s",
		    (int)t->opts.where->value.n, t->opts.where->value.p,
		    (int)t->opts.where->column.n, t->opts.where->column.p,
		    t->opts.n_where > 1 ? ", and what else is asked for" : "");
	if (t->stats.dropped > 0 && t->stats.skipped == 0)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "no rows are left: %llu without text or label %s left out",
		    (unsigned long long)t->stats.dropped,
		    t->stats.dropped == 1 ? "was" : "were");
	return bt_error_set(err, BT_EFORMAT,
	                    "no rows are left: %llu bad %s skipped",
	                    (unsigned long long)t->stats.skipped,
	                    t->stats.skipped == 1 ? "one was" : "ones were");
}

static int end_source(struct bt_table *t, struct bt_error *err)
{
	const char *name = bt_row_source_name(&t->now.rows);
	uint64_t records, skipped;

	if (t->now.read == 0)
		return bt_table_empty(&t->now.rows, err);
	records = t->stats.records - t->now.records;
	skipped = t->stats.skipped - t->now.skipped;
	bt_log(t->opts.log, BT_LOG_MORE, "%s: %llu record%s, %llu bad row%s",
	       name, (unsigned long long)records, bt_plural(records),
	       (unsigned long long)skipped, bt_plural(skipped));
	bt_table_warn_header(&t->now.rows, &t->opts, t->labels);
	t->stats.unasked |= t->now.rows.columns.unasked;
	t->stats.bytes += bt_row_source_offset(&t->now.rows);
	t->rows += t->now.read;
	source_close(&t->now);
	return t->at < n_sources(t) ? BT_OK : end_all(t, err);
}

/* The next row: 1, 0 behind the last one of all, or an error. */
static int read_row(struct bt_table *t, struct bt_error *err)
{
	int r;

	t->maker.fault = BT_TABLE_FAULTS;
	for (;;) {
		if (!bt_row_source_is_open(&t->now.rows)) {
			if (t->at == n_sources(t))
				return 0;
			r = next_source(t, err);
			if (r != BT_OK)
				return r;
		}
		r = bt_row_source_next(&t->now.rows, &t->opts, &t->maker.fields,
		                       &t->maker.fault, err);
		if (r != 0)
			break;
		r = end_source(t, err);
		if (r != BT_OK)
			return r;
	}
	t->now.read++;
	t->maker.rows = &t->now.rows;
	t->maker.columns = &t->now.rows.columns;
	t->maker.path = path_of(t, t->at - 1);
	if (t->maker.path == NULL)
		t->maker.path = "-";
	t->maker.row = t->now.read;
	t->maker.utf16 = t->now.rows.utf16 != BT_UTF16_NONE;
	return r;
}

/* As bt_table_next, but a bad row is not skipped and its text does not name the
 * file. */
static int read_record(struct bt_table *t, struct bt_text_rec *rec,
                       struct bt_error *err)
{
	struct bt_table_maker *m = &t->maker;
	int r;

	do {
		r = read_row(t, err);
		if (r != 1)
			return r;
		r = bt_table_wants(m, err);
		t->stats.others += r == 0;
		if (r != 1)
			continue;
		m->dropped =
		    t->opts.na == BT_TABLE_NA_DROP && bt_table_is_incomplete(m);
		r = m->dropped ? BT_OK : bt_table_make(m, rec, err);
		if (r == BT_OK && !m->dropped)
			return 1;
		t->stats.dropped += r == BT_OK;
	} while (r == BT_OK);
	return m->fault == BT_TABLE_FAULTS
	           ? r
	           : bt_row_source_blame(&t->now.rows, err);
}

/* Why a row is bad, without "record 17 (line 19): ". */
static const char *reason(const char *text)
{
	const char *p = strstr(text, "): ");

	return p != NULL ? p + 3 : text;
}

/* Writes the row to the rejects. */
static int reject(struct bt_table *t, const char *why, struct bt_error *err)
{
	int r;

	bt_buf_reset(&t->scratch);
	r = bt_row_source_reject(&t->now.rows, path_of(t, t->at - 1), why,
	                         &t->scratch, err);
	return r == BT_OK ? bt_out_write(t->rejects, t->scratch.data,
	                                 t->scratch.len, err)
	                  : r;
}

/* Leaves the bad row out, and tells of it. */
static int skip(struct bt_table *t, const struct bt_error *why,
                struct bt_error *err)
{
	const char *name = bt_row_source_name(&t->now.rows);

	t->stats.skipped++;
	t->stats.faults[t->maker.fault]++;
	if (t->rejects != NULL)
		return reject(t, reason(why->text), err);
	if (t->stats.skipped <= BT_TABLE_REPORTED)
		bt_log_warn(t->opts.log, "bad-row", BT_HINT_NONE,
		            "skipped a row: %s: %s", name, why->text);
	else if (t->stats.skipped == BT_TABLE_REPORTED + 1)
		bt_log_warn(t->opts.log, "bad-row", BT_HINT_NONE,
		            "further bad rows are only counted");
	return BT_OK;
}

/* Whether a text has HTML in it that is not wanted. */
static bool has_html(struct bt_table *t, struct bt_span text)
{
	struct bt_span first;

	if (t->opts.html || !bt_table_find_html(text, &first))
		return false;
	if (t->stats.marked == 0)
		snprintf(t->html, sizeof(t->html), "%.*s", (int)first.n,
		         first.p);
	return true;
}

static int count(struct bt_table *t, const struct bt_text_rec *rec,
                 struct bt_error *err)
{
	const struct bt_span *label = rec->several ? rec->labels : &rec->label;
	size_t n = rec->several ? rec->n_labels : rec->label.p != NULL, i, k;
	struct bt_table_stats *s = &t->stats;
	double x;

	t->stats.records++;
	if (rec->id.p != NULL)
		bt_duplicate_ids_add(&t->ids, rec->id);
	s->empty += rec->text_a.n == 0;
	s->empty_pairs += rec->text_b.p != NULL && rec->text_b.n == 0;
	s->missing += t->maker.missing;
	s->listed += bt_table_looks_like_list(rec->text_a) &&
	             rec->text_a.p[rec->text_a.n - 1] == ']';
	s->marked += has_html(t, rec->text_a);
	s->labelled += n > 0 || rec->numbers != NULL;
	s->singles += t->maker.columns->n_label > 1 && rec->several && n == 1;
	t->several |= rec->several;
	if (!rec->several && n > 0 && bt_table_is_number(*label, &x)) {
		s->least = s->numeric == 0 ? x : fmin(x, s->least);
		s->greatest = s->numeric == 0 ? x : fmax(x, s->greatest);
		s->sum += x;
		s->fraction |= x != floor(x);
		s->numeric++;
	}
	for (i = 0; i < n; i++) {
		k = 1;
		if (bt_string_set_count(t->labels) < BT_TABLE_LABELS_MAX &&
		    bt_string_set_add(t->labels, label[i], &k) != BT_OK)
			return bt_error_nomem(err, "counting labels");
		t->firsts += k == 0;
	}
	return 1;
}

/* 1: the texts are new; 0: they came before; else an error. */
static int is_new(struct bt_table *t, const struct bt_text_rec *rec,
                  struct bt_error *err)
{
	int r = bt_text_rec_key(rec, &t->scratch, err);

	return r == BT_OK
	           ? bt_string_set_disk_add(
	                 t->texts,
	                 (struct bt_span){t->scratch.data, t->scratch.len}, err)
	           : r;
}

/* The row is bad: goes on, or not. */
static int bad_row(struct bt_table *t, int r, struct bt_error *why,
                   struct bt_error *err)
{
	enum bt_table_fault fault = t->maker.fault;
	enum bt_hint hint = BT_HINT_NONE;

	bt_printable(why->text);
	if (fault == BT_TABLE_FAULTS)
		return bt_error_set(err, r, "%s", why->text);
	if (t->opts.skip_bad || t->rejects != NULL ||
	    (fault == BT_TABLE_FIELDS && t->opts.task != NULL &&
	     t->opts.task->short_rows))
		return skip(t, why, err);
	if (fault == BT_TABLE_QUOTES)
		hint = BT_HINT_TABLE_NO_QUOTE;
	else if (fault == BT_TABLE_CHARSET && t->now.rows.csv != NULL &&
	         t->opts.charset == BT_CHARSET_UTF8 && !t->maker.utf16)
		hint = BT_HINT_TABLE_ENCODING;
	else if (fault == BT_TABLE_CHARSET && t->now.rows.jsonl != NULL)
		hint = BT_HINT_TEXT_ENCODING;
	else if (fault == BT_TABLE_AGAIN)
		hint = BT_HINT_TABLE_SKIP_BAD;
	else
		hint = why->hint;
	if (t->opts.advice == BT_TABLE_ADVICE_NONE || t->opts.task != NULL ||
	    (t->opts.advice == BT_TABLE_ADVICE_READING &&
	     fault != BT_TABLE_QUOTES && fault != BT_TABLE_CHARSET))
		hint = BT_HINT_NONE;
	return bt_error_hint(err, hint,
	                     bt_error_set(err, r, "cannot read %s: %s",
	                                  bt_row_source_name(&t->now.rows),
	                                  why->text));
}

/* Lists the last row if an earlier one contradicts it. Numbers to predict,
 * which fractions are, may differ. */
static int check_last(struct bt_table *t, struct bt_error *err)
{
	struct bt_buf why = BT_BUF_INIT;
	uint64_t row;
	int r;

	t->contradictions.on &= !t->stats.fraction;
	row = bt_contradictions_check(&t->contradictions);
	if (row == 0 || t->rejects == NULL)
		return BT_OK;
	bt_contradictions_put(&t->contradictions, row, &why);
	r = reject(t, bt_buf_str(&why), err);
	bt_buf_clear(&why);
	return r;
}

int bt_table_next(struct bt_table *t, struct bt_text_rec *rec,
                  struct bt_error *err)
{
	struct bt_error why;
	int r;

	for (;;) {
		r = check_last(t, err);
		if (r != BT_OK)
			return r;
		bt_error_clear(&why);
		r = read_record(t, rec, &why);
		if (r == 0)
			return 0;
		if (r < 0) {
			r = bad_row(t, r, &why, err);
			if (r != BT_OK)
				return r;
			continue;
		}
		bt_contradictions_note(&t->contradictions, rec, t->now.read);
		if (t->texts != NULL)
			r = is_new(t, rec, err);
		if (r != 0)
			return r < 0 ? r : count(t, rec, err);
		t->stats.duplicates++;
	}
}

const char *bt_table_file(const struct bt_table *t)
{
	return bt_row_source_name(&t->now.rows);
}

uint64_t bt_table_record(const struct bt_table *t)
{
	return t->stats.records - t->now.records;
}

void bt_table_stats(const struct bt_table *t, struct bt_table_stats *stats)
{
	*stats = t->stats;
	stats->labels = bt_string_set_count(t->labels);
	stats->bytes += bt_row_source_offset(&t->now.rows);
}
