/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "base/tool.h"
#include "dist/shards.h"
#include "format/hub_cache.h"
#include "io/summary_file.h"
#include "model/freeze.h"
#include "model/lora.h"
#include "train/kfold.h"
#include "train/result.h"
#include "train/seeds.h"

struct args {
	struct bt_common common;
	struct bt_job_opts job;
	int64_t batch_size, batch_tokens, accumulate, expect; /* 0: no limit */
	int64_t shards, lora;
	int64_t reinit, kfold, seeds;
	double head_lr; /* -1: not given */
	const char *schedule, *optimizer, *task, *dtype, *windows;
	bool profile, dry_run, anew, force, no_card;
};

#define TRAIN job.train
#define RATE job.train.schedule
#define OPTIM job.train.optim

static const struct bt_opt options[] = {
    BT_GROUP("Input and output"),
    BT_STR('m', "model", "DIR", "start from this model directory", args,
           job.model),
    BT_STR(0, "init-config", "FILE|tiny",
           "start from random weights for this model", args, job.init_config),
    BT_STR('o', "output", "DIR", "model directory to write", args,
           common.output),
    BT_STR(0, "eval", "FILE", "token records to evaluate on", args, job.eval),
    BT_REAL(0, "eval-share", "X", "hold out this share of the records [0]",
            args, job.eval_share, 0, 0.9),
    BT_INT(0, "kfold", "K",
           "train K models into DIR/fold-1 ..., each without one fold", args,
           kfold, 2, BT_OPT_LIST_MAX),
    BT_STR(0, "group-by", "FIELD",
           "with --kfold: records with the same value are in one fold", args,
           job.fold.group),
    BT_REAL(0, "train-share", "X",
            "train on this share of the other records [1]", args,
            TRAIN.train_share, 1e-9, 1),
    BT_STR(0, "labels", "LIST|FILE",
           "labels, in the order of their ids [from the data]", args,
           job.labels),
    BT_STR(0, "tokenizer", "PATH",
           "tokenizer to save with the model [the model's]", args,
           job.tokenizer),
    BT_STR(0, "windows", BT_WINDOWS_NAMES,
           "how to join the windows of a text [mean]", args, windows),
    BT_INT(0, "expect", "N", "fail unless there are exactly N training records",
           args, expect, 1, 1e15),
    BT_OPT_SUMMARY(args),
    BT_FLAG(0, "dry-run", "print memory, steps and file sizes, then stop", args,
            dry_run),
    BT_GROUP("Training"),
    BT_REAL(0, "epochs", "X", "passes over the data [3]", args, TRAIN.epochs,
            1e-6, 1e6),
    BT_INT(0, "steps", "N", "number of updates; overrides --epochs", args,
           TRAIN.steps, 1, 1e12),
    BT_INT(0, "batch-size", "N", "examples per batch [32]", args, batch_size, 1,
           1e9),
    BT_INT(0, "batch-tokens", "N", "maximum tokens per batch [no limit]", args,
           batch_tokens, 1, 1e9),
    BT_INT(0, "accumulate", "N", "batches per update [1]", args, accumulate, 1,
           1e6),
    BT_INT(0, "shards", "N", "cut batches into N shards [the number of ranks]",
           args, shards, 1, BT_SHARDS_MAX),
    BT_REAL(0, "learning-rate", "X", "peak learning rate [5e-5]", args, RATE.lr,
            0, 10),
    BT_REAL(0, "warmup", "X",
            "warm-up in updates, or as a share if below 1 [0.1]", args,
            RATE.warmup, 0, 1e12),
    BT_STR(0, "schedule", BT_SCHEDULE_NAMES,
           "learning rate after warm-up [linear]", args, schedule),
    BT_REAL(0, "end-learning-rate", "X",
            "learning rate at the end of the schedule [0]", args, RATE.end, 0,
            10),
    BT_REAL(0, "power", "X", "exponent of --schedule polynomial [1]", args,
            RATE.power, 1e-3, 100),
    BT_INT(0, "cycles", "N", "restarts of --schedule cosine-restarts [1]", args,
           RATE.cycles, 1, 1e6),
    BT_GROUP("Evaluation and model selection"),
    BT_STR(0, "metric", "NAME",
           "metric to select the best model [accuracy, mse]", args,
           TRAIN.metric),
    BT_INT(0, "eval-steps", "N", "evaluate every N updates [every epoch]", args,
           TRAIN.eval_steps, 1, 1e12),
    BT_INT(0, "patience", "N",
           "stop after N evaluations without improvement [never]", args,
           TRAIN.patience, 1, 1e9),
    BT_INT(
        0, "seeds", "N",
        "train N times, with --seed and those after it, into DIR/seed-42 ...",
        args, seeds, 2, 1000),
    BT_GROUP("Model"),
    BT_STR(
        0, "task",
        "classification|embedding|masked-lm|multilabel|qa|regression|tagging",
        "what to predict [the model's, or classification]", args, task),
    BT_STR(0, "pool", BT_POOLED_NAMES, "input of the classifier [the model's]",
           args, job.pool),
    BT_STR(0, "head", "LAYERS", "layers before the outputs, as 'dense 64 relu'",
           args, job.head),
    BT_REAL(0, "dropout", "X", "dropout probability everywhere [the model's]",
            args, job.dropout, 0, 0.99),
    BT_INT(0, "reinit", "N",
           "start the top N layers, and the pooler, at random [0]", args,
           reinit, 0, 1000),
    BT_STR(0, "freeze", "LIST",
           "do not train these: embeddings, N lowest layers, PATTERN", args,
           TRAIN.freeze),
    BT_INT(0, "lora", "R",
           "train only low-rank adapters of rank R, and the head", args, lora,
           1, BT_LORA_RANK_MAX),
    BT_REAL(0, "lora-alpha", "A", "their scale, times R [8]", args,
            TRAIN.lora.alpha, 1e-6, 1e6),
    BT_REAL(0, "lora-dropout", "P", "dropout of what they read [0]", args,
            TRAIN.lora.dropout, 0, 0.99),
    BT_STR(0, "lora-targets", "LIST",
           "layers that get one: names, PATTERN, all [queries and values]",
           args, TRAIN.lora.targets),
    BT_LIST(0, "allow-missing", "PATTERN",
            "tensors that DIR may lack; they start random", args,
            job.gaps.missing),
    BT_LIST(0, "allow-unused", "PATTERN", "tensors in DIR that may stay unused",
            args, job.gaps.unused),
    BT_GROUP("Loss and optimizer"),
    BT_STR(0, "optimizer", BT_OPTIM_NAMES, "optimizer [adamw]", args,
           optimizer),
    BT_REAL(0, "weight-decay", "X", "weight decay [0.01; adam, sgd: 0]", args,
            OPTIM.weight_decay, 0, 1),
    BT_REAL(0, "layer-decay", "X",
            "each layer learns at X times the rate of the one above [1]", args,
            OPTIM.layer_decay, 0.01, 1),
    BT_REAL(0, "head-learning-rate", "X",
            "peak learning rate of the head [that of the rest]", args, head_lr,
            0, 10),
    BT_REAL(0, "clip", "X", "clip the gradient to this norm; 0: off [1]", args,
            OPTIM.clip, 0, 1e9),
    BT_REAL(0, "clip-value", "X",
            "clip gradient elements to this magnitude [off]", args,
            OPTIM.clip_value, 0, 1e9),
    BT_REAL(0, "ema", "DECAY",
            "evaluate and save the moving average of the weights [off]", args,
            TRAIN.average.decay, 0, 0.9999999),
    BT_REAL(0, "average", "X",
            "or their mean over the last X updates, or share below 1 [off]",
            args, TRAIN.average.last, 0, 1e12),
    BT_REAL(0, "label-smoothing", "X", "label smoothing [0]", args,
            TRAIN.smoothing, 0, 0.99),
    BT_REAL(0, "focal", "GAMMA", "focal loss [0]", args, TRAIN.focal, 0, 20),
    BT_FLAG(0, "few-shot",
            "first learn which texts have one class, from few examples", args,
            job.few_shot),
    BT_STR(0, "embedding-loss", "ranking|cosent|cosine",
           "loss of embeddings [cosent for pairs with a score, or ranking]",
           args, job.embedding_loss),
    BT_REAL(0, "mask-prob", "X",
            "masked-lm: share of tokens that are masked [0.15]", args,
            job.mask_prob, 0.001, 0.999),
    BT_FLAG(0, "whole-word", "masked-lm: mask words, not tokens", args,
            job.whole_words),
    BT_STR(0, "next-sentence", "auto|yes|no",
           "masked-lm: whether to tell next sentences, too [auto]", args,
           job.next_sentence),
    BT_STR(0, "class-weight", "LIST|balanced",
           "class weights in the loss [all 1]", args, TRAIN.class_weight),
    BT_STR(0, "pos-weight", "LIST|balanced",
           "multi-label: weights of positives in the loss [all 1]", args,
           TRAIN.pos_weight),
    BT_STR(0, "teacher", "FILE",
           "learn from these predictions of a teacher, too", args, job.teacher),
    BT_REAL(0, "teacher-temperature", "X",
            "temperature of teacher and student [2]", args, TRAIN.temperature,
            0.01, 1000),
    BT_REAL(0, "teacher-weight", "X",
            "share of the loss that the teacher has [0.5]", args,
            TRAIN.teacher_weight, 0, 1),
    BT_REAL(0, "beta1", "X", "decay of the first moment [0.9]", args,
            OPTIM.beta1, 0, 0.999999),
    BT_REAL(0, "beta2", "X", "decay of the second moment [0.999]", args,
            OPTIM.beta2, 0, 0.99999999),
    BT_REAL(0, "epsilon", "X", "added to the divisor [adamw: 1e-8]", args,
            OPTIM.eps, 1e-20, 1),
    BT_REAL(0, "momentum", "X", "momentum of --optimizer sgd [0.9]", args,
            OPTIM.momentum, 0, 0.999999),
    BT_GROUP("Checkpoints"),
    BT_INT(0, "save-steps", "N", "write a checkpoint every N updates [never]",
           args, TRAIN.save_steps, 1, 1e12),
    BT_REAL(0, "save-minutes", "X",
            "write a checkpoint every X minutes; 0: never [10]", args,
            TRAIN.save_minutes, 0, 1e9),
    BT_INT(0, "keep", "K", "keep the last K checkpoints, also after the run",
           args, TRAIN.keep, 1, 1e9),
    BT_REAL(0, "max-minutes", "X",
            "stop with a checkpoint after X minutes [never]", args,
            TRAIN.max_minutes, 1e-3, 1e9),
    BT_FLAG(0, "resume", "fail unless the output has a checkpoint to resume",
            args, TRAIN.resume),
    BT_FLAG(0, "no-resume", "start over even if the output has a checkpoint",
            args, anew),
    BT_FLAG(0, "force", "replace a finished model in the output directory",
            args, force),
    BT_STR(0, "resume-from", "FILE", "resume from this checkpoint", args,
           TRAIN.resume_from),
    BT_GROUP("Speed, memory and logs"),
    BT_STR(0, "dtype", "auto|f32|bf16", "type of matrix products [auto]", args,
           dtype),
    BT_STR(0, "gemm", BT_GEMM_NAMES,
           "library for matrix products [the fastest]", args, job.gemm),
    BT_FLAG(0, "checkpoint-activations",
            "save memory: recompute activations for backward", args,
            TRAIN.recompute),
    BT_INT(0, "log-steps", "N",
           "log loss and speed every N updates [every minute]", args,
           TRAIN.log_steps, 1, 1e12),
    BT_STR(0, "tensorboard", "DIR", "write TensorBoard event files here", args,
           TRAIN.tensorboard),
    BT_FLAG(0, "no-card", "write no README.md, the model card", args, no_card),
    BT_FLAG(0, "profile", "print where the time goes", args, profile),
    BT_FLAG(0, "detect-anomaly",
            "name the operator that first yields NaN or Inf", args,
            TRAIN.detect),
    BT_OPT_COMMON(args),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "bert-train",
    "-m DIR|--init-config FILE|tiny -o DIR [OPTION ...] [RECORDS ...]",
    "Fine-tunes a BERT model on token records.",
    "bert-train -m bert-base-uncased -o intent --eval dev.rec train.rec",
    options,
};

/* What does not go together, or NULL. */
static const char *misfit(const struct args *a)
{
	const struct bt_weights_gaps *gaps = &a->job.gaps;
	const struct bt_train_opts *t = &a->job.train;

	if ((a->job.model == NULL) == (a->job.init_config == NULL))
		return "give either -m DIR or --init-config FILE|tiny";
	if (a->job.model == NULL &&
	    (gaps->missing.n > 0 || gaps->unused.n > 0 || a->reinit > 0))
		return "--allow-missing, --allow-unused and --reinit need -m "
		       "DIR";
	if (a->head_lr >= 0 && t->schedule.lr == 0)
		return "--head-learning-rate needs a --learning-rate above 0";
	if (a->job.teacher == NULL &&
	    (t->temperature > 0 || t->teacher_weight >= 0))
		return "--teacher-temperature and --teacher-weight need "
		       "--teacher";
	if (t->focal > 0 && (t->smoothing > 0 || a->job.teacher != NULL))
		return "--focal does not go with --label-smoothing and "
		       "--teacher";
	if (a->job.few_shot &&
	    (a->job.head != NULL || a->job.teacher != NULL || t->focal > 0 ||
	     t->smoothing > 0 || t->patience > 0 || t->eval_steps > 0 ||
	     t->metric != NULL || bt_averages(&t->average) ||
	     a->job.embedding_loss != NULL))
		return "--few-shot does not go with --head, --teacher, "
		       "--label-smoothing, --patience, --eval-steps, --metric, "
		       "--ema, --average, --focal and --embedding-loss";
	if (t->average.decay > 0 && t->average.last > 0)
		return "give either --ema or --average";
	if (a->job.pool != NULL && a->job.head != NULL)
		return "give either --head, with its own pooling, or --pool";
	if (a->common.output == NULL ? !a->dry_run
	                             : strcmp(a->common.output, "-") == 0)
		return "give -o DIR, the model directory to write";
	return NULL;
}

/* The error if --lora does not go with the rest; or NULL. */
static const char *lora_misfit(const struct args *a)
{
	const struct bt_lora *l = &a->job.train.lora;

	if (a->lora == 0)
		return l->alpha != 0 || l->dropout != 0 || l->targets != NULL
		           ? "--lora-alpha, --lora-dropout and --lora-targets "
		             "need --lora"
		           : NULL;
	if (a->job.init_config != NULL)
		return "--lora changes a model that was trained: give -m DIR";
	if (a->job.train.freeze != NULL || a->reinit > 0 ||
	    a->job.gaps.missing.n > 0 || a->job.few_shot)
		return "--lora leaves all weights of the model but its head, "
		       "so it does not go with --freeze, --reinit, "
		       "--allow-missing and --few-shot";
	return NULL;
}

/* The error if --kfold or --seeds does not go with the rest; or NULL. */
static const char *several_misfit(const struct args *a, int n)
{
	if (a->seeds > 0 && a->kfold > 0)
		return "give either --kfold or --seeds";
	if (a->seeds > 0 && a->job.eval == NULL)
		return "--seeds needs --eval FILE, by which the models are "
		       "compared";
	if (a->seeds > 0 && n == 0)
		return "--seeds reads the records once for each: give files";
	if (a->seeds > 0 &&
	    (a->job.train.resume || a->job.train.resume_from != NULL ||
	     a->job.train.tensorboard != NULL))
		return "--seeds does not go with --resume, --resume-from and "
		       "--tensorboard";
	if (a->kfold == 0)
		return a->job.fold.group != NULL ? "--group-by needs --kfold"
		                                 : NULL;
	if (n == 0)
		return "--kfold reads the records once for each fold: give "
		       "files";
	if (a->common.seed > UINT32_MAX)
		return "--kfold needs a --seed below 2^32";
	if (a->job.train.resume || a->job.train.resume_from != NULL ||
	    a->job.few_shot || a->job.teacher != NULL ||
	    a->job.train.tensorboard != NULL)
		return "--kfold does not go with --resume, --resume-from, "
		       "--few-shot, --teacher and --tensorboard";
	return NULL;
}

/* Checks combinations of options. Returns true if they are valid. */
static bool check(const struct args *a, int n, int *status)
{
	const struct bt_train_opts *t = &a->job.train;
	struct bt_metrics_summary none = {0};
	struct bt_error err = {0};
	struct bt_head head;
	const char *bad = misfit(a) != NULL        ? misfit(a)
	                  : lora_misfit(a) != NULL ? lora_misfit(a)
	                                           : several_misfit(a, n);
	double value;

	if (bad != NULL)
		*status = bt_tool_misuse(&tool, "%s", bad);
	else if (a->anew && (t->resume || t->resume_from != NULL))
		*status = bt_tool_misuse(
		    &tool, "--no-resume starts over: leave out --resume%s",
		    t->resume ? "" : "-from");
	else if (a->job.head != NULL &&
	         bt_head_parse(a->job.head, &head, &err) != BT_OK)
		*status = bt_tool_misuse(&tool, "--head: %s", err.text);
	else if ((t->patience > 0 || t->eval_steps > 0 || t->metric != NULL) &&
	         a->job.eval == NULL && a->job.eval_share == 0)
		*status = bt_tool_misuse(&tool,
		                         "--%s needs records to evaluate on: "
		                         "give --eval FILE or --eval-share X",
		                         t->patience > 0     ? "patience"
		                         : t->eval_steps > 0 ? "eval-steps"
		                                             : "metric");
	else if ((t->metric != NULL &&
	          bt_metrics_find(&none, t->metric, &value, &err) != BT_OK) ||
	         bt_weights_gaps_check(&a->job.gaps, &err) != BT_OK ||
	         (t->freeze != NULL &&
	          bt_freeze_check(t->freeze, &err) != BT_OK) ||
	         (t->lora.targets != NULL &&
	          bt_lora_check(t->lora.targets, &err) != BT_OK) ||
	         bt_schedule_check(&t->schedule, &err) != BT_OK ||
	         bt_optim_check(&t->optim, &err) != BT_OK)
		*status = bt_tool_misuse(&tool, "%s", err.text);
	else
		return true;
	return false;
}

/* Fills in the members that no row of the table sets. */
static void complete(struct args *a, char **records, int n)
{
	struct bt_train_opts *t = &a->job.train;

	if (a->task != NULL)
		a->job.task = bt_task_find(a->task, NULL);
	a->job.records = records;
	a->job.n_records = n;
	a->job.expect = (uint64_t)a->expect;
	a->job.threads = (int)a->common.threads;
	a->job.fold.folds = (int)a->kfold;
	a->job.fold.seed = a->common.seed;
	t->batching.size = (size_t)a->batch_size;
	if (a->batch_size == 0 && a->batch_tokens == 0)
		t->batching.size = 32;
	t->batching.tokens = (size_t)a->batch_tokens;
	t->batching.accumulate = (int)a->accumulate;
	t->shards = (int)a->shards;
	t->lora.rank = (int)a->lora;
	if (t->lora.alpha == 0)
		t->lora.alpha = BT_LORA_ALPHA;
	t->batching.seed = a->common.seed;
	a->job.gaps.fresh_layers = (int)a->reinit;
	if (a->head_lr >= 0)
		t->optim.head_scale = a->head_lr / t->schedule.lr;
	if (t->teacher_weight < 0)
		t->teacher_weight = 0.5;
	t->windows = bt_windows_named(a->windows);
	t->out = a->common.output;
	t->keep_finished = !a->force;
	t->stopped = bt_tool_stopped;
}

static int dry_run(const struct bt_job_opts *o)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_memory_plan need;

	if (bt_job_plan(o, &need, &err) != BT_OK)
		return bt_tool_fail(&tool, &err);
	bt_memory_plan_print(&need, &b);
	fputs(bt_buf_str(&b) != NULL ? bt_buf_str(&b) : "", stdout);
	bt_buf_clear(&b);
	if (bt_memory_plan_check(&need, &o->train, &err) != BT_OK)
		bt_log_warn(o->train.log, "not-enough-memory", BT_HINT_NONE,
		            "%s", err.text);
	return BT_EXIT_DONE;
}

/* The models of all folds, and their metrics. */
static int run_folds(struct args *a, struct bt_train_result *res,
                     struct bt_error *err)
{
	struct bt_kfold_result folds;
	struct bt_buf b = BT_BUF_INIT;
	int r = bt_kfold_run(&a->job, a->force, a->anew, res, &folds, err);

	if (r == BT_OK && folds.metrics > 0) {
		bt_kfold_facts(&folds, bt_log_summary(a->job.train.log));
		bt_kfold_report(&folds, &b);
		fputs(bt_buf_str(&b) != NULL ? bt_buf_str(&b) : "", stdout);
	}
	bt_buf_clear(&b);
	bt_kfold_clear(&folds);
	return r;
}

/* The same with several seeds. */
static int run_seeds(struct args *a, struct bt_train_result *res,
                     struct bt_error *err)
{
	struct bt_seeds s = {.n = (size_t)a->seeds, .first = a->common.seed};
	struct bt_buf b = BT_BUF_INIT;
	int r = bt_seeds_run(&s, &a->job, a->force, a->anew, res, err);

	if (r == BT_OK &&
	    (res->end == BT_TRAIN_ALL || res->end == BT_TRAIN_NO_BETTER)) {
		bt_seeds_report(&s, &b);
		bt_seeds_facts(&s, bt_log_summary(a->job.train.log));
		fputs(bt_buf_str(&b) != NULL ? bt_buf_str(&b) : "", stdout);
	}
	bt_buf_clear(&b);
	bt_seeds_clear(&s);
	return r;
}

/* One model, or several of folds or seeds. */
static int train(struct args *a, struct bt_train_result *res,
                 struct bt_error *err)
{
	int ranks = bt_dist_size(a->job.train.dist);

	if (ranks > 1 && (a->kfold > 0 || a->seeds > 0))
		return bt_error_set(err, BT_EARG,
		                    "--kfold and --seeds train in one process, "
		                    "not in %d of mpirun",
		                    ranks);
	return a->kfold > 0   ? run_folds(a, res, err)
	       : a->seeds > 0 ? run_seeds(a, res, err)
	                      : bt_job_run(&a->job, res, err);
}

/* Its file, which none of the records is. */
static int open_summary(const struct args *a, struct bt_out **out,
                        struct bt_error *err)
{
	const struct bt_job_opts *o = &a->job;
	char *const eval = (char *)o->eval;
	int r = bt_out_spare(a->common.summary, &eval, eval != NULL, err);

	return r == BT_OK ? bt_summary_file_open(&a->common, o->records,
	                                         o->n_records, out, err)
	                  : r;
}

static int run(struct args *a)
{
	struct bt_log log = bt_tool_log(&tool, &a->common);
	struct bt_train_opts *t = &a->job.train;
	struct bt_train_result res;
	struct bt_profile profile = {0};
	struct bt_progress progress;
	struct bt_error err = {0};
	struct bt_out *summary = NULL;
	bool first;
	int r, status;

	if (bt_dist_open(&t->dist, &err) != BT_OK)
		return bt_tool_fail(&tool, &err);
	first = bt_dist_is_first(t->dist);
	if (!first)
		log = (struct bt_log){0};
	t->log = &log;
	r = first ? open_summary(a, &summary, &err) : BT_OK;
	if (bt_dist_agree(t->dist, r, &err) != BT_OK)
		return bt_dist_end(t->dist, &tool, BT_EXIT_FAILED, &err);
	if (a->dry_run)
		return bt_summary_file_end(
		    &tool, summary,
		    bt_dist_end(t->dist, &tool,
		                first ? dry_run(&a->job) : BT_EXIT_DONE, &err));
	if (a->kfold == 0 && a->seeds == 0 && !a->anew &&
	    t->resume_from == NULL && bt_train_left(t->out))
		t->resume = true;
	bt_dist_tell(t->dist, &t->resume, sizeof(t->resume));
	bt_progress_init(&progress, stderr, a->common.quiet || !first);
	bt_tool_catch_stop();
	t->progress = &progress;
	if (progress.to == NULL && t->log_steps == 0)
		t->log_seconds = 60;
	t->profile = a->profile ? &profile : NULL;
	r = train(a, &res, &err);
	bt_profile_clear(&profile);
	if (r == BT_OK &&
	    ((a->kfold == 0 && a->seeds == 0) || res.end == BT_TRAIN_STOPPED ||
	     res.end == BT_TRAIN_TIME))
		bt_train_result_log(t, &res);
	status = r == BT_OK && (res.end == BT_TRAIN_ALL ||
	                        res.end == BT_TRAIN_NO_BETTER)
	             ? BT_EXIT_DONE
	             : BT_EXIT_FAILED;
	return bt_summary_file_end(&tool, summary,
	                           bt_dist_end(t->dist, &tool, status, &err));
}

/* The options, and the metrics. */
static void help(const struct bt_tool *t, FILE *to)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_metrics_list(&b);
	bt_opt_help(t, to);
	fprintf(to, "\nMetrics for --metric:\n%s", bt_buf_str(&b));
	bt_buf_clear(&b);
}

int main(int argc, char **argv)
{
	struct args a = {.common = BT_COMMON_INIT,
	                 .dtype = "auto",
	                 .job = {.dropout = -1},
	                 .accumulate = 1,
	                 .head_lr = -1,
	                 .schedule = "linear",
	                 .optimizer = "adamw"};
	struct bt_train_opts *t = &a.job.train;
	int status, operand;

	bt_tool_share_work();
	t->epochs = 3;
	t->teacher_weight = -1; /* not given */
	t->save_minutes = 10;
	t->schedule = (struct bt_schedule_opts)BT_SCHEDULE_INIT;
	t->optim = (struct bt_optim_opts)BT_OPTIM_INIT;
	if (!bt_tool_options_help(&tool, argc, argv, &a, &operand, help,
	                          &status))
		return status;
	a.job.model = bt_hub_cache_find(a.job.model);
	a.job.tokenizer = bt_hub_cache_find(a.job.tokenizer);
	t->schedule.kind = bt_schedule_named(a.schedule);
	t->optim.kind = bt_optim_named(a.optimizer);
	a.job.dtype = bt_precision_named(a.dtype);
	if (!check(&a, argc - operand, &status))
		return status;
	complete(&a, argv + operand, argc - operand);
	a.job.card_command = argv;
	a.job.n_card_command = a.no_card ? 0 : argc;
	return bt_tool_end(&tool, run(&a));
}
