/* SPDX-License-Identifier: MIT */
/* The zip file that the GLUE benchmark's leaderboard takes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/str.h"
#include "ckpt_format/zip_write.h"
#include "garden/glue.h"
#include "io/in.h"

#define SETS 11
#define FILE_MAX ((size_t)1 << 28) /* the largest of the test sets has 6 MB */
#define HEADER "index\tprediction"

const struct bt_glue_set bt_glue_sets[SETS + 1] = {
    {"CoLA", "COLA", 1063},    {"SST-2", "SST-2", 1821},
    {"MRPC", "MRPC", 1725},    {"STS-B", "STS-B", 1379},
    {"QQP", "QQP", 390965},    {"MNLI-m", "MNLI", 9796},
    {"MNLI-mm", "MNLI", 9847}, {"QNLI", "QNLI", 5463},
    {"RTE", "RTE", 3000},      {"WNLI", "WNLI", 146},
    {"AX", "AX", 1104},        {NULL, NULL, 0},
};

/* "contradiction, entailment or neutral" */
static const char *choices(const struct bt_glue_set *set, struct bt_buf *b)
{
	const char *const *c = bt_glue_classes(set->task);
	size_t i;

	if (c == NULL)
		return "a number from 0 to 5";
	for (i = 0; c[i] != NULL; i++)
		bt_buf_printf(b, "%s%s",
		              i == 0             ? ""
		              : c[i + 1] != NULL ? ", "
		                                 : " or ",
		              c[i]);
	return bt_buf_str(b);
}

static bool is_prediction(const struct bt_glue_set *set, struct bt_span s)
{
	const char *const *c = bt_glue_classes(set->task);
	char number[32];
	double v;

	if (c == NULL)
		return bt_span_str(s, number, sizeof(number)) &&
		       bt_parse_f64(number, 0, 5, &v) == BT_OK;
	while (*c != NULL && !bt_span_equal(bt_span(*c), s))
		c++;
	return *c != NULL;
}

static int bad_prediction(const struct bt_glue_set *set, struct bt_span s,
                          struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	int r = bt_error_set(err, BT_EFORMAT, "prediction '%.*s', expected %s",
	                     s.n < 60 ? (int)s.n : 60, s.p, choices(set, &b));

	bt_printable(err->text);
	bt_buf_clear(&b);
	return r;
}

/* A line behind the header, which should be row i. */
static int check_row(const struct bt_glue_set *set, struct bt_span line,
                     size_t i, struct bt_error *err)
{
	const char *tab = line.n > 0 ? memchr(line.p, '\t', line.n) : NULL;
	struct bt_span index = {line.p,
	                        tab != NULL ? (size_t)(tab - line.p) : 0};
	char number[24];
	uint64_t v;

	if (tab == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "expected an index, a tab and a "
		                    "prediction");
	if (!bt_span_str(index, number, sizeof(number)) ||
	    bt_parse_u64(number, &v) != BT_OK || v != i)
		return bt_error_set(err, BT_EFORMAT,
		                    "index '%.*s', expected %zu: rows are in "
		                    "the order of the test set, from 0",
		                    index.n < 20 ? (int)index.n : 20, index.p,
		                    i);
	line.p = tab + 1;
	line.n -= index.n + 1;
	return is_prediction(set, line) ? BT_OK
	                                : bad_prediction(set, line, err);
}

static int check_line(const struct bt_glue_set *set, struct bt_span line,
                      size_t i, struct bt_error *err)
{
	if (line.n > 0 && line.p[line.n - 1] == '\r')
		return bt_error_set(err, BT_EFORMAT,
		                    "the line ends in CR and LF, expected LF "
		                    "alone");
	if (i > 0)
		return check_row(set, line, i - 1, err);
	if (bt_span_equal(line, bt_span(HEADER)))
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "expected a header of 'index', a tab and "
	                    "'prediction'");
}

int bt_glue_check(const struct bt_glue_set *set, struct bt_span text,
                  size_t rows, struct bt_error *err)
{
	const char *end = text.p + text.n, *newline;
	struct bt_span line;
	size_t i;
	int r;

	for (i = 0; text.p < end; i++) {
		newline = memchr(text.p, '\n', (size_t)(end - text.p));
		line.p = text.p;
		line.n = (size_t)((newline != NULL ? newline : end) - text.p);
		r = check_line(set, line, i, err);
		if (r != BT_OK)
			return bt_error_prefix(err, "line %zu", i + 1);
		text.p = newline != NULL ? newline + 1 : end;
	}
	if (i == 0)
		return bt_error_set(err, BT_EFORMAT, "the file is empty");
	if (rows != SIZE_MAX && i - 1 != rows)
		return bt_error_set(err, BT_EFORMAT,
		                    "%zu row%s, and the test set has %zu",
		                    i - 1, bt_plural(i - 1), rows);
	return BT_OK;
}

/* What goes into the archive. */
struct files {
	const struct bt_glue_zip *z;
	struct bt_span fill[SETS]; /* p NULL: not to be filled */
	char *text[SETS];
	size_t len[SETS];
	struct bt_buf bad; /* names */
	int n_bad;
};

/* Takes one of the list "NAME=PREDICTION,...". */
static int take_fill(struct files *f, struct bt_span item, struct bt_error *err)
{
	const char *is = item.n > 0 ? memchr(item.p, '=', item.n) : NULL;
	struct bt_span name = {item.p,
	                       is != NULL ? (size_t)(is - item.p) : item.n};
	const struct bt_glue_set *set = bt_glue_sets;
	struct bt_span value;
	int r;

	while (set->name != NULL && !bt_span_equal(bt_span(set->name), name))
		set++;
	if (set->name == NULL || is == NULL)
		return bt_error_set(err, BT_EARG,
		                    "--fill_missing=%.100s: expected "
		                    "NAME=PREDICTION, as in WNLI=0,AX=neutral; "
		                    "names are those of the files",
		                    f->z->fill);
	value = (struct bt_span){is + 1, item.n - name.n - 1};
	if (!is_prediction(set, value)) {
		r = bad_prediction(set, value, err);
		err->code = BT_EARG;
		bt_error_prefix(err, "--fill_missing: %s", set->name);
		return r < 0 ? BT_EARG : r;
	}
	f->fill[set - bt_glue_sets] = value;
	return BT_OK;
}

static int read_fill(struct files *f, struct bt_error *err)
{
	const char *p = f->z->fill;
	size_t n;
	int r = BT_OK;

	for (; r == BT_OK && p != NULL && *p != '\0'; p += n + (p[n] == ',')) {
		n = strcspn(p, ",");
		r = take_fill(f, (struct bt_span){p, n}, err);
	}
	return r;
}

static void note_bad(struct files *f, size_t i)
{
	bt_buf_printf(&f->bad, "%s%s.tsv", f->n_bad++ > 0 ? ", " : "",
	              bt_glue_sets[i].name);
}

/* All rows of a test set with the same prediction. */
static void fill(struct files *f, size_t i, const char *path)
{
	const struct bt_glue_set *set = &bt_glue_sets[i];
	struct bt_buf b = BT_BUF_INIT;
	size_t k;

	bt_buf_puts(&b, HEADER "\n");
	for (k = 0; k < set->rows; k++)
		bt_buf_printf(&b, "%zu\t%.*s\n", k, (int)f->fill[i].n,
		              f->fill[i].p);
	f->len[i] = b.len;
	f->text[i] = bt_buf_detach(&b);
	bt_log_warn(f->z->log, "file-missing", BT_HINT_NONE,
	            "'%s' is missing: %zu rows are filled with '%.*s'", path,
	            set->rows, (int)f->fill[i].n, f->fill[i].p);
}

static void take_file(struct files *f, size_t i, const char *path)
{
	const struct bt_glue_set *set = &bt_glue_sets[i];
	struct bt_error err = {0};
	struct stat st;
	int r;

	if (lstat(path, &st) != 0 && errno == ENOENT) {
		if (f->fill[i].p != NULL) {
			fill(f, i, path);
			return;
		}
		bt_log_warn(f->z->log, "file-missing", BT_HINT_NONE,
		            "'%s' is missing", path);
		note_bad(f, i);
		return;
	}
	r = bt_in_whole(path, FILE_MAX, &f->text[i], &f->len[i], &err);
	if (r == BT_OK) {
		r = bt_glue_check(set, (struct bt_span){f->text[i], f->len[i]},
		                  f->z->any_size ? SIZE_MAX : set->rows, &err);
		if (r != BT_OK)
			bt_error_prefix(&err, "'%s'", path);
	}
	if (r == BT_OK)
		return;
	bt_log_warn(f->z->log, "file-unusable", BT_HINT_NONE, "%s", err.text);
	note_bad(f, i);
}

static int write_archive(const struct files *f, struct bt_error *err)
{
	struct bt_zip_writer w = {.deflate = true};
	struct bt_span part;
	char name[16];
	size_t i;
	int r = bt_out_open(f->z->output, BT_OUT_BINARY, &w.out, err);

	if (r != BT_OK)
		return r;
	for (i = 0; r == BT_OK && i < SETS; i++) {
		part = (struct bt_span){f->text[i], f->len[i]};
		snprintf(name, sizeof(name), "%s.tsv", bt_glue_sets[i].name);
		r = bt_zip_write(&w, name, &part, 1, err);
	}
	if (r == BT_OK)
		r = bt_zip_write_end(&w, err);
	r = bt_out_end(w.out, r, err);
	bt_zip_writer_clear(&w);
	return r;
}

/* Of the file of a test set; to be freed. */
static char *path_of(const struct bt_glue_zip *z, size_t i)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "%s%s%s.tsv", z->dir,
	              bt_str_ends(z->dir, "/") ? "" : "/",
	              bt_glue_sets[i].name);
	return bt_buf_detach(&b);
}

int bt_glue_zip(const struct bt_glue_zip *z, struct bt_error *err)
{
	struct files f = {.z = z, .bad = BT_BUF_INIT};
	char *path;
	size_t i;
	int r = read_fill(&f, err);

	for (i = 0; r == BT_OK && i < SETS; i++) {
		path = path_of(z, i);
		r = bt_out_spare(z->output, &path, 1, err);
		if (r == BT_OK)
			take_file(&f, i, path);
		free(path);
	}
	if (r == BT_OK && f.n_bad > 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "%d of the %d files are missing or wrong: %s",
		                 f.n_bad, SETS, bt_buf_str(&f.bad));
	if (r == BT_OK)
		r = write_archive(&f, err);
	if (r == BT_OK)
		bt_log(z->log, BT_LOG_NOTE, "%d files in '%s'", SETS,
		       z->output);
	for (i = 0; i < SETS; i++)
		free(f.text[i]);
	bt_buf_clear(&f.bad);
	return r;
}
