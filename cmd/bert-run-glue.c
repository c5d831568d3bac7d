/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cpu/engine.h"
#include "garden/device_flags.h"
#include "garden/file_patterns.h"
#include "garden/glue.h"
#include "train/result.h"

struct args {
	struct bt_flags_common flags;
	struct bt_glue glue;
	struct bt_glue_zip zip;
	bool sizes;
	struct bt_device_flags device;
	struct bt_opt_list config;
	const char *mode, *override, *tokenizer;
};

static const struct bt_flag flags[] = {
    BT_FLAG_ROW(BT_FLAG_ENUM, "mode",
                "train_eval_and_predict|train_eval|predict|zip",
                "what to do [train_eval_and_predict]", args, mode),
    BT_FLAG_ROW(BT_FLAG_ENUM, "task_name", BT_GLUE_TASKS, "GLUE task", args,
                glue.task),
    BT_FLAG_ROW(BT_FLAG_STR, "input_meta_data_path", "FILE",
                "JSON description of the records", args, glue.meta_data),
    BT_FLAG_ROW(BT_FLAG_STR, "train_input_path", "PATTERN", "training records",
                args, glue.train),
    BT_FLAG_ROW(BT_FLAG_STR, "validation_input_path", "PATTERN",
                "validation records", args, glue.eval),
    BT_FLAG_ROW(BT_FLAG_STR, "test_input_path", "PATTERN", "records to predict",
                args, glue.test),
    BT_FLAG_ROW(BT_FLAG_STR, "test_output_path", "FILE", "predictions to write",
                args, glue.predictions),
    BT_FLAG_ROW(BT_FLAG_STR, "model_dir", "DIR", "directory to write to", args,
                glue.dir),
    BT_FLAG_ROW(BT_FLAG_STR, "model_config_file", "FILE",
                "encoder configuration", args, glue.encoder),
    BT_FLAG_ROW(BT_FLAG_STR, "init_checkpoint", "PREFIX",
                "weights to start from [random]", args, glue.init),
    BT_FLAG_NUMBER(BT_FLAG_INT, "global_batch_size", "examples per batch [32]",
                   args, glue.batch, 1, 1e9),
    BT_FLAG_NUMBER(BT_FLAG_REAL, "learning_rate", "peak learning rate [3e-5]",
                   args, glue.rate, 0, 10),
    BT_FLAG_NUMBER(BT_FLAG_INT, "num_epoch", "passes over the data [3]", args,
                   glue.epochs, 1, 1e6),
    BT_FLAG_NUMBER(BT_FLAG_REAL, "warmup_ratio",
                   "warm-up as a share of the updates [0.1]", args, glue.warmup,
                   0, 1),
    BT_FLAG_NUMBER(BT_FLAG_INT, "num_eval_per_epoch",
                   "evaluations per pass [2]", args, glue.evals_per_epoch, 1,
                   1e6),
    BT_FLAG_ROW(BT_FLAG_MULTI, "config_file", "FILE",
                "configuration that replaces most flags; repeatable", args,
                config),
    BT_FLAG_ROW(BT_FLAG_STR, "params_override", "LIST", "not used", args,
                override, .idle = true),
    BT_FLAG_ROW(BT_FLAG_STR, "hub_module_url", "DIR",
                "TensorFlow Hub module with the encoder", args, glue.hub),
    BT_FLAG_ROW(BT_FLAG_STR, "tokenizer", "PATH",
                "tokenizer to save [the checkpoint's]", args, tokenizer),
    BT_FLAG_ROW(BT_FLAG_STR, "predictions_dir", "DIR",
                "zip: directory with the files of predictions", args, zip.dir),
    BT_FLAG_ROW(BT_FLAG_STR, "zip_output_path", "FILE", "zip: archive to write",
                args, zip.output),
    BT_FLAG_ROW(BT_FLAG_STR, "fill_missing", "LIST",
                "zip: predictions for files that are missing: WNLI=0,...", args,
                zip.fill),
    BT_FLAG_ROW(BT_FLAG_BOOL, "test_set_sizes", NULL,
                "zip: files have as many rows as the test sets [true]", args,
                sizes),
    BT_DEVICE_FLAGS(args),
    BT_FLAGS_COMMON(args),
    BT_FLAG_LAST,
};

static const struct bt_flags program = {
    {"bert-run-glue",
     "--task_name=TASK --input_meta_data_path=FILE --model_dir=DIR [FLAG ...]\n"
     "       bert-run-glue --mode=zip --predictions_dir=DIR "
     "--zip_output_path=FILE [FLAG ...]",
     "Fine-tunes on a GLUE task and predicts, with the flags of Model "
     "Garden's run_glue; or collects predictions for the leaderboard.",
     "bert-run-glue --task_name=MRPC --input_meta_data_path=mrpc_meta_data "
     "--train_input_path=mrpc_train.tf_record "
     "--validation_input_path=mrpc_eval.tf_record "
     "--test_input_path=mrpc_test.tf_record --test_output_path=MRPC.tsv "
     "--model_config_file=bert_config.json --init_checkpoint=bert_model.ckpt "
     "--model_dir=mrpc",
     NULL},
    flags,
};

/* The first flag that the mode needs and that is missing; or NULL. */
static const char *missing(const struct args *a)
{
	bool zips = strcmp(a->mode, "zip") == 0;
	bool trains = !zips && strcmp(a->mode, "predict") != 0;
	bool predicts = !zips && strcmp(a->mode, "train_eval") != 0;
	bool makes = trains && a->config.n == 0; /* the configuration */
	const struct {
		const char *flag, *value;
		bool needed;
	} all[] = {
	    {"task_name", a->glue.task, !zips},
	    {"input_meta_data_path", a->glue.meta_data, !zips},
	    {"model_dir", a->glue.dir, !zips},
	    {"train_input_path", a->glue.train, makes},
	    {"validation_input_path", a->glue.eval, makes},
	    {"model_config_file", a->glue.encoder, makes},
	    {"test_input_path", a->glue.test, predicts},
	    {"test_output_path", a->glue.predictions, predicts},
	    {"predictions_dir", a->zip.dir, zips},
	    {"zip_output_path", a->zip.output, zips},
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].needed && bt_str_empty(all[i].value))
			return all[i].flag;
	return NULL;
}

/* A flag that only collecting predictions has, and that is given though that is
 * not asked for; or NULL. */
static const char *stray(const struct args *a)
{
	static const char *const names[] = {"predictions_dir",
	                                    "zip_output_path", "fill_missing",
	                                    "test_set_sizes"};
	size_t i;

	for (i = 0; strcmp(a->mode, "zip") != 0 && i < 4; i++)
		if (bt_flags_given(&program, a, names[i]))
			return names[i];
	return NULL;
}

/* Collects predictions. */
static int run_zip(const struct args *a)
{
	struct bt_log log = bt_flags_log(&program, a);
	struct bt_glue_zip zip = a->zip;
	struct bt_error err = {0};

	bt_flags_note(&program, a, &log);
	zip.any_size = !a->sizes;
	zip.log = &log;
	return bt_glue_zip(&zip, &err) == BT_OK
	           ? BT_EXIT_DONE
	           : bt_tool_fail(&program.tool, &err);
}

static int train(const struct args *a, const struct bt_experiment *e,
                 struct bt_train_result *res, struct bt_error *err)
{
	struct bt_experiment with = *e;
	struct bt_garden *c = NULL;
	int r = bt_glue_configure(&a->glue, &c, err);

	with.config = c;
	if (r == BT_OK)
		r = bt_experiment_run(&with, res, err);
	bt_garden_free(c);
	if (r != BT_OK || res->examples == 0)
		return r;
	bt_train_result_speed(e->log, res);
	return r;
}

static int run(const struct args *a)
{
	struct bt_log log = bt_flags_log(&program, a);
	struct bt_experiment e = {.mode = BT_EXPERIMENT_TRAIN_AND_EVAL,
	                          .dir = a->glue.dir,
	                          .tokenizer = a->tokenizer,
	                          .threads = (int)a->flags.common.threads,
	                          .seed = a->flags.common.seed,
	                          .stopped = bt_tool_stopped,
	                          .print = bt_tool_print};
	struct bt_train_result res = {0};
	struct bt_devices devices = {0};
	struct bt_progress progress;
	struct bt_error err = {0};
	bool predicts = strcmp(a->mode, "train_eval") != 0;
	int r = BT_OK;

	bt_flags_note(&program, a, &log);
	bt_progress_init(&progress, stderr, a->flags.common.quiet);
	bt_tool_catch_stop();
	e.log = &log;
	e.progress = &progress;
	e.devices = &devices;
	if (predicts) /* before training is in vain */
		r = bt_file_patterns_check("test_input_path", a->glue.test,
		                           &err);
	if (r == BT_OK)
		r = bt_device_flags_choose(&a->device, &log, &devices, &err);
	if (r == BT_OK && strcmp(a->mode, "predict") != 0)
		r = train(a, &e, &res, &err);
	if (r == BT_OK && bt_train_result_stopped(&log, &res))
		return BT_EXIT_FAILED;
	if (r == BT_OK && predicts)
		r = bt_glue_predict(&a->glue, &e, &err);
	bt_devices_clear(&devices);
	return r == BT_OK ? BT_EXIT_DONE : bt_tool_fail(&program.tool, &err);
}

int main(int argc, char **argv)
{
	struct args a = {.flags = BT_FLAGS_COMMON_INIT,
	                 .device = BT_DEVICE_FLAGS_INIT,
	                 .mode = "train_eval_and_predict",
	                 .sizes = true,
	                 .glue = {.batch = 32,
	                          .epochs = 3,
	                          .evals_per_epoch = 2,
	                          .rate = 3e-5,
	                          .warmup = 0.1}};
	struct bt_error err = {0};
	const char *from;
	int status;

	bt_tool_version_adds(bt_engine_products);
	if (!bt_flags_options(&program, argc, argv, &a, &status))
		return status;
	a.glue.files = &a.config;
	if (bt_str_empty(a.glue.init))
		a.glue.init = NULL;
	if (bt_str_empty(a.tokenizer))
		a.tokenizer = NULL;
	if (missing(&a) != NULL)
		return bt_tool_misuse(&program.tool, "--mode=%s needs --%s",
		                      a.mode, missing(&a));
	if (stray(&a) != NULL)
		return bt_tool_misuse(&program.tool, "--%s is for --mode=zip",
		                      stray(&a));
	if (strcmp(a.mode, "zip") == 0)
		return bt_tool_end(&program.tool, run_zip(&a));
	from = a.glue.init;
	if (bt_file_patterns_hub(a.glue.hub, &from, &err) != BT_OK)
		return bt_tool_misuse(&program.tool, "%s", err.text);
	return bt_tool_end(&program.tool, run(&a));
}
