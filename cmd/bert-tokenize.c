/* SPDX-License-Identifier: MIT */
/* Turns texts into the token ids of a model. */
#include <string.h>

#include "base/num.h"
#include "base/pool.h"
#include "base/sys.h"
#include "base/tool.h"
#include "io/out.h"
#include "task/metadata.h"
#include "task/tokenize.h"
#include "text/tokenizer.h"

struct opts {
	struct bt_common common;
	const char *model, *pad, *format, *dialect, *lower;
	const char *layout, *labels, *label_type, *dummy, *example_id;
	const char *meta, *part, *processor;
	int64_t max_length;
	const char *truncation;
	struct bt_opt_maybe stride;
	bool no_truncation, lines, no_special, mend;
	int64_t pad_to; /* 0: none */
	int64_t expect; /* 0: any number of records */
	int64_t zstd;   /* 0: not compressed */
	char **files;
	int n_files;
};

static const struct bt_opt options[] = {
    BT_STR('m', "model", "DIR", "model directory, or a vocab.txt", opts, model),
    BT_STR('o', "output", "FILE", "write to FILE [standard output]", opts,
           common.output),
    BT_INT(0, "max-length", "N", "most tokens of a record [the model's limit]",
           opts, max_length, 1, 1 << 30),
    BT_FLAG(0, "no-truncation", "fail on a longer text instead of cutting it",
            opts, no_truncation),
    BT_STR(0, "truncation", "longest_first|only_first|only_second",
           "which text of a pair is cut [longest_first]", opts, truncation),
    BT_MAYBE("stride", "N", "cut longer texts into windows that share N tokens",
             opts, stride),
    BT_FLAG(0, "replace-invalid", "invalid UTF-8 becomes U+FFFD", opts, mend),
    BT_STR(0, "pad", "N|none", "pad records to N tokens [none]", opts, pad),
    BT_FLAG(0, "lines", "input is plain text, a text a line", opts, lines),
    BT_INT(0, "expect", "N", "fail if there are not N records", opts, expect, 1,
           1e15),
    BT_FLAG(0, "no-special", "leave out [CLS] and [SEP]", opts, no_special),
    BT_STR(0, "format", "tfrecord|ids|json|explain", "output [tfrecord]", opts,
           format),
    BT_LEVEL("zstd", "LEVEL", "compress the output, by level 1 to 19 [3]", opts,
             zstd, 1, BT_OUT_ZSTD_MAX, 3),
    BT_STR(0, "layout", "full|bert|modelgarden",
           "features of a record: all, or another program's [full]", opts,
           layout),
    BT_STR(0, "labels", "LIST|FILE",
           "labels in the order of their numbers [the model's]", opts, labels),
    BT_STR(0, "label-type", "class|int|float|none",
           "label_ids: the label's number, itself, none [class]", opts,
           label_type),
    BT_STR(0, "dummy-label", "LABEL", "label_ids of records without a label",
           opts, dummy),
    BT_STR(0, "example-id", "count|id",
           "example_id: counted from 0, or the id's number [count]", opts,
           example_id),
    BT_STR(0, "meta-data", "FILE", "tell Model Garden's meta data into FILE",
           opts, meta),
    BT_STR(0, "part", "NAME",
           "which part these are: train, eval, test, ...=KEY", opts, part),
    BT_STR(0, "processor", "NAME", "processor_type of the meta data", opts,
           processor),
    BT_STR(0, "dialect", "hf|google|modelgarden",
           "whose tokens, where these differ [the model's, else hf]", opts,
           dialect),
    BT_STR(0, "lower-case", "yes|no",
           "for vocabularies that do not say [by their tokens]", opts, lower),
    BT_OPT_COMMON(opts),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "bert-tokenize",
    "-m DIR [options] [FILE ...]",
    "Turns text records, or lines of text, into token records.",
    "csv2tfrecord -t text a.csv | bert-tokenize -m bert-base-uncased >a.tfr",
    options,
};

static bool is(const char *value, const char *word)
{
	return value != NULL && strcmp(value, word) == 0;
}

/* Checks what the table cannot. */
static int check_options(struct opts *o)
{
	if (o->model == NULL)
		return bt_tool_misuse(&tool, "no model given: use -m DIR");
	if (o->pad != NULL && !is(o->pad, "none") &&
	    bt_parse_i64(o->pad, 1, 1 << 30, &o->pad_to) != BT_OK)
		return bt_tool_misuse(&tool,
		                      "bad value '%s' for --pad: expected none "
		                      "or a whole number",
		                      o->pad);
	if (o->pad_to != 0 && o->max_length > o->pad_to)
		return bt_tool_misuse(&tool,
		                      "--pad %lld is smaller than --max-length "
		                      "%lld",
		                      (long long)o->pad_to,
		                      (long long)o->max_length);
	if (o->format != NULL && !is(o->format, "tfrecord") &&
	    (o->meta != NULL || !is(o->layout, "full")))
		return bt_tool_misuse(&tool, "--layout and --meta-data are for "
		                             "--format tfrecord");
	if (o->pad_to == 0 && (o->meta != NULL || !is(o->layout, "full")))
		return bt_tool_misuse(&tool,
		                      "TensorFlow wants records of one length: "
		                      "%s%s goes with --pad N",
		                      o->meta != NULL ? "--meta-data"
		                                      : "--layout ",
		                      o->meta != NULL ? "" : o->layout);
	if ((o->meta == NULL) != (o->part == NULL) ||
	    (o->meta == NULL && o->processor != NULL))
		return bt_tool_misuse(&tool, "--meta-data FILE, --part NAME "
		                             "and --processor go together");
	if (o->labels != NULL && o->label_type != NULL &&
	    !is(o->label_type, "class"))
		return bt_tool_misuse(&tool,
		                      "--labels are for --label-type class, "
		                      "not %s",
		                      o->label_type);
	if (o->stride.given && o->no_truncation)
		return bt_tool_misuse(
		    &tool, "--stride cuts, --no-truncation does not");
	if (o->expect != 0 && o->lines)
		return bt_tool_misuse(
		    &tool, "--expect counts records, and --lines reads lines");
	return BT_EXIT_DONE;
}

static int open_model(const struct opts *o, const struct bt_log *log,
                      struct bt_tok **tok, struct bt_error *err)
{
	struct bt_tok_opts t = BT_TOK_OPTS_INIT;
	const char *dialect = o->dialect;

	/* whose layout it is, his tokens are wanted */
	if (dialect == NULL && !is(o->layout, "full"))
		dialect = is(o->layout, "bert") ? "google" : o->layout;
	if (dialect != NULL)
		t.dialect = is(dialect, "google")        ? BT_TOK_GOOGLE
		            : is(dialect, "modelgarden") ? BT_TOK_GARDEN
		                                         : BT_TOK_HF;
	if (o->lower != NULL)
		t.lower = is(o->lower, "yes");
	t.log = log;
	return bt_tok_open(o->model, &t, tok, err);
}

/* The labels to number, and what a record is to have of them. */
static int choose_labels(const struct opts *o, struct bt_labels *l,
                         struct bt_tokenize_opts *how, struct bt_error *err)
{
	int r;

	how->layout = is(o->layout, "bert")          ? BT_LAYOUT_BERT
	              : is(o->layout, "modelgarden") ? BT_LAYOUT_GARDEN
	                                             : BT_LAYOUT_FULL;
	how->label_type = is(o->label_type, "int")     ? BT_LABEL_INT
	                  : is(o->label_type, "float") ? BT_LABEL_FLOAT
	                  : is(o->label_type, "none")  ? BT_LABEL_NONE
	                                               : BT_LABEL_CLASS;
	how->dummy_label = o->dummy;
	how->number_of_id = is(o->example_id, "id");
	if (how->label_type != BT_LABEL_CLASS)
		return BT_OK;
	r = o->labels != NULL ? bt_labels_named(o->labels, l, err)
	                      : bt_labels_load(o->model, l, err);
	how->labels = r == BT_OK && l->n > 0 ? l : NULL;
	how->only_labels =
	    how->labels != NULL &&
	    (o->labels != NULL || how->layout != 0 || o->meta != NULL);
	return r;
}

static struct bt_metadata metadata(const struct opts *o,
                                   const struct bt_tokenize_opts *how)
{
	return (struct bt_metadata){
	    .part = o->part,
	    .processor = o->processor,
	    .label_type = how->label_type,
	    .max_length = how->pad,
	    .labels = how->labels != NULL ? how->labels->n : 0};
}

/* What was asked for must fit the meta data that are there. */
static int check_metadata(const struct opts *o,
                          const struct bt_tokenize_opts *how)
{
	struct bt_metadata m = metadata(o, how);
	struct bt_error err = {0};
	int r;

	if (o->meta == NULL)
		return BT_EXIT_DONE;
	if (how->label_type == BT_LABEL_CLASS && how->labels == NULL)
		return bt_tool_misuse(
		    &tool, "meta data tell how many labels there are: "
		           "give --labels");
	r = bt_metadata_check(o->meta, &m, &err);
	return r == BT_OK     ? BT_EXIT_DONE
	       : r == BT_EARG ? bt_tool_misuse(&tool, "%s", err.text)
	                      : bt_tool_fail(&tool, &err);
}

/* Sets how texts are encoded; a length that the model cannot have is misuse. */
static int choose(const struct opts *o, const struct bt_tok *tok,
                  struct bt_tokenize_opts *how)
{
	struct bt_error err = {0};

	how->format = is(o->format, "ids")       ? BT_TOKENIZE_IDS
	              : is(o->format, "json")    ? BT_TOKENIZE_JSON
	              : is(o->format, "explain") ? BT_TOKENIZE_EXPLAIN
	                                         : BT_TOKENIZE_TFRECORD;
	how->lines = o->lines;
	how->expect = (uint64_t)o->expect;
	how->special = !o->no_special;
	how->cut = !o->no_truncation;
	how->pad = (size_t)o->pad_to;
	how->max_length = o->max_length != 0 ? (size_t)o->max_length
	                  : o->pad_to != 0   ? (size_t)o->pad_to
	                                     : bt_tok_max_length(tok);
	how->windows = o->stride.given;
	how->stride = (size_t)o->stride.n;
	how->mend = o->mend;
	how->which = is(o->truncation, "only_first")    ? BT_TOK_CUT_FIRST
	             : is(o->truncation, "only_second") ? BT_TOK_CUT_SECOND
	                                                : BT_TOK_CUT_LONGEST;
	if (bt_tokenize_check(tok, how, o->model, &err) != BT_OK)
		return bt_tool_misuse(&tool, "%s", err.text);
	return BT_EXIT_DONE;
}

static int tell_metadata(const struct opts *o,
                         const struct bt_tokenize_opts *how,
                         const struct bt_tokenize_stats *s,
                         struct bt_error *err)
{
	struct bt_metadata m = metadata(o, how);

	if (o->meta == NULL)
		return BT_OK;
	return bt_metadata_update(o->meta, &m, s->records, s->weighted > 0,
	                          err);
}

/* Everything once the model is open. */
static int convert(const struct opts *o, const struct bt_tok *tok,
                   const struct bt_tokenize_opts *how, struct bt_log *log,
                   struct bt_error *err)
{
	enum bt_out_kind kind =
	    how->format == BT_TOKENIZE_TFRECORD || o->zstd != 0 ? BT_OUT_BINARY
	                                                        : BT_OUT_TEXT;
	double start = bt_seconds();
	struct bt_tokenize_stats stats;
	struct bt_tokenize *job = NULL;
	struct bt_pool *pool = NULL;
	struct bt_progress progress;
	struct bt_out *out = NULL;
	int r = bt_pool_new((int)o->common.threads, &pool, err);

	if (r == BT_OK)
		r = bt_tokenize_new(tok, pool, how, &job, err);
	if (r == BT_OK)
		r = bt_out_open(o->common.output, kind, &out, err);
	if (r == BT_OK && o->zstd != 0)
		r = bt_out_zstd(out, (int)o->zstd, bt_pool_threads(pool), err);
	if (r == BT_OK) {
		bt_progress_init(&progress, stderr, o->common.quiet);
		r = bt_tokenize_files(job, o->files, o->n_files, out, &progress,
		                      err);
		bt_progress_clear(&progress);
	}
	if (r == BT_OK) {
		r = bt_out_commit(out, err);
		out = NULL;
	}
	if (r == BT_OK) {
		stats = bt_tokenize_stats(job);
		r = tell_metadata(o, how, &stats, err);
	}
	if (r == BT_OK)
		bt_tokenize_tell(how, &stats, bt_seconds() - start, log);
	bt_out_abandon(out);
	bt_tokenize_free(job);
	bt_pool_free(pool);
	return r;
}

static int run(const struct opts *o)
{
	struct bt_log log = bt_tool_log(&tool, &o->common);
	struct bt_labels labels = {0};
	struct bt_tokenize_opts how = {0};
	struct bt_error err = {0};
	struct bt_tok *tok = NULL;
	int status = BT_EXIT_DONE;

	if (open_model(o, &log, &tok, &err) != BT_OK ||
	    choose_labels(o, &labels, &how, &err) != BT_OK)
		status = bt_tool_fail(&tool, &err);
	if (status == BT_EXIT_DONE)
		status = choose(o, tok, &how);
	if (status == BT_EXIT_DONE)
		status = check_metadata(o, &how);
	if (status == BT_EXIT_DONE &&
	    convert(o, tok, &how, &log, &err) != BT_OK)
		status = bt_tool_fail(&tool, &err);
	bt_labels_clear(&labels);
	bt_tok_free(tok);
	return status;
}

int main(int argc, char **argv)
{
	struct opts o = {.common = BT_COMMON_INIT, .layout = "full"};
	int operand, status;

	if (!bt_tool_options(&tool, argc, argv, &o, &operand, &status))
		return status;
	o.files = argv + operand;
	o.n_files = argc - operand;
	status = check_options(&o);
	if (status == BT_EXIT_DONE)
		status = run(&o);
	return bt_tool_end(&tool, status);
}
