/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cpu/engine.h"
#include "garden/experiment.h"
#include "garden/flags.h"
#include "train/result.h"

struct args {
	struct bt_flags_common flags;
	const char *experiment, *mode, *dir, *override, *tpu, *tokenizer;
	const char *data_service, *platform, *tfhub, *tflex;
	struct bt_opt_list config, gin_file, gin_params;
	int64_t pretrain_steps;
	bool async, print;
};

#define TEXT(name, arg, help, f, ...)                                          \
	BT_FLAG_ROW(BT_FLAG_STR, name, arg, help, args, f, __VA_ARGS__)

static const struct bt_flag flags[] = {
    TEXT("experiment", "NAME", "such as bert/sentence_prediction", experiment,
         .required = true),
    BT_FLAG_ROW(BT_FLAG_ENUM, "mode",
                BT_EXPERIMENT_MODES
                "|continuous_train_and_eval|train_and_validate",
                "what to do", args, mode,
                .refuse = "continuous_train_and_eval|train_and_validate",
                .why = "this mode is not implemented"),
    TEXT("model_dir", "DIR", "directory to write to, and to resume", dir),
    BT_FLAG_ROW(BT_FLAG_MULTI, "config_file", "FILE",
                "YAML, or as params_override; the last wins", args, config),
    TEXT("params_override", "A.B=1,C=2|YAML|FILE",
         "values that override all files", override),
    BT_FLAG_ROW(BT_FLAG_BOOL, "print_config", NULL,
                "print the configuration with sources", args, print,
                .alias = "print-config"),
    TEXT("tokenizer", "PATH", "tokenizer to save [beside init_checkpoint]",
         tokenizer),
    TEXT("tpu", "NAME", "TPU of the strategy tpu: local, its name", tpu),
    TEXT("tf_data_service", "ADDRESS", "data service", data_service,
         .refuse = "*", .why = "records are read from files"),
    BT_FLAG_ROW(BT_FLAG_MULTI, "gin_file", "FILE", "gin bindings", args,
                gin_file, .refuse = "*",
                .why = "gin's bindings are not read here"),
    BT_FLAG_ROW(BT_FLAG_MULTI, "gin_params", "BINDING", "a gin binding", args,
                gin_params, .refuse = "*",
                .why = "gin's bindings are not read here"),
    BT_FLAG_NUMBER(BT_FLAG_INT, "pretrain_steps",
                   "for continuous_train_and_eval", args, pretrain_steps, 0,
                   1e12, .idle = true),
    BT_FLAG_ROW(BT_FLAG_BOOL, "enable_async_checkpointing", NULL,
                "write checkpoints in the background", args, async,
                .idle = true),
    TEXT("tpu_platform", "NAME", "for TPUs", platform, .idle = true),
    TEXT("tfhub_handle", "URL", "for TensorFlow Hub", tfhub, .idle = true),
    TEXT("tflex_output_uri", "URL", "for pipelines", tflex, .idle = true),
    BT_FLAGS_COMMON(args),
    BT_FLAG_LAST,
};

static const struct bt_flags program = {
    {"bert-run-experiment",
     "--experiment=NAME --mode=MODE --model_dir=DIR [FLAG ...]",
     "Runs an experiment with the flags of Model Garden's train.py.",
     "bert-run-experiment --experiment=bert/sentence_prediction "
     "--mode=train_and_eval --model_dir=mnli --config_file=bert_base.yaml "
     "--config_file=glue_mnli.yaml "
     "--params_override=task.init_checkpoint=bert/bert_model.ckpt",
     NULL},
    flags,
};

/* Builds the configuration, in the order of train.py. */
static int configure(const struct args *a, struct bt_garden **c,
                     struct bt_error *err)
{
	int i, r = bt_garden_new(a->experiment, c, err);

	for (i = 0; r == BT_OK && i < a->config.n; i++)
		if (*a->config.item[i] != '\0')
			r = bt_garden_apply(*c, "config_file",
			                    a->config.item[i], err);
	if (r == BT_OK)
		bt_garden_set(*c, "--tpu", "runtime.tpu",
		              bt_str_empty(a->tpu) ? NULL : a->tpu);
	if (r == BT_OK && !bt_str_empty(a->override))
		r = bt_garden_apply(*c, "params_override", a->override, err);
	return r == BT_OK ? bt_garden_check(*c, err) : r;
}

static int print_config(const struct bt_garden *c)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	int r = bt_garden_write(c, true, &b, &err);

	if (r == BT_OK && bt_buf_str(&b) != NULL)
		fputs(bt_buf_str(&b), stdout);
	bt_buf_clear(&b);
	return r == BT_OK ? BT_EXIT_DONE : bt_tool_fail(&program.tool, &err);
}

static int summarise(const struct args *a, const struct bt_log *log,
                     const struct bt_train_result *r)
{
	if (bt_train_result_stopped(log, r))
		return BT_EXIT_FAILED;
	if (r->examples > 0)
		bt_train_result_speed(log, r);
	if (strncmp(a->mode, "train", 5) == 0)
		bt_log(log, BT_LOG_NOTE, "model of step %lld written to '%s'",
		       (long long)r->steps, a->dir);
	return BT_EXIT_DONE;
}

static int run(const struct args *a, const struct bt_garden *c)
{
	struct bt_log log = bt_flags_log(&program, a);
	struct bt_experiment e = {.config = c,
	                          .mode = bt_experiment_mode(a->mode),
	                          .dir = a->dir,
	                          .tokenizer = a->tokenizer,
	                          .threads = (int)a->flags.common.threads,
	                          .seed = a->flags.common.seed,
	                          .stopped = bt_tool_stopped,
	                          .print = bt_tool_print};
	struct bt_train_result res;
	struct bt_progress progress;
	struct bt_error err = {0};

	bt_flags_note(&program, a, &log);
	bt_progress_init(&progress, stderr, a->flags.common.quiet);
	bt_tool_catch_stop();
	e.log = &log;
	e.progress = &progress;
	if (bt_experiment_run(&e, &res, &err) != BT_OK)
		return bt_tool_fail(&program.tool, &err);
	return summarise(a, &log, &res);
}

int main(int argc, char **argv)
{
	struct args a = {.flags = BT_FLAGS_COMMON_INIT, .async = true};
	struct bt_garden *c = NULL;
	struct bt_error err = {0};
	int status;

	bt_tool_version_adds(bt_engine_products);
	if (!bt_flags_options(&program, argc, argv, &a, &status))
		return status;
	if (!a.print && (a.mode == NULL || bt_str_empty(a.dir)))
		return bt_tool_misuse(&program.tool, a.mode == NULL
		                                         ? "give --mode"
		                                         : "give --model_dir");
	if (configure(&a, &c, &err) != BT_OK)
		status = bt_tool_fail(&program.tool, &err);
	else
		status = a.print ? print_config(c) : run(&a, c);
	bt_garden_free(c);
	return bt_tool_end(&program.tool, status);
}
