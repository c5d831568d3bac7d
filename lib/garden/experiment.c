/* SPDX-License-Identifier: MIT */
#include "garden/experiment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "base/sys.h"
#include "garden/experiment_int.h"
#include "garden/flags.h"
#include "io/out.h"
#include "io/path.h"

static const char *const names[] = {
    [BT_EXPERIMENT_TRAIN] = "train",
    [BT_EXPERIMENT_EVAL] = "eval",
    [BT_EXPERIMENT_TRAIN_AND_EVAL] = "train_and_eval",
    [BT_EXPERIMENT_CONTINUOUS_EVAL] = "continuous_eval",
    [BT_EXPERIMENT_TRAIN_AND_POST_EVAL] = "train_and_post_eval"};

enum bt_experiment_mode bt_experiment_mode(const char *name)
{
	int i = BT_STR_ROW(name, names);

	return i >= 0 ? (enum bt_experiment_mode)i : BT_EXPERIMENT_TRAIN;
}

static int write_params(const struct bt_experiment *e, struct bt_error *err)
{
	char *path = bt_path_join(e->dir, "params.yaml");
	struct bt_buf b = BT_BUF_INIT;
	int r = bt_garden_write(e->config, false, &b, err);

	if (r == BT_OK)
		r = bt_out_whole(path, b.data, b.len, err);
	bt_buf_clear(&b);
	free(path);
	return r;
}

/* When the checkpoint in the directory was written; false if there is none. */
static bool checkpoint_time(const char *dir, struct timespec *at)
{
	char *path = bt_train_checkpoint(dir);
	struct stat st;
	bool there = stat(path, &st) == 0;

	if (there)
		*at = st.st_mtim;
	free(path);
	return there;
}

/* What training and evaluating share. */
static void set_common(struct bt_trial *t, struct bt_job_opts *o)
{
	const struct bt_garden *c = t->e->config;
	const char *init = bt_garden_str(c, "task.init_checkpoint");
	bool asks = bt_experiment_squad(c);
	bool tags = t->plan.task == &bt_task_tagging;
	bool loads = asks || tags || /* there is no pooler */
	             bt_garden_bool(c, "task.model.use_encoder_pooler") ||
	             bt_garden_bool(c, "task.init_cls_pooler");
	const char *dtype = bt_garden_str(c, "runtime.mixed_precision_dtype");
	struct timespec at;

	o->config = t->encoder;
	if (*init == '\0')
		init = bt_garden_str(c, "task.hub_module_url");
	o->init_weights = *init != '\0' ? init : NULL;
	bt_weights_gaps_any(&o->gaps); /* as its program */
	o->old_head = loads ? BT_JOB_HEAD_CLASSES : BT_JOB_HEAD_FRESH;
	o->tokenizer = t->e->tokenizer;
	if (o->tokenizer == NULL && asks)
		bt_trial_vocabulary(t, o);
	o->task = t->plan.task;
	o->labels = t->plan.tags;
	o->n_labels = t->plan.task == &bt_task_classification
	                  ? (int)bt_garden_int(c, "task.model.num_classes", 0)
	                  : 0;
	o->dropout = -1;
	o->dtype = strstr(dtype, "bfloat16") != NULL ? BT_PRECISION_BF16
	                                             : BT_PRECISION_F32;
	o->threads = t->e->threads;
	o->device = t->devices.plugin;
	o->replicas = t->devices.replicas;
	o->train.batching.accumulate = 1;
	o->train.batching.seed = (uint64_t)bt_garden_int(
	    c, "task.train_data.seed", (int64_t)t->e->seed);
	o->train.optim = (struct bt_optim_opts)BT_OPTIM_INIT;
	o->train.schedule = (struct bt_schedule_opts)BT_SCHEDULE_INIT;
	o->train.metric = t->plan.task->metric;
	o->train.keep_last = true;
	o->train.tensorboard = o->train.out = t->e->dir;
	o->train.own_curves = true;
	o->train.news = bt_trial_news;
	o->train.news_ctx = t;
	o->train.answered = bt_trial_answered;
	o->train.answers = asks ? &t->answers : NULL;
	t->tested.batch = (size_t)t->plan.eval_batch;
	o->train.stopped = t->e->stopped;
	o->train.log = t->e->log;
	o->train.progress = t->e->progress;
	o->train.resume = checkpoint_time(t->e->dir, &at);
}

/* Evaluation data of the plan; first is the number of examples, 0 for all. */
static size_t eval_first(const struct bt_trial *t)
{
	const struct bt_experiment_job *p = &t->plan;

	if (p->eval_steps <= 0 || p->eval_steps > INT32_MAX ||
	    p->task == &bt_task_qa) /* its questions are whole */
		return 0;
	return (size_t)(p->eval_steps * p->eval_batch);
}

/* The job of training; evals: also evaluates, every interval. */
static void set_training(struct bt_trial *t, bool evals, struct bt_job_opts *o)
{
	const struct bt_garden *c = t->e->config;
	bool post = t->e->mode == BT_EXPERIMENT_TRAIN_AND_POST_EVAL;
	struct bt_train_opts *n = &o->train;

	o->records = t->plan.train.path;
	o->n_records = t->plan.train.n;
	o->longest = (size_t)bt_garden_int(c, "task.train_data.seq_length", 0);
	if (evals) {
		o->evals = t->plan.eval.path;
		o->n_evals = t->plan.eval.n;
		o->eval_first = eval_first(t);
		if (!bt_experiment_squad(c) &&
		    bt_garden_bool(c, "task.validation_data.drop_remainder"))
			o->eval_batch = (size_t)t->plan.eval_batch;
		o->eval_longest = (size_t)bt_garden_int(
		    c, "task.validation_data.seq_length", 0);
	}
	n->steps = t->plan.train_steps;
	n->eval_steps = evals && !post ? t->plan.eval_interval : INT64_MAX;
	n->batching.stream = true;
	n->batching.size =
	    (size_t)bt_garden_int(c, "task.train_data.global_batch_size", 0);
	n->schedule.own = bt_lr_schedule_at;
	n->schedule.own_ctx = &t->plan.rate;
	n->schedule.own_text = t->plan.rate.text;
	n->optim = t->plan.optim;
	n->save_steps = bt_garden_int(c, "trainer.checkpoint_interval", 0);
	n->save_first = t->plan.steps_per_loop;
	n->save_end = true;
	n->recoveries = t->plan.recoveries;
	n->keep = bt_garden_int(c, "trainer.max_to_keep", 1);
	if (n->keep < 1)
		n->keep = 1;
}

/* The configuration of a run that is refused is not the directory's. */
static int training_news(void *trial, const struct bt_train_news *n,
                         struct bt_error *err)
{
	const struct bt_trial *t = trial;
	int r = n->what == BT_TRAIN_BEGUN ? write_params(t->e, err) : BT_OK;

	return r == BT_OK ? bt_trial_news(trial, n, err) : r;
}

static int train(struct bt_trial *t, bool evals, struct bt_train_result *res,
                 struct bt_error *err)
{
	struct bt_job_opts o = {0};
	int r = bt_file_patterns_make(t->e->dir, err);

	if (r != BT_OK)
		return r;
	set_common(t, &o);
	set_training(t, evals, &o);
	o.train.news = training_news;
	if (!o.train.resume && o.old_head == BT_JOB_HEAD_FRESH &&
	    o.init_weights != NULL && !bt_experiment_squad(t->e->config))
		bt_log(
		    t->e->log, BT_LOG_NOTE,
		    "the classifier gets a newly initialized pooler of its own "
		    "(use_encoder_pooler, init_cls_pooler)");
	return bt_flags_hint(err, bt_job_run(&o, res, err));
}

/* Evaluates the newest checkpoint, or the starting weights where there is none.
 */
static int evaluate(struct bt_trial *t, struct bt_train_result *res,
                    struct bt_error *err)
{
	struct bt_job_opts o = {0};

	set_common(t, &o);
	o.records = t->plan.eval.path;
	o.n_records = t->plan.eval.n;
	o.first = eval_first(t);
	o.longest = (size_t)bt_garden_int(t->e->config,
	                                  "task.validation_data.seq_length", 0);
	o.train.measure_only = true;
	o.train.steps = 1;
	o.train.batching.size = 1;
	if (!o.train.resume)
		bt_log_warn(t->e->log, "no-checkpoint", BT_HINT_NONE,
		            "'%s' has no checkpoint: the weights that "
		            "training would start from are evaluated",
		            t->e->dir);
	return bt_flags_hint(err, bt_job_run(&o, res, err));
}

static bool stopped(const struct bt_trial *t)
{
	return t->e->stopped != NULL && t->e->stopped();
}

/* Evaluates each checkpoint that comes, until the last one is there or none
 * came for so long. */
static int watch(struct bt_trial *t, struct bt_train_result *res,
                 struct bt_error *err)
{
	const struct bt_garden *c = t->e->config;
	double patience =
	    (double)bt_garden_int(c, "trainer.continuous_eval_timeout", 3600);
	int64_t last = bt_garden_int(c, "trainer.train_steps", 0);
	struct timespec seen = {0, 0}, at, nap = {0, 200000000};
	double since = bt_seconds();
	int r = BT_OK;

	if (patience < 1)
		patience = 1;
	while (r == BT_OK && !stopped(t)) {
		if (checkpoint_time(t->e->dir, &at) &&
		    (at.tv_sec != seen.tv_sec || at.tv_nsec != seen.tv_nsec)) {
			seen = at;
			r = evaluate(t, res, err);
			since = bt_seconds();
		} else if (bt_seconds() - since >= patience) {
			if (res->steps >= last)
				break;
			bt_log(t->e->log, BT_LOG_NOTE,
			       "no new checkpoint for %.0f s, and step %lld of "
			       "%lld is the last one: waiting on",
			       patience, (long long)res->steps,
			       (long long)last);
			since = bt_seconds();
		} else {
			nanosleep(&nap, NULL);
		}
	}
	return r;
}

/* Those given, where runtime asks for none; else those that it asks for. */
static int choose_devices(struct bt_trial *t, struct bt_error *err)
{
	const struct bt_garden *c = t->e->config;
	const char *key = "runtime.distribution_strategy";
	const struct bt_devices_wish w = {
	    bt_garden_str(c, key), bt_garden_str(c, "runtime.tpu"),
	    bt_garden_int(c, "runtime.num_gpus", 0)};
	struct bt_error why = {0};

	if (t->e->devices == NULL) {
		if (bt_devices_choose(&w, t->e->log, &t->own_devices, &why) !=
		    BT_OK)
			return bt_error_hint(
			    err, why.hint,
			    bt_garden_fault(c, key, err, "%s", why.text));
		t->devices = t->own_devices;
		return BT_OK;
	}
	t->devices = *t->e->devices;
	if (w.gpus == 0 && *w.tpu == '\0' &&
	    bt_str_in_list("mirrored|one_device|off", w.strategy))
		return BT_OK;
	return bt_garden_fault(c, key, err,
	                       "what computes is said by flags here, not by "
	                       "runtime");
}

int bt_experiment_run(const struct bt_experiment *e,
                      struct bt_train_result *res, struct bt_error *err)
{
	struct bt_trial t = {.e = e};
	bool learns = e->mode != BT_EXPERIMENT_EVAL &&
	              e->mode != BT_EXPERIMENT_CONTINUOUS_EVAL;
	bool tests = e->mode != BT_EXPERIMENT_TRAIN;
	int r = choose_devices(&t, err);

	memset(res, 0, sizeof(*res));
	if (r == BT_OK)
		r = bt_experiment_job_check(e->config, learns, tests, e->log,
		                            err);
	if (r == BT_OK)
		r = bt_experiment_job_make(e->config, learns, tests, &t.plan,
		                           err);
	if (r == BT_OK)
		r = bt_best_export_open(&t.best, e->dir, &t.plan, err);
	if (r == BT_OK && tests && bt_experiment_squad(e->config))
		r = bt_trial_ask(&t, err);
	if (r == BT_OK) {
		t.encoder = bt_experiment_job_encoder(e->config);
		if (e->mode == BT_EXPERIMENT_CONTINUOUS_EVAL)
			r = watch(&t, res, err);
		else if (learns)
			r = train(&t, tests, res, err);
		else
			r = evaluate(&t, res, err);
	}
	json_decref(t.encoder);
	bt_best_export_clear(&t.best);
	bt_experiment_job_clear(&t.plan);
	bt_trial_unask(&t);
	bt_devices_clear(&t.own_devices);
	return r;
}
