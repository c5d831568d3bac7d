/* SPDX-License-Identifier: MIT */
/* Turns sentences of tagged words into text records. */
#include <stdio.h>

#include "base/str.h"
#include "base/sys.h"
#include "base/tool.h"
#include "io/duplicate_paths.h"
#include "io/out.h"
#include "io/path.h"
#include "io/summary_file.h"
#include "table/conll.h"
#include "table/table.h"

struct values {
	struct bt_common common;
	struct bt_conll_opts o;
	const char *sentence, *delimiter, *encoding;
	bool no_quote;
	int64_t context;
	int64_t zstd; /* 0: not compressed */
};

static const struct bt_opt options[] = {
    BT_GROUP("Input and output"),
    BT_STR('o', "output", "FILE", "write to FILE [standard output]", values,
           common.output),
    BT_BARE(BT_OPT_INT, "zstd", "LEVEL",
            "compress the output at level 1 to 19 [3]", values, zstd, 1,
            BT_OUT_ZSTD_MAX, "3"),
    BT_OPT_SUMMARY(values),
    BT_GROUP("Columns"),
    BT_STR('w', "word", "COL", "column of the words, or their key [1, tokens]",
           values, o.word),
    BT_STR('t', "tag", "COL", "column of the tags, or their key [last, tags]",
           values, o.tag),
    BT_FLAG(0, "no-tags", "the words have no tags", values, o.no_tags),
    BT_STR(0, "sentence", "COL",
           "read tables with a word in a row: column of the sentences' names",
           values, sentence),
    BT_STR(0, "comment", "TEXT",
           "leave out lines that begin with TEXT [# without a tab, if tabs "
           "divide the columns]",
           values, o.comment),
    BT_GROUP("Texts, and tables"),
    BT_STR(0, "text", "COL",
           "read texts, and cut them into words: their column or key [text]",
           values, o.text),
    BT_STR(0, "spans", "COL",
           "likewise, with tags: column or key of the spans with labels in a "
           "text",
           values, o.spans),
    BT_FLAG(0, "lines", "likewise, of plain text: a text is a line", values,
            o.lines),
    BT_STR('i', "id", "COL", "column or key of the texts' ids [id]", values,
           o.id),
    BT_STR(0, "delimiter", "C", "of a table: a " BT_CSV_DELIMITERS, values,
           delimiter),
    BT_FLAG(0, "no-quote", "its double quotes are ordinary characters", values,
            no_quote),
    BT_STR(0, "encoding", "NAME", "its encoding: " BT_CHARSET_NAMES " [utf-8]",
           values, encoding),
    BT_GROUP("Schemes of tags"),
    BT_STR(0, "scheme", "FROM[:TO]",
           "tags follow scheme FROM; write them by scheme TO [FROM], of "
           "iob1, iob2, ioe1, ioe2, iobes, bilou",
           values, o.scheme),
    BT_FLAG(0, "repair-tags",
            "with --scheme: change tags that do not follow FROM, instead of "
            "failing",
            values, o.repair_tags),
    BT_GROUP("Context"),
    BT_INT(0, "context", "N",
           "also show N sentences on either side to the model [0]", values,
           context, 0, 1000),
    BT_FLAG(0, "documents", "a record has a whole document, for training",
            values, o.documents),
    BT_OPT_COMMON(values),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "conll2tfrecord",
    "[OPTION ...] [FILE ...]",
    "Turns sentences of words and tags, in CoNLL columns, JSON Lines or "
    "Parquet,\nor texts, also in CSV, into records.",
    "conll2tfrecord train.txt | bert-tokenize -m minilm -o train.rec",
    options,
};

/* What is wrong with options that are given together, or NULL. */
static const char *misfit(const struct values *v)
{
	bool table = v->sentence != NULL;
	bool texts = v->o.text != NULL || v->o.spans != NULL;

	if (v->o.lines &&
	    (texts || table || v->o.word != NULL || v->o.tag != NULL ||
	     v->o.scheme != NULL || v->o.comment != NULL || v->o.documents))
		return "--lines makes no sense with --text, --spans, "
		       "--sentence, --word, --tag, --scheme, --comment and "
		       "--documents";
	if (v->o.no_tags && v->o.tag != NULL)
		return "give either --tag or --no-tags";
	if (texts && (v->o.word != NULL || v->o.tag != NULL || table))
		return "--text and --spans make no sense with --word, --tag "
		       "and --sentence";
	if (v->o.id != NULL && !texts)
		return "--id needs --text or --spans";
	if (v->o.no_tags && v->o.scheme != NULL)
		return "give either --scheme or --no-tags";
	if (texts && v->o.spans == NULL && v->o.scheme != NULL)
		return "--scheme needs --spans, where texts are read";
	if (v->o.comment != NULL && *v->o.comment == '\0')
		return "--comment needs a text";
	if (v->o.repair_tags && v->o.scheme == NULL)
		return "--repair-tags needs --scheme";
	if (table && (v->o.word == NULL || (v->o.tag == NULL && !v->o.no_tags)))
		return "--sentence needs --word and --tag or --no-tags";
	if (v->o.documents && (v->context > 0 || table || texts))
		return "--documents makes no sense with --context, "
		       "--sentence, --text and --spans";
	if ((table || texts) && v->o.comment != NULL)
		return "--comment makes no sense with --sentence, --text and "
		       "--spans";
	if (!table && !texts &&
	    (v->delimiter != NULL || v->encoding != NULL || v->no_quote))
		return "--delimiter, --encoding and --no-quote need --sentence, "
		       "--text or --spans";
	return NULL;
}

/* Returns false, having said why, where a value makes no sense. */
static bool table_options(const struct values *v, char *const *files, int n,
                          struct bt_table_opts *t)
{
	*t = (struct bt_table_opts){.text = v->o.word,
	                            .label = v->o.no_tags ? NULL : v->o.tag,
	                            .id = v->sentence,
	                            .id_of_several = true,
	                            .csv = BT_CSV_OPTS_INIT,
	                            .advice = BT_TABLE_ADVICE_READING};
	t->csv.quotes = !v->no_quote;
	if (n > 0 && bt_path_is_tsv(files[0]))
		t->csv.delimiter = '\t';
	if (v->delimiter != NULL &&
	    bt_csv_delimiter(v->delimiter, &t->csv.delimiter) != BT_OK)
		bt_tool_misuse(
		    &tool,
		    "bad value '%s' for --delimiter: expected one " BT_CSV_DELIMITERS,
		    v->delimiter);
	else if (v->encoding != NULL &&
	         bt_charset_find(v->encoding, &t->charset, &t->utf16) != BT_OK)
		bt_tool_misuse(
		    &tool,
		    "bad value '%s' for --encoding: expected " BT_CHARSET_NAMES
		    " (iconv converts others)",
		    v->encoding);
	else
		return true;
	return false;
}

static int convert(const struct values *v, const struct bt_table_opts *t,
                   char *const *files, int n, struct bt_conll_stats *stats,
                   struct bt_error *err)
{
	struct bt_conll_opts o = v->o;
	struct bt_out *out;
	int r = bt_out_open(v->common.output, BT_OUT_RECORDS, &out, err);

	if (r == BT_OK && v->zstd != 0) {
		r = bt_out_zstd(out, (int)v->zstd,
		                bt_threads(v->common.threads), err);
		if (r != BT_OK)
			bt_out_abandon(out);
	}
	if (r != BT_OK)
		return r;
	o.context = (size_t)v->context;
	o.word_rows = v->sentence != NULL;
	o.table = t;
	r = bt_conll_convert(files, n, &o, out, stats, err);
	return bt_out_end(out, r, err);
}

static void tell(const struct bt_conll_stats *stats, const struct bt_log *log)
{
	char records[48] = "";

	bt_summary_count(log->summary, "sentences", stats->sentences);
	bt_summary_count(log->summary, "words", stats->words);
	bt_summary_count(log->summary, "comments", stats->comments);
	bt_summary_count(log->summary, "headers", stats->headers);
	bt_summary_count(log->summary, "no_words", stats->no_words);
	bt_summary_count(log->summary, "empty_lines", stats->empty);
	bt_summary_count(log->summary, "tags_repaired", stats->repaired);
	if (stats->records < stats->sentences)
		snprintf(records, sizeof(records), " in %llu document%s",
		         (unsigned long long)stats->records,
		         bt_plural(stats->records));
	bt_log(log, BT_LOG_NOTE, "%llu sentence%s%s, %llu word%s%s",
	       (unsigned long long)stats->sentences,
	       bt_plural(stats->sentences), records,
	       (unsigned long long)stats->words, bt_plural(stats->words),
	       stats->tagged ? "" : ", without tags");
	if (stats->comments > 0)
		bt_log(log, BT_LOG_NOTE, "%llu comment line%s left out",
		       (unsigned long long)stats->comments,
		       stats->comments == 1 ? " was" : "s were");
	if (stats->headers > 0)
		bt_log(log, BT_LOG_NOTE,
		       "%llu first line%s left out: a header, which names "
		       "columns",
		       (unsigned long long)stats->headers,
		       stats->headers == 1 ? " was" : "s were");
	if (stats->no_words > 0)
		bt_log(log, BT_LOG_NOTE,
		       "%llu line%s of several words or of none, such as 1-2 "
		       "and 1.1, %s left out",
		       (unsigned long long)stats->no_words,
		       bt_plural(stats->no_words),
		       stats->no_words == 1 ? "was" : "were");
	if (stats->empty > 0)
		bt_log(log, BT_LOG_NOTE, "%llu line%s left out: without a word",
		       (unsigned long long)stats->empty,
		       stats->empty == 1 ? " was" : "s were");
	if (stats->repaired > 0)
		bt_log(log, BT_LOG_NOTE,
		       "%llu tag%s did not follow the scheme and %s changed",
		       (unsigned long long)stats->repaired,
		       bt_plural(stats->repaired),
		       stats->repaired == 1 ? "was" : "were");
}

static int run(void *values, char *const *files, int n)
{
	const struct values *v = values;
	struct bt_log log = bt_tool_log(&tool, &v->common);
	struct bt_conll_stats stats = {0};
	struct bt_table_opts table;
	struct bt_error err = {0};
	const char *wrong;
	int r;

	wrong = misfit(v);
	if (wrong != NULL)
		return bt_tool_misuse(&tool, "%s", wrong);
	if (!table_options(v, files, n, &table))
		return BT_EXIT_USAGE;
	if (bt_out_spare(v->common.output, files, n, &err) != BT_OK)
		return bt_tool_misuse(&tool, "%s", err.text);
	r = bt_duplicate_paths(files, n, &log, &err);
	if (r == BT_OK)
		r = convert(v, &table, files, n, &stats, &err);
	if (r != BT_OK)
		return bt_tool_fail(&tool, &err);
	tell(&stats, &log);
	return BT_EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct values v = {.common = BT_COMMON_INIT};

	return bt_summary_file_main(&tool, argc, argv, &v, &v.common, run,
	                            NULL);
}
