/* SPDX-License-Identifier: MIT */
/* Trains the vocabulary of a tokenizer. */
#include <string.h>
#include <sys/stat.h>

#include "base/pool.h"
#include "base/str.h"
#include "base/sys.h"
#include "base/tool.h"
#include "format/charset.h"
#include "io/duplicate_paths.h"
#include "io/out.h"
#include "io/url.h"
#include "vocab_train/count_words.h"
#include "vocab_train/save_vocab.h"
#include "vocab_train/trainer.h"

#define MAX_SPECIAL 1000

struct opts {
	struct bt_common common;
	const char *type, *special, *lower;
	int64_t size, min_count, alphabet;
	bool lines;
};

static const struct bt_opt options[] = {
    BT_GROUP("Input and output"),
    BT_STR('o', "output", "DIR|FILE.txt",
           "write to it [vocab.txt to standard output]", opts, common.output),
    BT_FLAG(0, "lines", "read plain text, one text per line", opts, lines),
    BT_GROUP("Vocabulary"),
    BT_STR(0, "type", "wordpiece|bpe", "kind of vocabulary [wordpiece]", opts,
           type),
    BT_INT(0, "size", "N", "maximum number of tokens [30000]", opts, size, 1,
           1 << 24),
    BT_INT(0, "min-frequency", "N", "merge only pairs that occur N times [2]",
           opts, min_count, 1, 1e15),
    BT_STR(0, "lower-case", "yes|no",
           "lower-case the text and strip accents [yes; bpe: no]", opts, lower),
    BT_STR(0, "special", "LIST",
           "special tokens, comma-separated [BERT's or RoBERTa's]", opts,
           special),
    BT_INT(0, "alphabet", "N", "keep only the N most frequent characters [all]",
           opts, alphabet, 1, 0x110000),
    BT_OPT_COMMON(opts),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "bert-vocab",
    "[OPTION ...] [FILE ...]",
    "Trains a WordPiece or byte-level BPE vocabulary.",
    "bert-vocab --lines --size 8000 -o tokenizer texts.txt",
    options,
};

/* Whether the output is a vocab.txt alone. */
static bool is_file(const char *output)
{
	size_t n = output == NULL ? 0 : strlen(output);
	struct stat st;

	if (output == NULL || bt_str_is(output, "-"))
		return true;
	if (stat(output, &st) == 0)
		return !S_ISDIR(st.st_mode);
	return n > 4 && strcmp(output + n - 4, ".txt") == 0;
}

static int check_options(const struct opts *o, char *const *files, int n)
{
	bool file = is_file(o->common.output);
	struct bt_error err = {0};

	/* before the work, which takes long */
	if (bt_url_refuse(o->common.output, file ? BT_URL_OUT : BT_URL_DIR_OUT,
	                  &err) != BT_OK)
		return bt_tool_fail(&tool, &err);
	if (bt_out_spare(o->common.output, files, n, &err) != BT_OK)
		return bt_tool_misuse(&tool, "%s", err.text);
	if (!bt_str_is(o->type, "bpe"))
		return BT_EXIT_DONE;
	if (bt_str_is(o->lower, "yes"))
		return bt_tool_misuse(&tool, "--lower-case yes does not apply "
		                             "to byte-level BPE");
	if (o->alphabet != 0)
		return bt_tool_misuse(&tool, "--alphabet does not apply to "
		                             "byte-level BPE, whose alphabet "
		                             "is all bytes");
	if (file)
		return bt_tool_misuse(&tool, "--type bpe writes several files: "
		                             "use -o DIR");
	return BT_EXIT_DONE;
}

/* Splits a list at its commas; returns the number of items, or -1. */
static int split_list(const char *list, struct bt_span *item)
{
	const char *end;
	int n = 0, i;

	for (;; list = end + 1) {
		end = list + strcspn(list, ",");
		if (n == MAX_SPECIAL || end == list)
			return -1;
		item[n].p = list;
		item[n].n = (size_t)(end - list);
		for (i = 0; i < n; i++)
			if (bt_span_equal(item[i], item[n]))
				return -1;
		n++;
		if (*end == 0)
			return n;
	}
}

static int open_out(const struct opts *o, enum bt_word_kind kind,
                    struct bt_vocab_out **out, struct bt_error *err)
{
	if (is_file(o->common.output))
		return bt_vocab_out_file(o->common.output, out, err);
	return bt_vocab_out_dir(o->common.output, kind,
	                        !bt_str_is(o->lower, "no"), out, err);
}

static void report(const struct bt_log *log, const struct opts *o,
                   const struct bt_count_words_sum *sum,
                   const struct bt_trainer *made, const double seconds[2])
{
	bt_log(log, BT_LOG_NOTE,
	       "%llu text%s, %zu distinct words; %zu tokens%s",
	       (unsigned long long)sum->texts, bt_plural(sum->texts),
	       sum->words, made->n,
	       made->n < (size_t)o->size ? " (no more frequent pairs)" : "");
	if (o->alphabet != 0 && made->letters > (size_t)o->alphabet)
		bt_log(log, BT_LOG_NOTE,
		       "%zu of %zu characters were left out; words with them "
		       "will be unknown",
		       made->letters - (size_t)o->alphabet, made->letters);
	bt_log(log, BT_LOG_MORE, "%.1f MB counted in %.2f s, merged in %.2f s",
	       (double)sum->bytes * 1e-6, seconds[0], seconds[1]);
}

/* Opens the output, counts, trains, writes. */
static int train(const struct opts *o, struct bt_trainer_opts *how,
                 char *const *files, int n, const struct bt_log *log,
                 struct bt_error *err)
{
	bool lower = !bt_str_is(o->lower, "no");
	struct bt_word_splitter *splitter = NULL;
	struct bt_count_words_sum sum = {0};
	struct bt_trainer made = {0};
	struct bt_word_counts words = {0};
	struct bt_progress progress;
	struct bt_vocab_out *out = NULL;
	struct bt_pool *pool = NULL;
	double seconds[2] = {0, 0}, start = bt_seconds();
	int r = open_out(o, how->kind, &out, err);

	if (r == BT_OK)
		r = bt_pool_new((int)o->common.threads, &pool, err);
	bt_progress_init(&progress, stderr, o->common.quiet);
	if (r == BT_OK)
		r = bt_word_splitter_new(how->kind, lower, &splitter, err);
	if (r == BT_OK)
		r = bt_count_words(splitter, pool, o->lines, files, n,
		                   &progress, &words, &sum, err);
	bt_progress_clear(&progress);
	seconds[0] = bt_seconds() - start;
	if (r == BT_OK)
		r = bt_trainer_train(&words, how, &made, err);
	seconds[1] = bt_seconds() - start - seconds[0];
	if (r == BT_OK) {
		r = bt_vocab_out_save(out, &made, err);
		out = NULL;
	}
	if (r == BT_OK)
		report(log, o, &sum, &made, seconds);
	bt_vocab_out_abandon(out);
	bt_trainer_clear(&made);
	bt_word_counts_clear(&words);
	bt_word_splitter_free(splitter);
	bt_pool_free(pool);
	return r;
}

static int run(const struct opts *o, char *const *files, int n)
{
	struct bt_log log = bt_tool_log(&tool, &o->common);
	struct bt_trainer_opts how = {0};
	struct bt_span special[MAX_SPECIAL];
	struct bt_error err = {0};
	const char *list = o->special;
	int count = 0;

	how.kind = bt_str_is(o->type, "bpe") ? BT_WORDS_BYTES : BT_WORDS_BERT;
	if (list == NULL)
		list = how.kind == BT_WORDS_BYTES
		           ? "<s>,<pad>,</s>,<unk>,<mask>"
		           : "[PAD],[UNK],[CLS],[SEP],[MASK]";
	if (*list != 0)
		count = split_list(list, special);
	if (count < 0 ||
	    bt_charset_check(BT_CHARSET_UTF8, list, strlen(list)) !=
	        strlen(list) ||
	    strpbrk(list, "\r\n") != NULL)
		return bt_tool_misuse(&tool,
		                      "bad value '%s' for --special: expected "
		                      "different tokens with commas",
		                      list);
	how.special = special;
	how.specials = (size_t)count;
	how.size = (size_t)o->size;
	how.min_count = (uint64_t)o->min_count;
	how.alphabet = (size_t)o->alphabet;
	if (bt_duplicate_paths(files, n, &log, &err) != BT_OK ||
	    train(o, &how, files, n, &log, &err) != BT_OK)
		return bt_tool_fail(&tool, &err);
	return BT_EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct opts o = {
	    .common = BT_COMMON_INIT, .size = 30000, .min_count = 2};
	int operand, status;

	if (!bt_tool_options(&tool, argc, argv, &o, &operand, &status))
		return status;
	status = check_options(&o, argv + operand, argc - operand);
	if (status == BT_EXIT_DONE)
		status = run(&o, argv + operand, argc - operand);
	return bt_tool_end(&tool, status);
}
