/* SPDX-License-Identifier: MIT */
/* Turns texts into the token ids of a model. */
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/sys.h"
#include "base/tool.h"
#include "dist/dist.h"
#include "finetune/fold_dirs.h"
#include "io/duplicate_paths.h"
#include "io/in.h"
#include "io/out.h"
#include "io/path.h"
#include "io/summary_file.h"
#include "tokenize/detokenize.h"
#include "tokenize/options.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer_file/tokenizer_file.h"

struct opts {
	struct bt_common common;
	struct bt_tokenize_options ask;
	const char *save;
	int64_t zstd; /* 0: not compressed */
	char **files;
	int n_files;
};

static const struct bt_opt options[] = {
    BT_GROUP("Input and output"),
    BT_STR('m', "model", "DIR", "model directory, or a vocab.txt", opts,
           ask.model),
    BT_STR('o', "output", "FILE", "write to FILE [standard output]", opts,
           common.output),
    BT_FLAG(0, "lines", "read plain text, one text per line", opts, ask.lines),
    BT_STR(0, "format", "tfrecord|ids|json|explain", "output format [tfrecord]",
           opts, ask.format),
    BT_FLAG(0, "keep-text", "also keep the text in each record", opts,
            ask.keep_text),
    BT_INT(0, "expect", "N", "fail unless there are exactly N records", opts,
           ask.expect, 1, 1e15),
    BT_SIZE("max-bytes", "SIZE", "fail if the (uncompressed) input is longer",
            opts, ask.max_bytes),
    BT_BARE(BT_OPT_INT, "zstd", "LEVEL",
            "compress the output at level 1 to 19 [3]", opts, zstd, 1,
            BT_OUT_ZSTD_MAX, "3"),
    BT_OPT_SUMMARY(opts),
    BT_GROUP("Length"),
    BT_INT(0, "max-length", "N",
           "maximum tokens per record [the model's limit]", opts,
           ask.max_length, 1, 1 << 30),
    BT_STR(0, "truncation", "longest_first|only_first|only_second",
           "which text of a pair to truncate [longest_first]", opts,
           ask.truncation),
    BT_FLAG(0, "no-truncation", "fail if a text is too long", opts,
            ask.no_truncation),
    BT_MAYBE("stride", "N", "split long texts into windows sharing N tokens",
             opts, ask.stride),
    BT_INT(0, "max-question", "N",
           "maximum tokens of a question about a context [64]", opts,
           ask.max_question, 1, 1 << 20),
    BT_STR(0, "pad", "N|none", "pad every record to N tokens [none]", opts,
           ask.pad),
    BT_FLAG(0, "attend-pad", "let attention see the padding (no mask)", opts,
            ask.attend_pad),
    BT_GROUP("Tokenization"),
    BT_FLAG(0, "apart", "give each text of a pair a record, for embeddings",
            opts, ask.apart),
    BT_LIST(0, "negative", "FIELD",
            "with --apart: a text that the first is not to be near", opts,
            ask.negative),
    BT_FLAG(0, "label-all",
            "words with tags: train on all tokens of a word, not only its "
            "first",
            opts, ask.label_all),
    BT_FLAG(0, "no-special", "do not add [CLS] and [SEP]", opts,
            ask.no_special),
    BT_FLAG(0, "replace-invalid",
            "replace invalid UTF-8 by U+FFFD instead of failing", opts,
            ask.mend),
    BT_STR(0, "dialect", "hf|google|modelgarden",
           "tokenizer to agree with [the model's, or hf]", opts, ask.dialect),
    BT_STR(0, "lower-case", "yes|no",
           "if the vocabulary does not say [from its tokens]", opts, ask.lower),
    BT_STR(0, "prompt", "NAME", "put this prompt of the model before each text",
           opts, ask.prompt),
    BT_STR(0, "prompt-text", "TEXT", "put this prompt before each text", opts,
           ask.prompt_text),
    BT_GROUP("Other modes"),
    BT_FLAG(0, "explain", "same as --format explain: show every step", opts,
            ask.explain),
    BT_FLAG(0, "detokenize", "turn token records, or lines of ids, into text",
            opts, ask.detokenize),
    BT_FLAG(0, "skip-special", "with --detokenize: drop special tokens", opts,
            ask.skip_special),
    BT_STR(0, "save", "DIR", "only write the tokenizer into DIR", opts, save),
    BT_GROUP("Records for other programs"),
    BT_STR(0, "layout", "full|bert|modelgarden",
           "features in each record [full]", opts, ask.layout),
    BT_STR(0, "label-type", "class|int|float|none",
           "label_ids: class id, a number, or none [class]", opts,
           ask.label_type),
    BT_STR(0, "labels", "LIST|FILE",
           "labels, in the order of their ids [the model's]", opts, ask.labels),
    BT_STR(0, "dummy-label", "LABEL",
           "label for label_ids of unlabelled records", opts, ask.dummy),
    BT_STR(0, "example-id", "count|id",
           "example_id: counter, or the id as a number [count]", opts,
           ask.example_id),
    BT_STR(0, "meta-data", "FILE",
           "write Model Garden's input_meta_data to FILE", opts, ask.meta),
    BT_STR(0, "part", "NAME", "with --meta-data: train, eval, test, ...=KEY",
           opts, ask.part),
    BT_STR(0, "processor", "NAME", "with --meta-data: processor_type", opts,
           ask.processor),
    BT_OPT_COMMON(opts),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "bert-tokenize",
    "-m DIR [OPTION ...] [FILE ...]",
    "Tokenizes text records, or lines of text, into token records.",
    "csv2tfrecord -t text a.csv | bert-tokenize -m bert-base-uncased >a.tfr",
    options,
};

/* Whether label_ids and example_id are to be other than they are by default. */
static bool sets_labels(const struct bt_tokenize_options *o)
{
	return o->labels != NULL || o->label_type != NULL || o->dummy != NULL ||
	       o->example_id != NULL;
}

/* What is wrong with options that only token records have, or NULL. */
static const char *wrong_records(const struct bt_tokenize_options *o)
{
	bool full = bt_str_is(o->layout, "full");

	if (o->example_id != NULL && !bt_str_is(o->layout, "modelgarden"))
		return "--example-id needs --layout modelgarden";
	if (o->format != NULL && !bt_str_is(o->format, "tfrecord")) {
		if (o->attend_pad)
			return "--attend-pad sets input_mask, which only "
			       "--format tfrecord has";
		if (o->meta != NULL || !full)
			return "--layout and --meta-data need --format "
			       "tfrecord";
		if (o->keep_text)
			return "--keep-text needs --format tfrecord";
		if (o->label_all)
			return "--label-all needs --format tfrecord";
		if (sets_labels(o))
			return "--labels, --label-type and --dummy-label set "
			       "label_ids, which only --format tfrecord has";
	}
	if (o->keep_text && !full)
		return "--keep-text needs --layout full";
	if (o->pad_to == 0 && o->meta != NULL)
		return "--meta-data needs --pad N: TensorFlow's readers want "
		       "records of one length";
	if (o->pad_to == 0 && !full)
		return "--layout bert and --layout modelgarden need --pad N: "
		       "TensorFlow's readers want records of one length";
	if (o->pad_to == 0 && o->attend_pad)
		return "--attend-pad needs --pad N";
	if ((o->meta == NULL) != (o->part == NULL) ||
	    (o->meta == NULL && o->processor != NULL))
		return "--meta-data FILE, --part NAME and --processor go "
		       "together";
	return NULL;
}

/* What is wrong with options of the other way, or NULL. */
static const char *wrong_detokenize(const struct bt_tokenize_options *o)
{
	if (o->meta != NULL || o->stride.given || o->pad != NULL ||
	    !bt_str_is(o->layout, "full"))
		return "--layout, --pad, --stride and --meta-data do not go "
		       "with --detokenize, which writes text";
	if (o->format != NULL && !bt_str_is(o->format, "json"))
		return "--detokenize writes lines of text, or --format json";
	if (o->prompt != NULL || o->prompt_text != NULL)
		return "a prompt does not go with --detokenize";
	if (o->keep_text)
		return "--keep-text does not go with --detokenize";
	if (o->max_length != 0 || o->truncation != NULL || o->no_truncation ||
	    o->no_special || o->mend || sets_labels(o))
		return "options for tokens and labels do not go with "
		       "--detokenize, which writes text";
	return NULL;
}

/* What is wrong with the options given, or NULL. */
static const char *wrong(const struct bt_tokenize_options *o)
{
	if (o->model == NULL)
		return "no model given: use -m DIR";
	if (o->explain && !bt_str_is(o->format, "explain"))
		return "--explain is --format explain";
	if (o->skip_special && !o->detokenize)
		return "--skip-special needs --detokenize";
	if (o->prompt != NULL && o->prompt_text != NULL)
		return "give either --prompt or --prompt-text";
	if (o->detokenize && wrong_detokenize(o) != NULL)
		return wrong_detokenize(o);
	if (o->truncation != NULL && o->no_truncation)
		return "--truncation and --no-truncation exclude each other";
	if (o->stride.given && o->no_truncation)
		return "--stride and --no-truncation exclude each other";
	if (o->labels != NULL && o->label_type != NULL &&
	    !bt_str_is(o->label_type, "class"))
		return "--labels needs --label-type class";
	if (o->negative.n > 0 && !o->apart)
		return "--negative needs --apart";
	if (o->apart && (o->stride.given || !bt_str_is(o->layout, "full") ||
	                 o->detokenize || o->lines))
		return "--apart does not go with --stride, --layout, "
		       "--detokenize and --lines";
	if (o->label_all &&
	    (o->lines || o->detokenize || !bt_str_is(o->layout, "full")))
		return "--label-all is for records of words in --layout full";
	if (o->expect != 0 && o->lines)
		return "--expect counts records, and --lines reads lines";
	return wrong_records(o);
}

/* Checks the options and sets those that follow from others. */
static int check(struct bt_tokenize_options *o, struct bt_error *err)
{
	const char *why;

	if (o->explain && o->format == NULL)
		o->format = "explain";
	if (o->pad != NULL && !bt_str_is(o->pad, "none") &&
	    bt_parse_i64(o->pad, 1, 1 << 30, &o->pad_to) != BT_OK)
		return bt_error_set(err, BT_EARG,
		                    "bad value '%s' for --pad: expected none "
		                    "or a whole number",
		                    o->pad);
	if (o->pad_to != 0 && o->max_length > o->pad_to)
		return bt_error_set(err, BT_EARG,
		                    "--pad %lld is smaller than --max-length "
		                    "%lld",
		                    (long long)o->pad_to,
		                    (long long)o->max_length);
	why = wrong(o);
	return why == NULL ? BT_OK : bt_error_set(err, BT_EARG, "%s", why);
}

static struct bt_tokenize_io io(const struct opts *o, struct bt_progress *p)
{
	bt_progress_init(p, stderr, o->common.quiet);
	return (struct bt_tokenize_io){.paths = o->files,
	                               .n = o->n_files,
	                               .output = o->common.output,
	                               .threads = (int)o->common.threads,
	                               .zstd = (int)o->zstd,
	                               .progress = p};
}

/* Texts into tokens. */
static int convert(const struct opts *o, const struct bt_tok *tok,
                   const struct bt_tokenize_opts *how, struct bt_log *log,
                   struct bt_error *err)
{
	struct bt_progress progress;
	struct bt_tokenize_io files = io(o, &progress);
	double start = bt_seconds();
	struct bt_tokenize_stats stats;
	int r = bt_tokenize_all(tok, how, &files, &stats, err);

	if (r != BT_OK || !bt_dist_is_first(how->dist))
		return r;
	r = bt_tokenize_options_tell(&o->ask, how, &stats, err);
	if (r == BT_OK)
		bt_tokenize_report(tok, how, &stats, bt_seconds() - start, log);
	return r;
}

/* The other way. */
static int revert(const struct opts *o, const struct bt_tok *tok,
                  struct bt_in_limit *limit, struct bt_log *log,
                  struct bt_error *err)
{
	const struct bt_detokenize_opts how = {
	    .lines = o->ask.lines,
	    .json = o->ask.format != NULL,
	    .skip_special = o->ask.skip_special,
	    .expect = (uint64_t)o->ask.expect,
	    .threads = (int)o->common.threads,
	    .limit = limit};
	struct bt_progress progress;
	struct bt_tokenize_io files = io(o, &progress);
	uint64_t n = 0;
	int r = bt_detokenize_all(tok, &how, &files, &n, err);

	if (r == BT_OK) {
		bt_summary_count(bt_log_summary(log), "texts", n);
		bt_log(log, BT_LOG_NOTE, "%llu text%s", (unsigned long long)n,
		       bt_plural(n));
	}
	return r;
}

/* Warns of a table that is read as lines. */
static void warn_lines(const struct opts *o, const struct bt_log *log)
{
	static const char *const ends[] = {".csv", ".tsv", ".jsonl", ".json"};
	int i;

	for (i = 0; o->ask.lines && i < o->n_files; i++)
		if (bt_path_ends(o->files[i], ends, 4))
			bt_log_warn(log, "table-as-lines", BT_HINT_NONE,
			            "each whole line of '%s' is a text; "
			            "csv2tfrecord reads tables",
			            o->files[i]);
}

/* Opens the model and finds out what is wanted of it. */
static int prepare(const struct opts *o, const struct bt_log *log,
                   struct bt_tok **tok, struct bt_labels *labels, char **prompt,
                   struct bt_tokenize_opts *how, struct bt_error *err)
{
	int r;

	if ((r = bt_duplicate_paths(o->files, o->n_files, log, err)) ||
	    (r = bt_tokenize_options_open(&o->ask, log, tok, err)) ||
	    (r = bt_tokenize_options_labels(&o->ask, labels, how, err)) ||
	    o->ask.detokenize)
		return r;
	warn_lines(o, log);
	bt_tokenize_warn_size(*tok, log);
	r = bt_tokenize_options_settle(&o->ask, *tok, how, err);
	if (r == BT_OK && o->save == NULL)
		r = bt_tokenize_options_prompt(&o->ask, log, prompt, how, err);
	return r;
}

/* Files that are written, each for one thing and none of those that are read.
 */
static int check_outputs(const struct opts *o, struct bt_error *err)
{
	const char *out[] = {o->common.output, o->ask.meta};
	int r = bt_out_distinct(out, 2, err), i;

	for (i = 0; i < 2 && r == BT_OK; i++)
		r = bt_out_spare(out[i], o->files, o->n_files, err);
	return r;
}

/* All ranks; the first one tells and writes. */
static int work(const struct opts *o, struct bt_dist *dist,
                struct bt_error *err)
{
	struct bt_log log = bt_tool_log(&tool, &o->common);
	struct bt_in_limit limit = {o->ask.max_bytes.n, o->ask.max_bytes.n};
	struct bt_tokenize_opts how = {0};
	struct bt_labels labels = {0};
	struct bt_tok *tok = NULL;
	char *prompt = NULL;
	int r;

	if (!bt_dist_is_first(dist))
		log.emit = NULL;
	r = prepare(o, &log, &tok, &labels, &prompt, &how, err);
	if (r == BT_OK)
		r = bt_dist_check_inputs(dist, o->files, o->n_files, err);
	r = bt_dist_agree(dist, r, err);
	how.limit = o->ask.max_bytes.given ? &limit : NULL;
	how.dist = dist;
	if (r == BT_OK)
		r = o->save != NULL     ? bt_tok_export(tok, o->save, err)
		    : o->ask.detokenize ? revert(o, tok, how.limit, &log, err)
		                        : convert(o, tok, &how, &log, err);
	free(prompt);
	bt_labels_clear(&labels);
	bt_tok_free(tok);
	return r;
}

static int run(const struct opts *o)
{
	struct bt_out *summary = NULL;
	struct bt_dist *dist = NULL;
	struct bt_error err = {0};
	int r = BT_OK, status;

	if ((o->ask.detokenize || o->save != NULL) &&
	    !bt_tool_works(&tool, &status))
		return status;
	if (!o->ask.detokenize && o->save == NULL)
		r = bt_dist_open(&dist, &err);
	if (r == BT_OK && bt_dist_is_first(dist))
		r = bt_summary_file_open(&o->common, o->files, o->n_files,
		                         &summary, &err);
	r = bt_dist_agree(dist, r, &err);
	if (r == BT_OK)
		r = bt_dist_agree(dist, work(o, dist, &err), &err);
	status = bt_dist_end(dist, &tool,
	                     r == BT_OK ? BT_EXIT_DONE : BT_EXIT_FAILED, &err);
	return bt_summary_file_end(&tool, summary, status);
}

/* The directory of the model; of those of folds, the first: they have one
 * tokenizer. */
static int find_model(struct bt_tokenize_options *ask,
                      struct bt_fold_dirs *folds, struct bt_error *err)
{
	struct bt_opt_list model = {.n = 0}, none = {.n = 0};
	int r;

	if (ask->model != NULL)
		model.item[model.n++] = ask->model;
	r = bt_fold_dirs_expand(&model, &none, folds, err);
	if (r == BT_OK && model.n > 0)
		ask->model = model.item[0];
	return r;
}

/* Where records do not come, their reader learns it. */
static void unopened(const struct opts *o, int status)
{
	if (status != BT_EXIT_DONE && !o->ask.detokenize && o->save == NULL &&
	    (o->ask.format == NULL || bt_str_is(o->ask.format, "tfrecord")))
		bt_out_unopened(o->common.output);
}

int main(int argc, char **argv)
{
	struct opts o = {.common = BT_COMMON_INIT,
	                 .ask.layout = "full",
	                 .ask.max_question = 64};
	struct bt_fold_dirs folds = {.n = 0};
	struct bt_error err = {0};
	int operand, status;

	bt_tool_share_work(&bt_dist_ranks);
	if (!bt_tool_options(&tool, argc, argv, &o, &operand, &status)) {
		unopened(&o, status);
		return status;
	}
	o.files = argv + operand;
	o.n_files = argc - operand;
	if (find_model(&o.ask, &folds, &err) != BT_OK ||
	    check(&o.ask, &err) != BT_OK)
		status = bt_tool_misuse(&tool, "%s", err.text);
	else if (check_outputs(&o, &err) != BT_OK)
		status = bt_tool_misuse(&tool, "%s", err.text);
	else if (o.save != NULL &&
	         (o.n_files > 0 || o.common.output != NULL || o.ask.lines ||
	          o.ask.detokenize || o.ask.format != NULL))
		status =
		    bt_tool_misuse(&tool, "--save writes the tokenizer alone, "
		                          "and reads no files");
	else
		status = run(&o);
	unopened(&o, status);
	bt_fold_dirs_clear(&folds);
	return bt_tool_end(&tool, status);
}
