/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "base/tool.h"
#include "cpu/limits.h"
#include "train/job.h"

struct args {
	struct bt_common common;
	const char *model, *init_config, *tokenizer, *labels, *eval;
	double eval_share, epochs, lr, warmup, weight_decay, clip, dropout;
	double smoothing;
	int64_t steps, batch_size, batch_tokens, accumulate, save_steps;
	int64_t expect; /* 0: any number of records */
	const char *schedule, *dtype, *metric, *gemm;
	bool resume, profile, dry_run, recompute, detect;
};

static const struct bt_opt options[] = {
    BT_STR('m', "model", "DIR", "model directory to start from", args, model),
    BT_STR(0, "init-config", "FILE|tiny",
           "random weights for this configuration instead", args, init_config),
    BT_STR(0, "tokenizer", "PATH", "tokenizer to give the model [its own]",
           args, tokenizer),
    BT_STR(0, "labels", "LIST|FILE",
           "labels in the order of their numbers [the data's]", args, labels),
    BT_STR('o', "output", "DIR", "model directory to write", args,
           common.output),
    BT_INT(0, "expect", "N", "fail if there are not N training records", args,
           expect, 1, 1e15),
    BT_STR(0, "eval", "FILE", "token records to evaluate on", args, eval),
    BT_REAL(0, "eval-share", "X", "share of the records to hold out [0]", args,
            eval_share, 0, 0.9),
    BT_REAL(0, "epochs", "X", "passes over the data [3]", args, epochs, 1e-6,
            1e6),
    BT_INT(0, "steps", "N", "updates, whatever the epochs", args, steps, 1,
           1e12),
    BT_INT(0, "batch-size", "N", "examples of a batch [32]", args, batch_size,
           1, 1e9),
    BT_INT(0, "batch-tokens", "N", "most tokens of a batch [any]", args,
           batch_tokens, 1, 1e9),
    BT_INT(0, "accumulate", "N", "batches of an update [1]", args, accumulate,
           1, 1e6),
    BT_REAL(0, "learning-rate", "X", "largest learning rate [5e-5]", args, lr,
            0, 10),
    BT_STR(0, "schedule", BT_SCHEDULE_NAMES,
           "of the learning rate, after warm-up [linear]", args, schedule),
    BT_REAL(0, "warmup", "X", "warm-up: updates, or a share below 1 [0.1]",
            args, warmup, 0, 1e12),
    BT_REAL(0, "weight-decay", "X", "of AdamW [0.01]", args, weight_decay, 0,
            1),
    BT_REAL(0, "clip", "X", "largest norm of the gradient; 0: any [1]", args,
            clip, 0, 1e9),
    BT_REAL(0, "dropout", "X", "everywhere in the model [as configured]", args,
            dropout, 0, 0.99),
    BT_REAL(0, "label-smoothing", "X", "[0]", args, smoothing, 0, 0.99),
    BT_STR(0, "metric", "NAME", "that chooses the best epoch [accuracy]", args,
           metric),
    BT_STR(0, "dtype", "auto|f32|bf16", "type of the products [auto]", args,
           dtype),
    BT_STR(0, "gemm", BT_GEMM_NAMES, "who computes products [the best]", args,
           gemm),
    BT_FLAG(0, "checkpoint-activations",
            "compute them twice rather than keep them", args, recompute),
    BT_FLAG(0, "detect-anomaly",
            "name the operator that first computes a NaN or infinity", args,
            detect),
    BT_INT(0, "save-steps", "N", "checkpoint every N updates [none]", args,
           save_steps, 1, 1e12),
    BT_FLAG(0, "resume", "go on from the checkpoint in the output", args,
            resume),
    BT_FLAG(0, "profile", "print where the time goes", args, profile),
    BT_FLAG(0, "dry-run", "tell what the run would take, and end", args,
            dry_run),
    BT_OPT_COMMON(args),
    BT_OPT_LAST,
};

static const struct bt_tool tool = {
    "bert-train",
    "-m DIR|--init-config FILE|tiny -o DIR [OPTION ...] [RECORDS ...]",
    "Fine-tunes a BERT classifier on token records.",
    "bert-train -m bert-base-uncased -o intent --eval dev.rec train.rec",
    options,
};

/* What the table cannot see. True if the arguments make sense. */
static bool check(const struct args *a, int *status)
{
	struct bt_metrics_summary none = {0};
	struct bt_error err = {0};
	double value;

	if ((a->model == NULL) == (a->init_config == NULL))
		*status = bt_tool_misuse(
		    &tool, "give either -m DIR or --init-config FILE|tiny");
	else if (a->common.output == NULL ? !a->dry_run
	                                  : strcmp(a->common.output, "-") == 0)
		*status = bt_tool_misuse(
		    &tool, "give -o DIR, the model directory to write");
	else if (bt_metrics_find(&none, a->metric, &value, &err) != BT_OK)
		*status = bt_tool_misuse(&tool, "%s", err.text);
	else
		return true;
	return false;
}

static struct bt_job_opts job_of(const struct args *a, char **records, int n)
{
	struct bt_job_opts o = {.model = a->model,
	                        .init_config = a->init_config,
	                        .tokenizer = a->tokenizer,
	                        .labels = a->labels,
	                        .records = records,
	                        .n_records = n,
	                        .expect = (uint64_t)a->expect,
	                        .eval = a->eval,
	                        .eval_share = a->eval_share,
	                        .dropout = a->dropout,
	                        .dtype = a->dtype,
	                        .gemm = a->gemm,
	                        .threads = (int)a->common.threads};
	struct bt_train_opts *t = &o.train;

	t->epochs = a->epochs;
	t->steps = a->steps;
	t->batching.size = (size_t)a->batch_size;
	if (a->batch_size == 0 && a->batch_tokens == 0)
		t->batching.size = 32;
	t->batching.tokens = (size_t)a->batch_tokens;
	t->batching.accumulate = (int)a->accumulate;
	t->batching.seed = a->common.seed;
	t->lr = a->lr;
	t->schedule = bt_schedule_named(a->schedule);
	t->warmup = a->warmup;
	t->optim = (struct bt_optim_opts)BT_OPTIM_INIT;
	t->optim.weight_decay = a->weight_decay;
	t->optim.clip = a->clip;
	t->smoothing = a->smoothing;
	t->recompute = a->recompute;
	t->detect = a->detect;
	t->metric = a->metric;
	t->save_steps = a->save_steps;
	t->resume = a->resume;
	t->out = a->common.output;
	t->stopped = bt_tool_stopped;
	return o;
}

static void summarise(const struct bt_log *log, const struct args *a,
                      const struct bt_train_result *r)
{
	double s = r->seconds > 0 ? r->seconds : 1e-9;
	struct bt_limits l = {.flop = r->flop_limit};
	char share[BT_SHARE_SIZE];

	if (!r->finished) {
		bt_log(log, BT_LOG_WARN,
		       "stopped after step %lld of %lld; the same command with "
		       "--resume goes on from there",
		       (long long)r->steps, (long long)r->total);
		return;
	}
	bt_log(log, BT_LOG_NOTE,
	       "%llu examples in %.1f s: %.1f examples/s, %.0f tokens/s, %s, "
	       "peak memory %zu MB",
	       (unsigned long long)r->examples, r->seconds,
	       (double)r->examples / s, (double)r->tokens / s,
	       bt_limits_share(r->flop / s, &l, share), bt_peak_memory() >> 20);
	if (r->best_epoch > 0)
		bt_log(log, BT_LOG_NOTE,
		       "'%s' holds the model of epoch %d (%s %.4f)",
		       a->common.output, r->best_epoch, a->metric, r->best);
	else
		bt_log(log, BT_LOG_NOTE, "'%s' holds the model",
		       a->common.output);
}

static void print_need(const struct bt_need *n)
{
	const struct bt_engine_memory *e = &n->engine;
	const struct {
		const char *name;
		size_t bytes;
	} rows[] = {
	    {"parameters", e->params},
	    {"gradients", e->grads},
	    {"optimizer moments", n->moments},
	    {"packed weights", e->packed},
	    {"activations", e->activations},
	    {"scratch", e->scratch},
	    {"data set", n->data},
	    {"other", n->other},
	    {"peak memory", n->total},
	};
	size_t i;

	printf("%-20s %12zu\n", "model's parameters", n->parameters);
	printf("%-20s %12lld\n", "steps", (long long)n->steps);
	printf("%-20s %12zu texts, %zu tokens\n", "largest batch", n->texts,
	       n->tokens);
	if (n->eval_texts > 0)
		printf("%-20s %12zu texts, %zu tokens\n", "in evaluation",
		       n->eval_texts, n->eval_tokens);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		printf("%-20s %12.1f MB\n", rows[i].name,
		       (double)rows[i].bytes / (1 << 20));
	if (n->available != UINT64_MAX)
		printf("%-20s %12.1f MB\n", "available",
		       (double)(n->held + n->available) / (1 << 20));
}

static int dry_run(const struct bt_job_opts *o)
{
	struct bt_error err = {0};
	struct bt_need need;

	if (bt_job_plan(o, &need, &err) != BT_OK)
		return bt_tool_fail(&tool, &err);
	print_need(&need);
	if (bt_need_check(&need, &o->train, &err) != BT_OK)
		bt_log(o->train.log, BT_LOG_WARN, "%s", err.text);
	return BT_EXIT_DONE;
}

static int run(const struct args *a, char **records, int n)
{
	struct bt_log log = bt_tool_log(&tool, &a->common);
	struct bt_job_opts o = job_of(a, records, n);
	struct bt_train_result res;
	struct bt_profile profile = {0};
	struct bt_progress progress;
	struct bt_error err = {0};
	int r;

	o.train.log = &log;
	if (a->dry_run)
		return dry_run(&o);
	bt_progress_init(&progress, stderr, a->common.quiet);
	bt_tool_catch_stop();
	o.train.progress = &progress;
	o.train.profile = a->profile ? &profile : NULL;
	r = bt_job_run(&o, &res, &err);
	bt_profile_clear(&profile);
	if (r != BT_OK)
		return bt_tool_fail(&tool, &err);
	summarise(&log, a, &res);
	return res.finished ? BT_EXIT_DONE : BT_EXIT_FAILED;
}

int main(int argc, char **argv)
{
	struct args a = {.common = BT_COMMON_INIT,
	                 .epochs = 3,
	                 .accumulate = 1,
	                 .lr = 5e-5,
	                 .schedule = "linear",
	                 .warmup = 0.1,
	                 .weight_decay = 0.01,
	                 .clip = 1,
	                 .dropout = -1,
	                 .metric = "accuracy",
	                 .dtype = "auto"};
	int status, operand;

	if (!bt_tool_options(&tool, argc, argv, &a, &operand, &status))
		return status;
	if (!check(&a, &status))
		return status;
	return bt_tool_end(&tool, run(&a, argv + operand, argc - operand));
}
