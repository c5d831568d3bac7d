/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cpu/engine.h"
#include "garden/device_flags.h"
#include "garden/file_patterns.h"
#include "garden/recipe_flags.h"
#include "garden/run_classifier.h"
#include "train/result.h"

struct args {
	struct bt_flags_common flags;
	struct bt_run_classifier run;
	struct bt_device_flags device;
	struct bt_recipe_flags more;
	const char *mode, *dtype;
	int64_t eval_batch, steps_per_loop;
};

#define FILE_ROW(name, arg, help, f, ...)                                      \
	BT_FLAG_ROW(BT_FLAG_STR, name, arg, help, args, f, __VA_ARGS__)

static const struct bt_flag flags[] = {
    BT_FLAG_ROW(BT_FLAG_ENUM, "mode", "train_and_eval|predict|export_only",
                "what to do [train_and_eval]", args, mode),
    FILE_ROW("input_meta_data_path", "FILE", "JSON description of the records",
             run.meta_data, .required = true),
    FILE_ROW("train_data_path", "PATTERN", "training records", run.train),
    FILE_ROW("eval_data_path", "PATTERN", "records to evaluate or predict",
             run.eval),
    FILE_ROW("bert_config_file", "FILE", "model configuration", run.config,
             .required = true),
    FILE_ROW("init_checkpoint", "PREFIX", "weights to start from [random]",
             run.init),
    FILE_ROW("model_dir", "DIR", "directory to write to", run.dir,
             .alias = "md", .required = true),
    BT_RECIPE_FLAGS(args, run.recipe),
    BT_FLAG_NUMBER(BT_FLAG_INT, "eval_batch_size",
                   "examples per evaluation batch [32]", args, eval_batch, 1,
                   1e9, .idle = true),
    BT_FLAG_NUMBER(BT_FLAG_INT, "num_eval_per_epoch",
                   "evaluations per pass [1]", args, run.evals_per_epoch, 1,
                   1e6),
    BT_FLAG_NUMBER(BT_FLAG_INT, "train_data_size",
                   "use only the first N examples [all]", args, run.most, 1,
                   1e12),
    BT_FLAG_NUMBER(BT_FLAG_INT, "log_steps",
                   "print the speed every N updates; 0: never [100]", args,
                   run.log_steps, 0, 1e12),
    FILE_ROW("predict_checkpoint_path", "PREFIX",
             "weights to predict with [the newest]", run.predict_from),
    FILE_ROW("model_export_path", "DIR",
             "also write the model to this directory", run.export),
    FILE_ROW("tokenizer", "PATH",
             "tokenizer to save [beside the configuration]", run.tokenizer),
    BT_FLAG_ROW(BT_FLAG_ENUM, "dtype", "fp16|bf16|fp32",
                "type of matrix products [the fastest]", args, dtype,
                .alias = "dt", .refuse = "fp16",
                .why = "matrix products are bf16 or fp32"),
    BT_FLAG_NUMBER(BT_FLAG_INT, "steps_per_loop",
                   "updates between looks at the host", args, steps_per_loop, 0,
                   1e12, .idle = true),
    BT_DEVICE_FLAGS(args),
    BT_RECIPE_MORE_FLAGS(args),
    BT_FLAGS_COMMON(args),
    BT_FLAG_LAST,
};

static const struct bt_flags program = {
    {"bert-run-classifier",
     "--input_meta_data_path=FILE --bert_config_file=FILE --model_dir=DIR "
     "[FLAG ...]",
     "Fine-tunes a BERT classifier with the flags of Model Garden's "
     "run_classifier.",
     "bert-run-classifier --input_meta_data_path=mrpc_meta_data "
     "--train_data_path=mrpc_train.tf_record "
     "--eval_data_path=mrpc_eval.tf_record --bert_config_file=bert_config.json "
     "--init_checkpoint=bert_model.ckpt --model_dir=mrpc",
     NULL},
    flags,
};

/* The flag that the mode needs and that is missing; or NULL. */
static const char *missing(const struct args *a)
{
	bool trains = strcmp(a->mode, "train_and_eval") == 0;

	if (trains && bt_str_empty(a->run.train))
		return "train_data_path";
	if (strcmp(a->mode, "export_only") != 0 && bt_str_empty(a->run.eval))
		return "eval_data_path";
	if (strcmp(a->mode, "export_only") == 0 && bt_str_empty(a->run.export))
		return "model_export_path";
	return NULL;
}

static int train(const struct args *a, struct bt_error *err)
{
	const struct bt_log *log = a->run.log;
	struct bt_train_result res;
	int r = bt_run_classifier_train(&a->run, &res, err);

	if (r != BT_OK)
		return r;
	bt_train_result_speed(log, &res);
	bt_log(log, BT_LOG_NOTE,
	       "model of the last epoch written to '%s', also as ckpt-%lld",
	       a->run.dir, (long long)res.steps);
	return r;
}

static int run(struct args *a)
{
	struct bt_log log = bt_flags_log(&program, a);
	struct bt_progress progress;
	struct bt_error err = {0};
	int r = BT_OK;

	bt_flags_note(&program, a, &log);
	bt_progress_init(&progress, stderr, a->flags.common.quiet);
	a->run.log = &log;
	a->run.progress = &progress;
	a->run.print = bt_tool_print;
	if (strcmp(a->mode, "export_only") != 0)
		r = bt_device_flags_choose(&a->device, &log, &a->run.devices,
		                           &err);
	if (r == BT_OK && strcmp(a->mode, "predict") == 0)
		r = bt_run_classifier_predict(&a->run, &err);
	else if (r == BT_OK && strcmp(a->mode, "export_only") == 0)
		r = bt_run_classifier_export(&a->run, &err);
	else if (r == BT_OK)
		r = train(a, &err);
	bt_devices_clear(&a->run.devices);
	return r == BT_OK ? BT_EXIT_DONE : bt_tool_fail(&program.tool, &err);
}

/* Translates flags: empty values become NULL, names those of the library. */
static void complete(struct args *a)
{
	const char **texts[] = {&a->run.init, &a->run.predict_from,
	                        &a->run.export, &a->run.tokenizer};
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
	                         .evals_per_epoch = 1,
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
	return bt_tool_end(&program.tool, run(&a));
}
