/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "bert-train-options.h"

#include "base/str.h"
#include "base/sys.h"
#include "base/tool.h"
#include "cpu/engine.h"
#include "dist/shards.h"
#include "format/escape.h"
#include "format/hub_cache.h"
#include "io/summary_file.h"
#include "model/freeze.h"
#include "model/lora.h"
#include "pjrt/pjrt.h"
#include "train/kfold.h"
#include "train/result.h"
#include "train/seeds.h"
#include "tune/tune.h"

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
	if (t->r_drop > 0 && (a->job.teacher != NULL || a->job.few_shot))
		return "--r-drop does not go with --teacher and --few-shot";
	if (a->job.pseudo.file == NULL &&
	    (a->job.pseudo.least >= 0 || a->job.pseudo.weight >= 0))
		return "--pseudo-threshold and --pseudo-weight need "
		       "--pseudo-label";
	if (a->job.pseudo.file != NULL &&
	    (a->job.eval_share > 0 || a->kfold > 0 || a->job.few_shot))
		return "--pseudo-label does not go with --eval-share, --kfold "
		       "and --few-shot: labels that were predicted cannot "
		       "judge a model";
	if (a->job.few_shot &&
	    (a->job.head != NULL || a->job.teacher != NULL ||
	     t->smoothing > 0 || t->patience > 0 || t->eval_steps > 0 ||
	     t->metric != NULL || a->job.embedding_loss != NULL ||
	     a->job.matryoshka_dims != NULL))
		return "--few-shot does not go with --head, --teacher, "
		       "--label-smoothing, --patience, --eval-steps, "
		       "--metric, --embedding-loss and --matryoshka-dims";
	if (a->job.pool != NULL && a->job.head != NULL)
		return "give either --head, with its own pooling, or --pool";
	if (a->common.output == NULL ? !a->dry_run && !a->compile_only
	                             : strcmp(a->common.output, "-") == 0)
		return "give -o DIR, the model directory to write";
	return NULL;
}

/* What needs a device, or NULL. */
static const char *device_misfit(const struct args *a)
{
	if (a->replicas > 0 && a->job.device == NULL)
		return "--replicas needs --device";
	if (a->compile_only && a->job.device == NULL)
		return "--compile-only needs --device";
	if (a->job.costs.topology != NULL && !a->compile_only)
		return "--topology needs --compile-only";
	return NULL;
}

/* Whether several models are trained. */
static bool several(const struct args *a)
{
	return a->kfold > 0 || a->seeds > 0 || a->tune > 0 || a->tune_steps > 0;
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

/* What does not go with --tune, or NULL. */
static const char *tune_misfit(const struct args *a)
{
	if (a->tune == 0 && a->tune_steps == 0)
		return a->tune_over.n > 0
		           ? "--tune-over needs --tune or --tune-steps"
		           : NULL;
	if ((a->tune > 0) + (a->tune_steps > 0) + (a->kfold > 0) +
	        (a->seeds > 0) >
	    1)
		return "give only one of --tune, --tune-steps, --kfold and "
		       "--seeds";
	if (a->job.eval == NULL && a->job.eval_share == 0)
		return "--tune needs records to evaluate on: give --eval FILE "
		       "or --eval-share X";
	if (a->job.few_shot || a->job.train.max_minutes > 0)
		return "--tune does not go with --few-shot and --max-minutes";
	return NULL;
}

/* The error if --kfold, --seeds or --tune does not go with the rest; or NULL.
 */
static const char *several_misfit(const struct args *a)
{
	const struct bt_train_opts *t = &a->job.train;

	if (a->job.fold.group != NULL && a->kfold == 0)
		return "--group-by needs --kfold";
	if (tune_misfit(a) != NULL)
		return tune_misfit(a);
	if (!several(a))
		return NULL;
	if (a->seeds > 0 && a->kfold > 0)
		return "give either --kfold or --seeds";
	if (a->seeds > 0 && a->job.eval == NULL)
		return "--seeds needs --eval FILE, by which the models are "
		       "compared";
	if (a->job.n_records == 0)
		return a->kfold > 0
		           ? "--kfold reads the records once for each fold: "
		             "give files"
		       : a->seeds > 0
		           ? "--seeds reads the records once for each: give "
		             "files"
		           : "--tune reads the records once for each trial: "
		             "give files";
	if (t->resume || t->resume_from != NULL || t->tensorboard != NULL)
		return "--kfold, --seeds and --tune do not go with --resume, "
		       "--resume-from and --tensorboard";
	if (a->kfold > 0 && a->common.seed > UINT32_MAX)
		return "--kfold needs a --seed below 2^32";
	if (a->kfold > 0 && (a->job.few_shot || a->job.teacher != NULL))
		return "--kfold does not go with --few-shot and --teacher";
	return NULL;
}

/* Checks combinations of options. */
static int check(const struct args *a, struct bt_error *err)
{
	const struct bt_train_opts *t = &a->job.train;
	struct bt_metrics_summary none = {0};
	struct bt_head head;
	const char *bad = device_misfit(a) != NULL ? device_misfit(a)
	                  : misfit(a) != NULL      ? misfit(a)
	                  : lora_misfit(a) != NULL ? lora_misfit(a)
	                                           : several_misfit(a);
	double value;
	int r;

	if (beyond_device(a) != NULL)
		return bt_error_set(err, BT_EARG,
		                    "%s: on the CPU only, not with --device",
		                    beyond_device(a));
	if (bad != NULL)
		return bt_error_set(err, BT_EARG, "%s", bad);
	if (t->resume && t->resume_from != NULL)
		return bt_error_set(err, BT_EARG,
		                    "give either --resume or --resume-from");
	if (a->anew && (t->resume || t->resume_from != NULL))
		return bt_error_set(
		    err, BT_EARG,
		    "--no-resume starts over: leave out --resume%s",
		    t->resume ? "" : "-from");
	if (a->job.head != NULL &&
	    bt_head_parse(a->job.head, &head, err) != BT_OK)
		return bt_error_prefix(err, "--head");
	if ((t->patience > 0 || t->eval_steps > 0 || t->metric != NULL) &&
	    a->job.eval == NULL && a->job.eval_share == 0)
		return bt_error_set(err, BT_EARG,
		                    "--%s needs records to evaluate on: "
		                    "give --eval FILE or --eval-share X%s",
		                    t->patience > 0     ? "patience"
		                    : t->eval_steps > 0 ? "eval-steps"
		                                        : "metric",
		                    a->kfold > 0
		                        ? " (a fold has no part in the choice "
		                          "of its model, and has all metrics)"
		                        : "");
	if ((t->metric != NULL &&
	     (r = bt_metrics_find(&none, t->metric, &value, err))) ||
	    (r = bt_weights_gaps_check(&a->job.gaps, err)) ||
	    (t->freeze != NULL && (r = bt_freeze_check(t->freeze, err))) ||
	    (t->lora.targets != NULL &&
	     (r = bt_lora_check(t->lora.targets, err))) ||
	    (r = bt_schedule_check(&t->schedule, err)))
		return r;
	return bt_optim_check(&t->optim, err);
}

/* Sets the members that no row of the table does, from the words of the command
 * line, of which the operands begin there; and checks all. */
static int complete(struct args *a, char **argv, int argc, int operand,
                    struct bt_error *err)
{
	const struct bt_schedule_opts usual = BT_SCHEDULE_INIT;
	struct bt_train_opts *t = &a->job.train;

	a->job.default_recipe =
	    t->schedule.lr < 0 || (t->epochs == 0 && t->steps == 0);
	t->schedule.lr = t->schedule.lr < 0 ? usual.lr : t->schedule.lr;
	t->epochs = t->epochs == 0 ? 3 : t->epochs;
	a->argv = argv;
	a->argc = argc;
	a->job.card_command = argv;
	a->job.n_card_command = a->no_card ? 0 : argc;
	a->job.model = bt_hub_cache_find(a->job.model);
	a->job.tokenizer = bt_hub_cache_find(a->job.tokenizer);
	t->schedule.kind = bt_schedule_named(a->schedule);
	t->optim.kind = bt_optim_named(a->optimizer);
	a->job.dtype = bt_precision_named(a->dtype);
	a->job.records = argv + operand;
	a->job.n_records = argc - operand;
	if (check(a, err) != BT_OK)
		return BT_EARG;
	if (a->task != NULL)
		a->job.task = bt_task_find(a->task, NULL);
	a->job.expect = (uint64_t)a->expect;
	a->job.threads = (int)a->common.threads;
	a->job.fold.folds = (int)a->kfold;
	a->job.fold.seed = a->common.seed;
	t->batching.size = (size_t)a->batch_size;
	if (a->batch_size == 0 && a->batch_tokens == 0)
		t->batching.size = 32;
	t->batching.tokens = (size_t)a->batch_tokens;
	t->batching.accumulate = (int)a->accumulate;
	a->job.replicas = (int)a->replicas;
	t->shards = (int)a->shards;
	t->lora.rank = (int)a->lora;
	if (t->lora.alpha == 0)
		t->lora.alpha = BT_LORA_ALPHA;
	t->batching.seed = a->common.seed;
	a->job.gaps.fresh_layers = (int)a->reinit;
	if (a->head_lr >= 0)
		t->optim.head_scale = a->head_lr / t->schedule.lr;
	if (a->job.pseudo.least < 0)
		a->job.pseudo.least = 0.9;
	if (a->job.pseudo.weight < 0)
		a->job.pseudo.weight = 1;
	if (t->teacher_weight < 0)
		t->teacher_weight = 0.5;
	t->windows = bt_windows_named(a->windows);
	a->job.windows = a->windows != NULL;
	t->out = a->common.output;
	t->keep_finished = !a->force;
	t->stopped = bt_tool_stopped;
	return BT_OK;
}

static int dry_run(const struct bt_job_opts *o)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_memory_plan need;

	if (bt_job_plan(o, &need, &err) != BT_OK)
		return bt_tool_fail(&tool, &err);
	if (o->costs.print != NULL)
		return BT_EXIT_DONE;
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

#define TUNABLE                                                                \
	"accumulate|batch-size|batch-tokens|beta1|beta2|"                      \
	"clip|clip-value|dropout|end-learning-rate|"                           \
	"epochs|epsilon|fgm|freeze|head|head-learning-rate|"                   \
	"label-smoothing|layer-decay|learning-rate|mask-prob|"                 \
	"momentum|optimizer|pool|power|pseudo-threshold|"                      \
	"pseudo-weight|r-drop|reinit|schedule|steps|"                          \
	"teacher-temperature|teacher-weight|warmup|weight-decay"

/* For --tune: the job that a command line asks for. */
static int tuned_job(void *ctx, const struct bt_command *c,
                     struct bt_job_opts *job, struct bt_error *err)
{
	const struct args *first = ctx;
	struct args a = defaults();
	struct bt_opt_again again;
	int operand;

	if (bt_opt_parse(&tool, c->n, c->word, &a, &operand, &again, err) !=
	    BT_OPT_RUN)
		return BT_EARG;
	if (complete(&a, c->word, c->n, operand, err) != BT_OK)
		return BT_EARG;
	a.job.default_recipe = false; /* that is what is looked for */
	a.job.train.dist = first->job.train.dist;
	a.job.train.device = first->job.train.device;
	a.job.lent = first->job.lent;
	a.job.train.progress = first->job.train.progress;
	a.job.train.profile = first->job.train.profile;
	a.job.train.log_seconds = first->job.train.log_seconds;
	*job = a.job;
	return BT_OK;
}

/* What --tune changes. */
static int tune_space(const struct args *a, struct bt_tune_space *space,
                      struct bt_error *err)
{
	const struct bt_opt_list *l = &a->tune_over;
	int i, r = BT_OK;

	for (i = 0; r == BT_OK && i < l->n; i++) {
		r = bt_tune_space_add(space, l->item[i], err);
		if (r == BT_OK &&
		    !bt_str_in_list(TUNABLE, space->setting[i].name))
			r = bt_error_set(err, BT_EARG,
			                 "cannot tune '%s', only " TUNABLE,
			                 space->setting[i].name);
	}
	if (r != BT_OK)
		return bt_error_prefix(err, "--tune-over");
	if (l->n > 0)
		return BT_OK;
	if ((r = bt_tune_space_add(space, "learning-rate=1e-5..1e-3", err)) ||
	    (a->job.train.steps == 0 &&
	     (r = bt_tune_space_add(space, "epochs=2..10", err))))
		return r;
	return a->batch_tokens == 0
	           ? bt_tune_space_add(space, "batch-size=16,32,64", err)
	           : BT_OK;
}

/* res NULL: only checks what is asked for. */
static int run_tune(struct args *a, struct bt_train_result *res,
                    struct bt_error *err)
{
	struct bt_tune_opts o = {.minutes = a->tune,
	                         .steps = a->tune_steps,
	                         .seed = a->common.seed,
	                         .tool = &tool,
	                         .force = a->force,
	                         .anew = a->anew,
	                         .log = a->job.train.log,
	                         .job = tuned_job,
	                         .print = bt_tool_print,
	                         .ctx = a};
	struct bt_command same = {0};
	struct bt_buf b = BT_BUF_INIT;
	int r = tune_space(a, &o.space, err);

	if (r == BT_OK)
		r = bt_command_copy(&o.command, &tool, a->argc, a->argv,
		                    "tune|tune-steps|tune-over|force|no-resume|"
		                    "quiet|verbose|summary",
		                    err);
	if (r == BT_OK)
		r = bt_command_copy(&same, &tool, a->argc, a->argv,
		                    "force|no-resume|quiet|verbose|summary|"
		                    "output|threads|log-steps|no-card|profile|"
		                    "save-steps|save-minutes|keep",
		                    err);
	bt_escape_command(&b, same.n, same.word);
	o.same = bt_buf_str(&b);
	if (r == BT_OK)
		r = res != NULL ? bt_tune_run(&o, res, err)
		                : bt_tune_check(&o, err);
	bt_tune_space_clear(&o.space);
	bt_command_clear(&o.command);
	bt_command_clear(&same);
	bt_buf_clear(&b);
	return r;
}

/* What several processes cannot share, and values of --tune-over. */
static int check_work(struct args *a, struct bt_error *err)
{
	int ranks = bt_dist_size(a->job.train.dist);

	if (ranks > 1 && several(a))
		return bt_error_set(err, BT_EARG,
		                    "--kfold, --seeds and --tune train in one "
		                    "process, not in %d of mpirun",
		                    ranks);
	if (ranks > 1 && a->job.device != NULL)
		return bt_error_set(err, BT_EARG,
		                    "--device trains in one process, not in %d "
		                    "of mpirun",
		                    ranks);
	return a->tune > 0 || a->tune_steps > 0 ? run_tune(a, NULL, err)
	                                        : BT_OK;
}

/* One model, or several of folds, seeds or trials. */
static int train(struct args *a, struct bt_train_result *res,
                 struct bt_error *err)
{
	int r;

	if (!several(a))
		return bt_job_run(&a->job, res, err);
	r = bt_job_share_device(&a->job, err);
	if (r == BT_OK)
		r = a->kfold > 0   ? run_folds(a, res, err)
		    : a->seeds > 0 ? run_seeds(a, res, err)
		                   : run_tune(a, res, err);
	bt_device_close(a->job.train.device);
	return r;
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
	r = check_work(a, &err);
	if (r == BT_OK && first)
		r = open_summary(a, &summary, &err);
	r = bt_dist_agree(t->dist, r, &err);
	if (r != BT_OK)
		return bt_dist_end(t->dist, &tool, BT_EXIT_FAILED, &err);
	bt_progress_init(&progress, stderr, a->common.quiet || !first);
	t->progress = &progress;
	a->job.costs.print = a->compile_only ? bt_tool_print : NULL;
	if (!several(a) && !a->anew && t->resume_from == NULL &&
	    bt_train_left(t->out))
		t->resume = true;
	bt_dist_tell(t->dist, &t->resume, sizeof(t->resume));
	if (a->dry_run || a->compile_only)
		return bt_summary_file_end(
		    &tool, summary,
		    bt_dist_end(t->dist, &tool,
		                first ? dry_run(&a->job) : BT_EXIT_DONE, &err));
	bt_tool_catch_stop();
	if (progress.to == NULL && t->log_steps == 0)
		t->log_seconds = 60;
	t->profile = a->profile ? &profile : NULL;
	r = train(a, &res, &err);
	bt_profile_clear(&profile);
	if (r == BT_OK && (!several(a) || res.end == BT_TRAIN_STOPPED ||
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
	struct args a = defaults();
	struct bt_error err = {0};
	int status, operand;

	bt_tool_share_work(&bt_dist_ranks);
	bt_tool_version_adds(bt_engine_products);
	if (!bt_tool_options_help(&tool, argc, argv, &a, &operand, help,
	                          &status))
		return status;
	if (bt_str_is(a.job.device, "list"))
		return argc > operand || a.common.output != NULL
		           ? bt_tool_misuse(&tool, "--device list takes "
		                                   "neither records nor -o")
		           : bt_tool_list(&tool, bt_pjrt_list, NULL);
	if (complete(&a, argv, argc, operand, &err) != BT_OK)
		return bt_tool_misuse(&tool, "%s", err.text);
	return bt_tool_end(&tool, run(&a));
}
