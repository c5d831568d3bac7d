/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/sys.h"
#include "base/tool.h"
#include "io/in.h"
#include "io/out.h"
#include "io/path.h"
#include "io/summary_file.h"
#include "table/table.h"

struct values {
	struct bt_common common;
	const char *text, *pair, *choices, *choice_names, *candidates,
	    *template, *label, *id, *weight, *label_type, *keep;
	const char *task, *format, *delimiter, *encoding;
	const char *separator, *map, *na, *rejects;
	struct bt_opt_maybe max_bytes;
	struct bt_opt_list where, join;
	bool no_header, no_quote, duplicates, skip_bad, only_mapped;
	bool strip, fold_case, label_list, decimal_comma, text_list, html;
	bool list; /* columns */
	double max_bad;
	int64_t zstd; /* 0: not compressed */
};

static const struct bt_opt options[] = {
    BT_GROUP("Columns"),
    BT_STR('t', "text", "COL[,COL]", "column with the text; several are joined",
           values, text),
    BT_STR(0, "pair", "COL[,COL]",
           "column with the second text of a pair; several are joined", values,
           pair),
    BT_FLAG(0, "text-list", "texts are lists, as [\"a\", \"b\"]: joined, too",
            values, text_list),
    BT_FLAG(0, "strip-html", "tags in texts become spaces, entities characters",
            values, html),
    BT_STR(0, "choices", "COL[,COL]",
           "columns with the choices of a question, the text; or one of lists",
           values, choices),
    BT_STR(0, "choice-names", "COL",
           "column with the names of the choices in lists [A, B, ...]", values,
           choice_names),
    BT_STR(0, "candidates", "LIST|FILE",
           "candidates for the label of each text, as its choices (zero-shot)",
           values, candidates),
    BT_STR(0, "template", "TEXT",
           "a choice's text, {} the candidate [" BT_CANDIDATES_TEMPLATE "]",
           values, template),
    BT_STR('l', "label", "COL[,COL]",
           "column with the label, or several 0/1 columns", values, label),
    BT_STR('i', "id", "COL", "column with the id; row: file and row number",
           values, id),
    BT_STR(0, "weight", "COL", "column with the example weight", values,
           weight),
    BT_STR(0, "keep", "COL[,COL]", "columns to keep as extra features", values,
           keep),
    BT_LIST(0, "join", "COL=FILE[:KEY]",
            "columns COL.NAME: those of FILE's row whose KEY holds COL's value",
            values, join),
    BT_FLAG(0, "list-columns",
            "print the names of the columns, one a line, and stop", values,
            list),
    BT_GROUP("Input format"),
    BT_STR(0, "task", BT_PUBLISHED_NAMES,
           "read the files of this published data set", values, task),
    BT_STR(0, "format", "csv|jsonl", "input format [detected]", values, format),
    BT_STR(0, "delimiter", "C", "a " BT_CSV_DELIMITERS, values, delimiter),
    BT_FLAG(0, "no-header", "the first row is data", values, no_header),
    BT_FLAG(0, "no-quote", "treat double quotes as ordinary characters", values,
            no_quote),
    BT_STR(0, "encoding", "NAME", BT_CHARSET_NAMES " [utf-8]", values,
           encoding),
    BT_GROUP("Labels"),
    BT_STR(0, "label-type", "class|float|one-hot",
           "class names, numbers for regression, or columns for classes "
           "[class]",
           values, label_type),
    BT_FLAG(0, "decimal-comma", "numbers are written as 3,5", values,
            decimal_comma),
    BT_STR(0, "label-separator", "S",
           "the column holds several labels, separated by S", values,
           separator),
    BT_FLAG(0, "label-list", "the column holds lists of labels, as ['a', 'b']",
            values, label_list),
    BT_FLAG(0, "strip", "remove white space around labels", values, strip),
    BT_FLAG(0, "fold-case", "labels in lower case", values, fold_case),
    BT_STR(0, "map-label", "A=B,...|@FILE", "rename labels", values, map),
    BT_FLAG(0, "only-mapped", "a label that --map-label lacks is malformed",
            values, only_mapped),
    BT_GROUP("Rows"),
    BT_LIST(0, "where", "COL=VALUE",
            "only matching rows; repeat to require all", values, where),
    BT_STR(0, "na", "keep|drop|pandas",
           "missing values: keep, drop the row, or 'nan' as pandas [keep]",
           values, na),
    BT_FLAG(0, "drop-duplicates", "skip texts that occurred before", values,
            duplicates),
    BT_FLAG(0, "skip-bad", "skip malformed rows instead of failing", values,
            skip_bad),
    BT_STR(0, "rejects", "FILE",
           "list malformed and contradictory rows in FILE, and go on", values,
           rejects),
    BT_REAL(0, "max-bad", "SHARE",
            "skip malformed rows, but fail if more than SHARE of all are",
            values, max_bad, 1e-9, 1),
    BT_SIZE("max-bytes", "SIZE", "fail if the (uncompressed) input is longer",
            values, max_bytes),
    BT_GROUP("Output"),
    BT_STR('o', "output", "FILE", "write to FILE [standard output]", values,
           common.output),
    BT_BARE(BT_OPT_INT, "zstd", "LEVEL",
            "compress the output at level 1 to 19 [3]", values, zstd, 1,
            BT_OUT_ZSTD_MAX, "3"),
    BT_OPT_SUMMARY(values),
    BT_OPT_COMMON(values),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "csv2tfrecord",
    "[-t COL[,COL]] [-l COL] [-i COL] [OPTION ...] [FILE ...]",
    "Converts CSV, TSV, JSON Lines or Parquet to text records. COL is the "
    "name or\nnumber of a column, or a JSON key.",
    "csv2tfrecord -t text -l label -o train.tfrecord train.csv",
    options,
};

/* Warnings, which wipe the progress line before they are printed. */
struct screen {
	struct bt_log log;
	struct bt_progress progress;
};

static void emit(void *ctx, const struct bt_log_line *line)
{
	struct screen *s = ctx;

	bt_progress_clear(&s->progress);
	s->log.emit(s->log.ctx, line);
}

/* What the rows are to hold. */
static bool conditions(const struct bt_opt_list *list,
                       struct bt_table_where *where, struct bt_table_opts *o)
{
	const char *text, *equals;
	int i;

	for (i = 0; i < list->n; i++) {
		text = list->item[i];
		equals = strchr(text, '=');
		if (equals == NULL || equals == text) {
			bt_tool_misuse(&tool,
			               "bad value '%s' for --where: expected "
			               "COL=VALUE",
			               text);
			return false;
		}
		where[i] = (struct bt_table_where){
		    .column = {text, (size_t)(equals - text)},
		    .value = bt_span(equals + 1)};
	}
	o->where = where;
	o->n_where = (size_t)list->n;
	return true;
}

/* Files to join, whose delimiter an option gives unless their name does. */
static bool joins(const struct values *v, struct bt_table_join *join,
                  struct bt_table_opts *o)
{
	struct bt_error err = {0};
	int i;

	o->joins = join;
	for (i = 0; i < v->join.n; i++) {
		if (bt_table_join_init(&join[i], v->join.item[i], &err) !=
		    BT_OK) {
			bt_tool_misuse(&tool, "bad value for --join: %s",
			               err.text);
			return false;
		}
		o->n_joins++;
		if (v->delimiter != NULL && !bt_path_is_tsv(join[i].path))
			join[i].delimiter = o->csv.delimiter;
		if (strcmp(join[i].path, "-") == 0) {
			bt_tool_misuse(&tool, "--join needs a file, not "
			                      "standard input");
			return false;
		}
		if (bt_out_spare(v->common.output, &join[i].path, 1, &err) ||
		    bt_out_spare(v->rejects, &join[i].path, 1, &err)) {
			bt_tool_misuse(&tool, "%s", err.text);
			return false;
		}
	}
	return true;
}

static bool numbers(const struct values *v)
{
	return bt_str_is(v->label_type, "float");
}

static bool one_hot(const struct values *v)
{
	return bt_str_is(v->label_type, "one-hot");
}

/* Of --list-columns, which reads no rows. */
static bool list_agrees(const struct values *v, int files)
{
	if (!v->list || (files <= 1 && v->task == NULL && !v->no_header &&
	                 v->where.n == 0 && v->rejects == NULL && v->zstd == 0))
		return true;
	bt_tool_misuse(&tool, "--list-columns takes one file, without --task, "
	                      "--no-header, --where, --rejects and --zstd");
	return false;
}

static bool label_options_agree(const struct values *v)
{
	const struct {
		bool is;
		const char *text;
	} broken[] = {
	    {v->map != NULL && v->label == NULL && v->task == NULL,
	     "--map-label needs --label"},
	    {v->only_mapped && v->map == NULL,
	     "--only-mapped needs --map-label"},
	    {v->strip && v->label == NULL, "--strip needs --label"},
	    {v->fold_case && v->label == NULL, "--fold-case needs --label"},
	    {v->label_type != NULL && v->label == NULL,
	     "--label-type needs --label"},
	    {v->decimal_comma && !numbers(v) && v->weight == NULL,
	     "--decimal-comma needs --label-type float or --weight"},
	    {numbers(v) && v->map != NULL,
	     "--map-label makes no sense with --label-type float"},
	    {numbers(v) && v->fold_case,
	     "--fold-case makes no sense with --label-type float"},
	    {numbers(v) && v->separator != NULL,
	     "--label-separator makes no sense with --label-type float"},
	    {v->choices != NULL && (v->pair != NULL || v->separator != NULL ||
	                            v->fold_case || numbers(v)),
	     "--pair, --label-separator, --fold-case and --label-type float "
	     "make no sense with --choices"},
	    {v->candidates != NULL && v->choices != NULL,
	     "give either --choices or --candidates"},
	    {v->candidates != NULL &&
	         (v->pair != NULL || v->separator != NULL || v->fold_case ||
	          numbers(v)),
	     "--pair, --label-separator, --fold-case and --label-type float "
	     "make no sense with --candidates"},
	    {v->template != NULL && v->candidates == NULL,
	     "--template needs --candidates"},
	    {v->choice_names != NULL && v->choices == NULL,
	     "--choice-names needs --choices"},
	    {v->label_list &&
	         (v->label == NULL || v->separator != NULL || numbers(v) ||
	          v->choices != NULL || v->candidates != NULL),
	     "--label-list needs --label, and makes no sense with "
	     "--label-separator, --label-type float, --choices and "
	     "--candidates"},
	    {v->separator != NULL &&
	         (v->label == NULL || v->separator[0] == '\0'),
	     "--label-separator needs --label and at least one character"}};
	size_t i;

	for (i = 0; i < sizeof(broken) / sizeof(*broken); i++)
		if (broken[i].is) {
			bt_tool_misuse(&tool, "%s", broken[i].text);
			return false;
		}
	return true;
}

/* Options that decide what --task decides, or what JSON Lines or a folder of
 * texts have not. */
static bool options_agree(const struct values *v, char *const *files, int n)
{
	const struct {
		bool given, of_csv, of_file;
		const char *name;
	} all[] = {{v->no_header, true, true, "--no-header"},
	           {v->no_quote, true, true, "--no-quote"},
	           {v->delimiter != NULL, true, true, "--delimiter"},
	           {v->encoding != NULL, true, false, "--encoding"},
	           {v->format != NULL, false, true, "--format"},
	           {v->text != NULL, false, false, "--text"},
	           {v->pair != NULL, false, false, "--pair"},
	           {v->text_list, false, false, "--text-list"},
	           {v->html, false, false, "--strip-html"},
	           {v->join.n > 0, false, false, "--join"},
	           {v->choices != NULL, false, false, "--choices"},
	           {v->label != NULL, false, false, "--label"},
	           {v->label_type != NULL, false, false, "--label-type"},
	           {v->separator != NULL, false, false, "--label-separator"},
	           {v->label_list, false, false, "--label-list"},
	           {v->strip, false, false, "--strip"},
	           {v->fold_case, false, false, "--fold-case"}};
	bool jsonl = bt_str_is(v->format, "jsonl");
	bool folder = n > 0; /* nothing else is read */
	const char *with;
	size_t i;
	int k;

	for (k = 0; k < n; k++)
		folder = folder && bt_path_is_dir(files[k]);
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		with = v->task != NULL            ? "--task"
		       : jsonl && all[i].of_csv   ? "--format jsonl"
		       : folder && all[i].of_file ? "a folder of texts"
		                                  : NULL;
		if (all[i].given && with != NULL) {
			bt_tool_misuse(&tool, "%s makes no sense with %s",
			               all[i].name, with);
			return false;
		}
	}
	if (bt_str_is(v->rejects,
	              v->common.output != NULL ? v->common.output : "-")) {
		bt_tool_misuse(&tool,
		               "records and rejected rows cannot both "
		               "go to '%s'",
		               v->rejects);
		return false;
	}
	return label_options_agree(v);
}

static bool csv_options(const struct values *v, char *const *files, int n,
                        struct bt_csv_opts *csv)
{
	csv->ahead = bt_threads(v->common.threads) > 1;
	csv->header = !v->no_header;
	csv->quotes = !v->no_quote;
	if (n > 0 && bt_path_is_tsv(files[0]))
		csv->delimiter = '\t';
	if (v->delimiter == NULL ||
	    bt_csv_delimiter(v->delimiter, &csv->delimiter) == BT_OK)
		return true;
	bt_tool_misuse(
	    &tool,
	    "bad value '%s' for --delimiter: expected one " BT_CSV_DELIMITERS,
	    v->delimiter);
	return false;
}

/* Returns false, having said why, where a value makes no sense. */
static bool table_options(const struct values *v, char *const *files, int n,
                          struct bt_table_opts *o)
{
	/* options of CSV say that the input is CSV */
	bool csv = v->no_header || v->no_quote || v->delimiter != NULL ||
	           v->encoding != NULL;

	*o = (struct bt_table_opts){.text = v->text,
	                            .pair = v->pair,
	                            .choices = v->choices,
	                            .choice_names = v->choice_names,
	                            .label = v->label,
	                            .id = v->id,
	                            .weight = v->weight,
	                            .keep = v->keep,
	                            .label_separator = v->separator,
	                            .label_lists = v->label_list,
	                            .text_lists = v->text_list,
	                            .html = v->html,
	                            .one_hot = one_hot(v),
	                            .numbers = numbers(v),
	                            .decimal_comma = v->decimal_comma,
	                            .strip = v->strip,
	                            .fold_case = v->fold_case,
	                            .csv = BT_CSV_OPTS_INIT,
	                            .drop_duplicates = v->duplicates,
	                            .only_mapped = v->only_mapped,
	                            .skip_bad = v->skip_bad || v->max_bad > 0,
	                            .max_bad = v->max_bad,
	                            .rejects = v->rejects};
	if (v->format != NULL || csv)
		o->format = v->format == NULL || v->format[0] == 'c'
		                ? BT_TABLE_CSV
		                : BT_TABLE_JSONL;
	if (v->na != NULL)
		o->na = v->na[0] == 'd'   ? BT_TABLE_NA_DROP
		        : v->na[0] == 'p' ? BT_TABLE_NA_PANDAS
		                          : BT_TABLE_NA_KEEP;
	if (v->task != NULL)
		o->task = bt_published_find(v->task);
	if (v->encoding != NULL &&
	    bt_charset_find(v->encoding, &o->charset, &o->utf16) != BT_OK) {
		bt_tool_misuse(
		    &tool,
		    "bad value '%s' for --encoding: expected " BT_CHARSET_NAMES
		    " (iconv converts others)",
		    v->encoding);
		return false;
	}
	return options_agree(v, files, n) && list_agrees(v, n) &&
	       csv_options(v, files, n, &o->csv);
}

static void show(void *ctx, const struct bt_table *table)
{
	struct screen *s = ctx;
	struct bt_table_stats stats;

	if (!bt_progress_due(&s->progress))
		return;
	bt_table_stats(table, &stats);
	bt_progress_show(&s->progress, "%llu rows, %.1f MB",
	                 (unsigned long long)(stats.records + stats.skipped +
	                                      stats.duplicates),
	                 (double)stats.bytes * 1e-6);
}

static void show_joined(void *ctx, uint64_t rows)
{
	struct screen *s = ctx;

	if (bt_progress_due(&s->progress))
		bt_progress_show(&s->progress, "%llu rows to join",
		                 (unsigned long long)rows);
}

static void summary(const struct bt_table *table, const char *rejects,
                    const struct bt_log *log)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_table_stats stats;
	const char *s;

	bt_table_stats(table, &stats);
	bt_table_summary(&stats, rejects, &b);
	bt_table_facts(&stats, bt_log_summary(log));
	s = bt_buf_str(&b);
	if (s != NULL)
		bt_log_hint(log, BT_LOG_NOTE,
		            stats.unasked ? BT_HINT_LABEL_AND_ID : BT_HINT_NONE,
		            "%s", s);
	bt_buf_clear(&b);
}

static int open_output(const struct values *v, struct bt_out **out,
                       struct bt_error *err)
{
	int r = bt_out_open(v->common.output, BT_OUT_RECORDS, out, err);

	if (r == BT_OK && bt_threads(v->common.threads) > 1)
		bt_out_behind(*out);
	if (r != BT_OK || v->zstd == 0)
		return r;
	r = bt_out_zstd(*out, (int)v->zstd, bt_threads(v->common.threads), err);
	if (r != BT_OK)
		bt_out_abandon(*out);
	return r;
}

/* From the open output on, which it ends. */
static int convert(struct bt_table *table, struct bt_out *out, struct screen *s,
                   struct bt_error *err)
{
	int r = bt_table_write(table, out, show, s, err);

	bt_progress_clear(&s->progress);
	return bt_out_end(out, r, err);
}

static int list_columns(const struct values *v, const char *file,
                        const struct bt_table_opts *o)
{
	struct bt_buf names = BT_BUF_INIT;
	struct bt_error err = {0};
	int r = bt_table_names(file, o, &names, &err);

	if (r == BT_OK)
		r = bt_out_whole(v->common.output, names.data, names.len, &err);
	bt_buf_clear(&names);
	return r == BT_OK ? BT_EXIT_DONE : bt_tool_fail(&tool, &err);
}

static int write_records(const struct values *v, char *const *files, int n,
                         struct bt_table_opts opts)
{
	struct screen screen = {bt_tool_log(&tool, &v->common), {0}};
	struct bt_log log = screen.log;
	struct bt_label_map *map = NULL;
	struct bt_candidates candidates = {.n = 0};
	struct bt_table *table = NULL;
	struct bt_error err = {0};
	struct bt_in_limit limit = {v->max_bytes.n, v->max_bytes.n};
	struct bt_out *out;
	int r = BT_OK;

	if (log.emit != NULL) {
		log.emit = emit;
		log.ctx = &screen;
	}
	opts.limit = v->max_bytes.given ? &limit : NULL;
	opts.log = &log;
	opts.joining = show_joined;
	opts.joining_ctx = &screen;
	if (v->list)
		return list_columns(v, n > 0 ? files[0] : NULL, &opts);
	bt_progress_init(&screen.progress, stderr, v->common.quiet);
	if (v->map != NULL)
		r = bt_label_map_new(v->map, &map, &err);
	opts.map = map;
	if (r == BT_OK && v->candidates != NULL)
		r = bt_candidates_init(&candidates, v->candidates, v->template,
		                       &err);
	opts.candidates = candidates.n > 0 ? &candidates : NULL;
	if (r == BT_OK)
		r = open_output(v, &out, &err);
	if (r == BT_OK) {
		opts.idle = bt_out_hand_on;
		opts.idle_ctx = out;
		r = bt_table_open(files, n, &opts, &table, &err);
		if (r == BT_OK)
			r = convert(table, out, &screen, &err);
		else
			bt_out_abandon(out);
	}
	if (r == BT_OK)
		summary(table, v->rejects, &log);
	bt_table_close(table);
	bt_label_map_free(map);
	bt_candidates_clear(&candidates);
	return r == BT_OK ? BT_EXIT_DONE : bt_tool_fail(&tool, &err);
}

static int run(void *values, char *const *files, int n)
{
	const struct values *v = values;
	struct bt_table_where where[BT_OPT_LIST_MAX];
	struct bt_table_join join[BT_OPT_LIST_MAX];
	struct bt_table_opts opts;
	struct bt_error err = {0};
	int status = BT_EXIT_USAGE;
	size_t i;

	if (bt_out_spare(v->common.output, files, n, &err) != BT_OK ||
	    bt_out_spare(v->rejects, files, n, &err) != BT_OK)
		return bt_tool_misuse(&tool, "%s", err.text);
	if (table_options(v, files, n, &opts) &&
	    conditions(&v->where, where, &opts) && joins(v, join, &opts))
		status = write_records(v, files, n, opts);
	for (i = 0; i < opts.n_joins; i++)
		bt_table_join_clear(&join[i]);
	return status;
}

static bool writes_records(const void *values)
{
	return !((const struct values *)values)->list;
}

int main(int argc, char **argv)
{
	struct values v = {.common = BT_COMMON_INIT};

	return bt_summary_file_main(&tool, argc, argv, &v, &v.common, run,
	                            writes_records);
}
