/* SPDX-License-Identifier: MIT */
/* The options of bert-train. */
#ifndef BERT_TRAIN_OPTIONS_H
#define BERT_TRAIN_OPTIONS_H

#include "base/opt.h"
#include "dist/shards.h"
#include "model/lora.h"
#include "train/job.h"

struct args {
	struct bt_common common;
	struct bt_job_opts job;
	int64_t batch_size, batch_tokens, accumulate, expect; /* 0: no limit */
	int64_t shards, lora, replicas;
	int64_t reinit, kfold, seeds, tune_steps;
	double tune; /* minutes; 0: not given */
	struct bt_opt_list tune_over;
	char **argv;
	int argc;
	double head_lr; /* -1: not given */
	const char *schedule, *optimizer, *task, *dtype, *windows;
	bool profile, dry_run, compile_only, anew, force, no_card;
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
    BT_REAL(0, "tune", "MINUTES", "find good settings in this time", args, tune,
            1e-3, 1e6),
    BT_INT(0, "tune-steps", "N", "or in this number of updates", args,
           tune_steps, 1, 1e15),
    BT_LIST(0, "tune-over", "OPTION=A..B|A,B,...",
            "tune this option [learning-rate, epochs, batch-size]", args,
            tune_over),
    BT_GROUP("Model"),
    BT_STR(0, "task",
           "classification|embedding|masked-lm|multilabel|multiple-choice|qa|"
           "ranking|regression|tagging",
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
    BT_REAL(0, "label-smoothing", "X", "label smoothing [0]", args,
            TRAIN.smoothing, 0, 0.99),
    BT_REAL(0, "r-drop", "ALPHA",
            "R-Drop: two passes over each text are to agree [0]", args,
            TRAIN.r_drop, 0, 1000),
    BT_REAL(0, "fgm", "EPSILON",
            "adversarial training: learn from moved embeddings, too [0]", args,
            TRAIN.fgm, 0, 1000),
    BT_FLAG(0, "few-shot",
            "first learn which texts have one class, from few examples", args,
            job.few_shot),
    BT_STR(0, "embedding-loss", "ranking|cosent|cosine",
           "loss of embeddings [cosent for pairs with a score, or ranking]",
           args, job.embedding_loss),
    BT_STR(0, "matryoshka-dims", "N,...",
           "learn embeddings that can be cut to their first N values", args,
           job.matryoshka_dims),
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
    BT_STR(0, "pseudo-label", "FILE",
           "learn from texts without a label by these predictions", args,
           job.pseudo.file),
    BT_REAL(0, "pseudo-threshold", "P",
            "take labels of at least this probability [0.9]", args,
            job.pseudo.least, 0, 1),
    BT_REAL(0, "pseudo-weight", "X", "weight of these texts [1]", args,
            job.pseudo.weight, 0, 1000),
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
            TRAIN.max_minutes, 1e-6, 1e9),
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
    BT_STR(0, "device", "NAME|FILE|list",
           "train on a device, by this PJRT plugin; list: tell all devices",
           args, job.device),
    BT_INT(0, "replicas", "N", "devices that train together [1]", args,
           replicas, 1, 4096),
    BT_FLAG(0, "compile-only",
            "compile for the device, print memory and FLOPs, then stop", args,
            compile_only),
    BT_STR(0, "topology", "NAME",
           "with --compile-only: devices that need not be here, as v5e:2x2",
           args, job.costs.topology),
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

static struct args defaults(void)
{
	struct args a = {
	    .common = BT_COMMON_INIT,
	    .dtype = "auto",
	    .job = {.dropout = -1, .pseudo = {.least = -1, .weight = -1}},
	    .accumulate = 1,
	    .head_lr = -1,
	    .schedule = "linear",
	    .optimizer = "adamw"};
	struct bt_train_opts *t = &a.job.train;

	t->teacher_weight = -1; /* not given */
	t->save_minutes = 10;
	t->schedule = (struct bt_schedule_opts)BT_SCHEDULE_INIT;
	t->schedule.lr = -1; /* not given; nor are epochs */
	t->optim = (struct bt_optim_opts)BT_OPTIM_INIT;
	return a;
}

/* The option given that a device cannot serve, or NULL. */
static const char *beyond_device(const struct args *a)
{
	const struct bt_train_opts *t = &a->job.train;
	const struct {
		bool given;
		const char *option;
	} all[] = {
	    {a->shards > 1, "--shards"},
	    {a->job.gemm != NULL, "--gemm"},
	    {t->recompute, "--checkpoint-activations"},
	    {a->profile, "--profile"},
	    {t->detect, "--detect-anomaly"},
	};
	size_t i;

	for (i = 0; a->job.device != NULL && i < sizeof(all) / sizeof(all[0]);
	     i++)
		if (all[i].given)
			return all[i].option;
	return NULL;
}

#endif
