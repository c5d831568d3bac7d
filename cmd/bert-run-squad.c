/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cpu/engine.h"
#include "garden/device_flags.h"
#include "garden/file_patterns.h"
#include "garden/recipe_flags.h"
#include "garden/run_squad.h"
#include "train/result.h"

struct args {
	struct bt_flags_common flags;
	struct bt_run_squad run;
	struct bt_device_flags device;
	struct bt_recipe_flags more;
	const char *mode, *dtype, *export;
	int64_t predict_batch;
	bool verbose_logging;
};

#define FILE_ROW(name, arg, help, f, ...)                                      \
	BT_FLAG_ROW(BT_FLAG_STR, name, arg, help, args, f, __VA_ARGS__)

static const struct bt_flag flags[] = {
    BT_FLAG_ROW(
        BT_FLAG_ENUM, "mode",
        "train_and_eval|train_and_predict|train|eval|predict|export_only",
        "what to do [train_and_eval]", args, mode, .refuse = "export_only",
        .why = "the model directory is what other programs read"),
    FILE_ROW("input_meta_data_path", "FILE", "JSON description of the records",
             run.meta_data, .required = true),
    FILE_ROW("train_data_path", "PATTERN", "training records", run.train),
    FILE_ROW("predict_file", "PATTERN", "questions to answer: SQuAD's JSON",
             run.questions),
    FILE_ROW("vocab_file", "FILE", "vocabulary of the model", run.vocab),
    BT_FLAG_ROW(BT_FLAG_BOOL, "do_lower_case", NULL,
                "convert texts to lower case [true]", args, run.lower),
    FILE_ROW("bert_config_file", "FILE", "model configuration", run.config,
             .required = true),
    FILE_ROW("init_checkpoint", "PREFIX", "weights to start from [random]",
             run.init),
    FILE_ROW("model_dir", "DIR", "directory to write to, and to resume",
             run.dir, .alias = "md", .required = true),
    BT_RECIPE_FLAGS(args, run.recipe),
    BT_FLAG_NUMBER(BT_FLAG_INT, "predict_batch_size",
                   "windows per batch of questions [8]", args, predict_batch, 1,
                   1e9, .idle = true),
    BT_FLAG_NUMBER(BT_FLAG_INT, "n_best_size",
                   "answers to keep, tokens to begin and end them [20]", args,
                   run.best, 1, 1000),
    BT_FLAG_NUMBER(BT_FLAG_INT, "max_answer_length",
                   "most tokens of an answer [30]", args, run.max_answer, 1,
                   1e6),
    BT_FLAG_NUMBER(BT_FLAG_REAL, "null_score_diff_threshold",
                   "no answer where the null odds are higher [0]", args,
                   run.null_threshold, -1e300, 1e300),
    BT_FLAG_NUMBER(BT_FLAG_INT, "steps_per_loop",
                   "print the loss every N updates [1]", args,
                   run.steps_per_loop, 1, 1e12),
    BT_FLAG_NUMBER(BT_FLAG_INT, "log_steps",
                   "print the speed every N updates; 0: never [100]", args,
                   run.log_steps, 0, 1e12),
    FILE_ROW("predict_checkpoint_path", "PREFIX",
             "weights to predict with [the newest]", run.predict_from),
    BT_FLAG_ROW(BT_FLAG_ENUM, "dtype", "fp16|bf16|fp32",
                "type of matrix products in training [the fastest]", args,
                dtype, .alias = "dt", .refuse = "fp16",
                .why = "matrix products are bf16 or fp32"),
    BT_FLAG_ROW(BT_FLAG_BOOL, "verbose_logging", NULL, "say more", args,
                verbose_logging, .idle = true),
    FILE_ROW("model_export_path", "DIR", "SavedModel to write", export,
             .refuse = "*",
             .why = "the model directory is what other programs read"),
    BT_DEVICE_FLAGS(args),
    BT_RECIPE_MORE_FLAGS(args),
    BT_FLAGS_COMMON(args),
    BT_FLAG_LAST,
};

static const struct bt_flags program = {
    {"bert-run-squad",
     "--input_meta_data_path=FILE --bert_config_file=FILE --model_dir=DIR "
     "[FLAG ...]",
     "Fine-tunes a model that answers questions, with the flags of Model "
     "Garden's run_squad.",
     "bert-run-squad --input_meta_data_path=squad_meta_data "
     "--train_data_path=squad.tf_record --predict_file=dev-v1.1.json "
     "--vocab_file=vocab.txt --bert_config_file=bert_config.json "
     "--init_checkpoint=bert_model.ckpt --model_dir=squad",
     NULL},
    flags,
};

static bool trains(const struct args *a)
{
	return strncmp(a->mode, "train", 5) == 0;
}

static bool scores(const struct args *a)
{
	return strcmp(a->mode, "eval") == 0 ||
	       strcmp(a->mode, "train_and_eval") == 0;
}

/* The flag that the mode needs and that is missing; or NULL. */
static const char *missing(const struct args *a)
{
	if (trains(a) && bt_str_empty(a->run.train))
		return "train_data_path";
	if (strcmp(a->mode, "train") == 0)
		return NULL;
	return bt_str_empty(a->run.questions) ? "predict_file"
	       : bt_str_empty(a->run.vocab)   ? "vocab_file"
	                                      : NULL;
}

/* Status of a run that ended before all was done; else BT_EXIT_DONE. */
static int summarise(const struct args *a, const struct bt_train_result *r)
{
	const struct bt_log *log = a->run.log;

	if (bt_train_result_stopped(log, r))
		return BT_EXIT_FAILED;
	bt_train_result_speed(log, r);
	bt_log(log, BT_LOG_NOTE, "model of step %lld written to '%s'",
	       (long long)r->steps, a->run.dir);
	return BT_EXIT_DONE;
}

static int run(struct args *a)
{
	struct bt_log log = bt_flags_log(&program, a);
	struct bt_train_result res;
	struct bt_progress progress;
	struct bt_error err = {0};
	bool asks = strcmp(a->mode, "train") != 0;
	int status = BT_EXIT_DONE;

	bt_flags_note(&program, a, &log);
	if (trains(a) && asks &&
	    bt_run_squad_check(&a->run, scores(a), &err) != BT_OK)
		return bt_tool_fail(&program.tool, &err);
	if (bt_device_flags_choose(&a->device, &log, &a->run.devices, &err) !=
	    BT_OK)
		return bt_tool_fail(&program.tool, &err);
	bt_progress_init(&progress, stderr, a->flags.common.quiet);
	a->run.log = &log;
	a->run.progress = &progress;
	a->run.print = bt_tool_print;
	if (trains(a)) {
		bt_tool_catch_stop();
		a->run.stopped = bt_tool_stopped;
		if (bt_run_squad_train(&a->run, &res, &err) != BT_OK)
			return bt_tool_fail(&program.tool, &err);
		status = summarise(a, &res);
	}
	if (status == BT_EXIT_DONE && asks &&
	    bt_run_squad_predict(&a->run, scores(a), &err) != BT_OK)
		return bt_tool_fail(&program.tool, &err);
	return status;
}

/* Translates flags: empty values become NULL, names those of the library. */
static void complete(struct args *a)
{
	const char **texts[] = {&a->run.init, &a->run.predict_from,
	                        &a->run.vocab};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (bt_str_empty(*texts[i]))
			*texts[i] = NULL;
	a->run.dtype = a->dtype == NULL                ? BT_PRECISION_AUTO
	               : strcmp(a->dtype, "fp32") == 0 ? BT_PRECISION_F32
	                                               : BT_PRECISION_BF16;
	a->run.threads = (int)a->flags.common.threads;
	a->run.recipe.seed = a->flags.common.seed;
}

int main(int argc, char **argv)
{
	struct args a = {.flags = BT_FLAGS_COMMON_INIT,
	                 .device = BT_DEVICE_FLAGS_INIT,
	                 .mode = "train_and_eval",
	                 .run = {.recipe = BT_RUN_RECIPE_INIT,
	                         .lower = true,
	                         .best = 20,
	                         .max_answer = 30,
	                         .steps_per_loop = 1,
	                         .log_steps = 100}};
	struct bt_error err = {0};
	int status;

	bt_tool_version_adds(bt_engine_products);
	if (!bt_flags_options(&program, argc, argv, &a, &status))
		return status;
	if (missing(&a) != NULL)
		return bt_tool_misuse(&program.tool, "--mode=%s needs --%s",
		                      a.mode, missing(&a));
	if (a.run.recipe.end_rate > a.run.recipe.rate)
		return bt_tool_misuse(&program.tool,
		                      "--end_lr=%g is larger than "
		                      "--learning_rate=%g",
		                      a.run.recipe.end_rate, a.run.recipe.rate);
	complete(&a);
	if (bt_file_patterns_hub(a.more.hub, &a.run.init, &err) != BT_OK)
		return bt_tool_misuse(&program.tool, "%s", err.text);
	status = run(&a);
	bt_devices_clear(&a.run.devices);
	return bt_tool_end(&program.tool, status);
}
