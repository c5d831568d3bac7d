/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/sys.h"
#include "base/tool.h"
#include "io/out.h"
#include "io/tfrecord.h"
#include "task/table.h"

struct values {
	struct bt_common common;
	const char *text, *pair, *label, *id;
	const char *delimiter, *encoding;
	bool no_header, no_quote, skip_bad;
	int64_t zstd; /* 0: not compressed */
};

static const struct bt_opt options[] = {
    BT_STR('t', "text", "COL[,COL]", "column of the text; several are joined",
           values, text),
    BT_STR(0, "pair", "COL", "column of a second text", values, pair),
    BT_STR('l', "label", "COL", "column of the label [no labels]", values,
           label),
    BT_STR('i', "id", "COL", "column of the id [no ids]", values, id),
    BT_STR(0, "delimiter", "C", "character, tab, comma, semicolon or pipe",
           values, delimiter),
    BT_FLAG(0, "no-header", "the first row is data", values, no_header),
    BT_FLAG(0, "no-quote", "double quotes are ordinary characters", values,
            no_quote),
    BT_STR(0, "encoding", "utf-8|latin1|windows-1252",
           "what the input is written in [utf-8]", values, encoding),
    BT_FLAG(0, "skip-bad", "leave bad rows out instead of failing", values,
            skip_bad),
    BT_LEVEL("zstd", "LEVEL", "compress the output, by level 1 to 19 [3]",
             values, zstd, 1, BT_OUT_ZSTD_MAX, 3),
    BT_STR('o', "output", "FILE", "write to FILE [standard output]", values,
           common.output),
    BT_OPT_COMMON(values),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "csv2tfrecord",
    "[-t COL[,COL]] [-l COL] [-i COL] [FILE ...]",
    "Turns CSV or TSV files into text records. COL is a column's name or "
    "number.",
    "csv2tfrecord -t text -l label -o train.tfrecord train.csv",
    options,
};

/* Warnings, which wipe the progress line before they are printed. */
struct screen {
	struct bt_log log;
	struct bt_progress progress;
};

static void emit(void *ctx, enum bt_log_level level, const char *text)
{
	struct screen *s = ctx;

	bt_progress_clear(&s->progress);
	bt_log(&s->log, level, "%s", text);
}

static bool operands_make_sense(char *const *files, int n)
{
	int i, std = 0;

	for (i = 0; i < n; i++)
		std += strcmp(files[i], "-") == 0;
	if (std > 1)
		bt_tool_misuse(&tool, "standard input is given %d times", std);
	return std <= 1;
}

/* By its name, with or without what a compressing program puts behind it. */
static bool is_tsv(const char *path)
{
	static const char *const ends[] = {".tsv", ".TSV", ".tsv.gz",
	                                   ".tsv.zst", ".tsv.zstd"};
	size_t n = strlen(path), i, k;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		k = strlen(ends[i]);
		if (n >= k && strcmp(path + n - k, ends[i]) == 0)
			return true;
	}
	return false;
}

/* Returns false, having said why, where a value makes no sense. */
static bool table_options(const struct values *v, char *const *files, int n,
                          struct bt_table_opts *o)
{
	struct bt_csv_opts csv = BT_CSV_OPTS_INIT;

	csv.header = !v->no_header;
	csv.quotes = !v->no_quote;
	if (n > 0 && is_tsv(files[0]))
		csv.delimiter = '\t';
	if (v->delimiter != NULL &&
	    bt_csv_delimiter(v->delimiter, &csv.delimiter) != BT_OK) {
		bt_tool_misuse(&tool,
		               "bad value '%s' for --delimiter: expected one "
		               "character, tab, comma, semicolon or pipe",
		               v->delimiter);
		return false;
	}
	*o = (struct bt_table_opts){.text = v->text,
	                            .pair = v->pair,
	                            .label = v->label,
	                            .id = v->id,
	                            .csv = csv,
	                            .skip_bad = v->skip_bad};
	return v->encoding == NULL ||
	       bt_charset_find(v->encoding, &o->charset) == BT_OK;
}

static int copy(struct bt_table *table, struct bt_out *out, struct screen *s,
                struct bt_error *err)
{
	struct bt_example_writer w = {BT_BUF_INIT};
	struct bt_buf payload = BT_BUF_INIT;
	struct bt_table_stats stats;
	struct bt_text_rec rec;
	int r;

	while ((r = bt_table_next(table, &rec, err)) == 1) {
		bt_text_rec_write(&w, &rec, &payload);
		if (payload.oom)
			r = bt_error_nomem(err, "writing a record");
		else
			r = bt_tfrec_write(out, payload.data, payload.len, err);
		if (r != BT_OK)
			break;
		if (!bt_progress_due(&s->progress))
			continue;
		bt_table_stats(table, &stats);
		bt_progress_show(&s->progress, "%llu rows, %.1f MB",
		                 (unsigned long long)stats.records,
		                 (double)stats.bytes * 1e-6);
	}
	bt_progress_clear(&s->progress);
	bt_example_clear(&w);
	bt_buf_clear(&payload);
	return r;
}

static const char *s_of(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void summary(const struct bt_table_stats *st, bool labels,
                    const struct bt_log *log)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *s;
	int i, kinds = 0;

	bt_buf_printf(&b, "%llu record%s from %d file%s",
	              (unsigned long long)st->records, s_of(st->records),
	              st->files, s_of((uint64_t)st->files));
	if (labels)
		bt_buf_printf(&b, ", %s%zu label%s",
		              st->labels == BT_TABLE_LABELS_MAX ? "at least "
		                                                : "",
		              st->labels, s_of(st->labels));
	if (st->empty > 0)
		bt_buf_printf(&b, "; %llu text%s empty",
		              (unsigned long long)st->empty,
		              st->empty == 1 ? " is" : "s are");
	if (st->skipped > 0)
		bt_buf_printf(&b, "; %llu bad row%s skipped: ",
		              (unsigned long long)st->skipped,
		              s_of(st->skipped));
	for (i = 0; i < BT_TABLE_FAULTS; i++)
		if (st->faults[i] > 0)
			bt_buf_printf(
			    &b, "%s%llu %s", kinds++ > 0 ? ", " : "",
			    (unsigned long long)st->faults[i],
			    bt_table_fault_name((enum bt_table_fault)i));
	s = bt_buf_str(&b);
	if (s != NULL)
		bt_log(log, BT_LOG_NOTE, "%s", s);
	bt_buf_clear(&b);
}

/* From the open output on; *stats is set on success. */
static int convert(char *const *files, int n, const struct bt_table_opts *opts,
                   struct bt_out *out, struct screen *s,
                   struct bt_table_stats *stats, struct bt_error *err)
{
	struct bt_table *table;
	int r = bt_table_open(files, n, opts, &table, err);

	if (r != BT_OK)
		return r;
	r = copy(table, out, s, err);
	bt_table_stats(table, stats);
	bt_table_close(table);
	return r;
}

static int open_output(const struct values *v, struct bt_out **out,
                       struct bt_error *err)
{
	int threads = (int)v->common.threads;
	int r = bt_out_open(v->common.output, BT_OUT_BINARY, out, err);

	if (r != BT_OK || v->zstd == 0)
		return r;
	r = bt_out_zstd(*out, (int)v->zstd, threads > 0 ? threads : bt_cores(),
	                err);
	if (r != BT_OK)
		bt_out_abandon(*out);
	return r;
}

static int run(const struct values *v, char *const *files, int n)
{
	struct screen screen = {bt_tool_log(&tool, &v->common), {0}};
	struct bt_log log = {emit, &screen, screen.log.level};
	struct bt_error err = {0};
	struct bt_table_opts opts;
	struct bt_table_stats stats;
	struct bt_out *out;
	int r;

	if (!operands_make_sense(files, n) ||
	    !table_options(v, files, n, &opts))
		return BT_EXIT_USAGE;
	opts.log = &log;
	bt_progress_init(&screen.progress, stderr, v->common.quiet);
	r = open_output(v, &out, &err);
	if (r == BT_OK) {
		r = convert(files, n, &opts, out, &screen, &stats, &err);
		if (r == BT_OK)
			r = bt_out_commit(out, &err);
		else
			bt_out_abandon(out);
	}
	if (r == BT_EARG)
		return bt_tool_misuse(&tool, "%s", err.text);
	if (r != BT_OK)
		return bt_tool_fail(&tool, &err);
	summary(&stats, v->label != NULL, &log);
	return BT_EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct values v = {.common = BT_COMMON_INIT};
	int operand, status;

	if (!bt_tool_options(&tool, argc, argv, &v, &operand, &status))
		return status;
	status = run(&v, argv + operand, argc - operand);
	return bt_tool_end(&tool, status);
}
