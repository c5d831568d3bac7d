/* SPDX-License-Identifier: MIT */
/* Replaces Model Garden's create_pretraining_data.py. */
#include "garden/file_patterns.h"
#include "garden/flags.h"
#include "pretrain/pretraining_data.h"

struct values {
	struct bt_flags_common flags;
	struct bt_pretraining f;
	const char *input_file;
	bool gzip;
};

#define STR(name, arg, help)                                                   \
	BT_FLAG_ROW(BT_FLAG_STR, #name, arg, help, values, f.name,             \
	            .required = true)
#define BOOL(name, help)                                                       \
	BT_FLAG_ROW(BT_FLAG_BOOL, #name, NULL, help, values, f.name,           \
	            .idle = false)
#define INT(name, help, least, most)                                           \
	BT_FLAG_NUMBER(BT_FLAG_INT, #name, help, values, f.name, least, most)
#define REAL(name, help, least, most)                                          \
	BT_FLAG_NUMBER(BT_FLAG_REAL, #name, help, values, f.name, least, most)

static const struct bt_flag flags[] = {
    BT_FLAG_ROW(BT_FLAG_STR, "input_file", "FILES",
                "texts, divided by commas; *, ? and [...] are patterns", values,
                input_file, .required = true),
    STR(output_file, "FILES", "records to write, divided by commas"),
    STR(vocab_file, "FILE", "vocab.txt of the model"),
    BOOL(do_lower_case, "the model is uncased [true]"),
    INT(max_seq_length, "tokens per record [128]", BT_PRETRAINING_LEAST,
        1 << 20),
    INT(max_predictions_per_seq, "most masked tokens of a record [20]", 1,
        1 << 20),
    REAL(masked_lm_prob, "share of tokens that are masked [0.15]", 0, 1),
    BOOL(do_whole_word_mask, "mask words, not tokens [false]"),
    INT(max_ngram_size, "mask up to N words in a row [1]", 0, 100),
    INT(dupe_factor, "rounds over the texts, each with other masks [10]", 1,
        1 << 20),
    REAL(short_seq_prob, "share of documents cut into shorter records [0.1]", 0,
         1),
    INT(random_seed, "seed for all random choices [12345]", -9e15, 9e15),
    BOOL(use_v2_feature_names,
         "input_word_ids and input_type_ids in place of input_ids and "
         "segment_ids [false]"),
    BT_FLAG_ROW(BT_FLAG_BOOL, "gzip_compress", NULL, "compress [false]", values,
                gzip, .refuse = "true",
                .why = "write to standard output (--output_file=-) and "
                       "compress that with gzip"),
    BT_FLAGS_COMMON(values),
    BT_FLAG_LAST,
};

static const struct bt_flags program = {
    {"bert-create-pretraining-data",
     "--input_file=FILES --output_file=FILES --vocab_file=FILE ...",
     "Creates records for pre-training with the flags of Model Garden's "
     "create_pretraining_data.py.",
     "bert-create-pretraining-data --input_file=texts.txt "
     "--output_file=texts.tfrecord --vocab_file=vocab.txt",
     NULL},
    flags,
};

static int make(struct values *v, struct bt_error *err)
{
	struct bt_file_patterns files = {0};
	int r = bt_file_patterns_find("input_file", v->input_file, &files, err);

	v->f.input_file = files.path;
	v->f.n_input_files = files.n;
	if (r == BT_OK)
		r = bt_pretraining_make(&v->f, err);
	bt_file_patterns_clear(&files);
	return r;
}

/* A mistake in flags that belong together, or NULL. Sets the seed, which other
 * programs have another flag for. */
static const char *settle(struct values *v)
{
	if (v->f.max_ngram_size > 0 && !v->f.do_whole_word_mask)
		return "--max_ngram_size needs --do_whole_word_mask: n-grams "
		       "are of whole words";
	if (!bt_flags_given(&program, v, "seed"))
		return NULL;
	if (bt_flags_given(&program, v, "random_seed"))
		return "give either --random_seed or --seed";
	if (v->flags.common.seed > INT64_MAX)
		return "the seed is too large";
	v->f.random_seed = (int64_t)v->flags.common.seed;
	return NULL;
}

int main(int argc, char **argv)
{
	struct values v = {.flags = BT_FLAGS_COMMON_INIT,
	                   .f = {.do_lower_case = true,
	                         .max_seq_length = 128,
	                         .max_predictions_per_seq = 20,
	                         .random_seed = 12345,
	                         .dupe_factor = 10,
	                         .masked_lm_prob = 0.15,
	                         .short_seq_prob = 0.1}};
	struct bt_progress progress;
	struct bt_error err = {0};
	const char *mistake;
	struct bt_log log;
	int status, r;

	if (!bt_flags_options(&program, argc, argv, &v, &status))
		return status;
	if ((mistake = settle(&v)) != NULL)
		return bt_tool_misuse(&program.tool, "%s", mistake);
	log = bt_flags_log(&program, &v);
	bt_flags_note(&program, &v, &log);
	bt_progress_init(&progress, stderr, v.flags.common.quiet);
	v.f.log = &log;
	v.f.progress = &progress;
	r = make(&v, &err);
	status = r == BT_OK ? BT_EXIT_DONE : bt_tool_fail(&program.tool, &err);
	return bt_tool_end(&program.tool, status);
}
