/* SPDX-License-Identifier: MIT */
#include "garden/run_classifier.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "garden/file_patterns.h"
#include "garden/flags.h"
#include "garden/keras_progress.h"
#include "garden/tf_checkpoints.h"

/* A run of training. */
struct run {
	const struct bt_run_classifier *c;
	struct bt_meta meta;
	struct bt_meta_plan plan;
	struct bt_file_patterns train, eval;
	struct bt_keras keras;
	struct bt_tf_checkpoints save;
	char *config; /* as bt_job_opts takes it */
};

/* What happens, in Keras' words; and after an epoch a checkpoint. */
static int news(void *ctx, const struct bt_train_news *n, struct bt_error *err)
{
	struct run *r = ctx;
	struct bt_buf b = BT_BUF_INIT;

	if (n->what == BT_TRAIN_TIMED) {
		bt_keras_speed(n, &b);
		if (r->c->progress != NULL)
			bt_progress_clear(r->c->progress);
		bt_log(r->c->log, BT_LOG_NOTE, "%s", bt_buf_str(&b));
	} else {
		bt_keras_tell(&r->keras, n, &b);
		if (b.len > 0)
			r->c->print(r->c->print_ctx, bt_buf_str(&b));
	}
	bt_buf_clear(&b);
	return n->what == BT_TRAIN_REPORTED
	           ? bt_tf_checkpoints(&r->save, n->step, err)
	           : BT_OK;
}

int bt_run_heads(const char *path, const struct bt_log *log, int *heads,
                 struct bt_error *err)
{
	struct bt_config config;
	int e = bt_config_load(path, &config, err);

	if (e != BT_OK)
		return e;
	*heads = config.heads;
	if (config.attention_dropout != config.hidden_dropout)
		bt_log(log, BT_LOG_NOTE,
		       "what leaves attention is dropped with "
		       "hidden_dropout_prob %g here, not with "
		       "attention_probs_dropout_prob %g",
		       (double)config.hidden_dropout,
		       (double)config.attention_dropout);
	bt_config_clear(&config);
	return BT_OK;
}

char *bt_run_config(const char *path)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "%s%s", strpbrk(path, "./") == NULL ? "./" : "",
	              path);
	return bt_buf_detach(&b);
}

static int prepare(struct run *r, struct bt_error *err)
{
	const struct bt_run_classifier *c = r->c;
	int e = bt_meta_read(c->meta_data, &r->meta, err);

	if (e == BT_OK)
		e = bt_meta_plan(&r->meta, c->recipe.epochs, c->evals_per_epoch,
		                 c->recipe.batch, c->most, &r->plan, err);
	if (e == BT_OK)
		e = bt_run_heads(c->config, c->log, &r->save.heads, err);
	if (e == BT_OK)
		e = bt_file_patterns_find("train_data_path", c->train,
		                          &r->train, err);
	if (e == BT_OK)
		e = bt_file_patterns_find("eval_data_path", c->eval, &r->eval,
		                          err);
	if (e == BT_OK)
		e = bt_file_patterns_make(c->dir, err);
	r->config = bt_run_config(c->config);
	return e;
}

void bt_run_recipe_set(const struct bt_run_recipe *c,
                       const struct bt_meta_plan *plan, struct bt_train_opts *t)
{
	t->steps = plan->steps;
	t->epoch_steps = plan->epoch_steps;
	t->batching.size = (size_t)c->batch;
	t->batching.accumulate = 1;
	t->batching.stream = true;
	t->batching.seed = c->seed;
	t->schedule = (struct bt_schedule_opts)BT_SCHEDULE_INIT;
	t->schedule.kind = BT_SCHEDULE_LINEAR_GOOGLE;
	t->schedule.lr = c->rate;
	t->schedule.end = c->end_rate;
	t->schedule.warmup = (double)plan->warmup;
	t->optim = (struct bt_optim_opts)BT_OPTIM_INIT;
	t->optim.kind = BT_OPTIM_ADAM;
	t->optim.eps = 1e-6;
	t->optim.weight_decay = 0.01;
	t->optim.clip_rows = true;
	if (strcmp(c->optimizer, "lamb") == 0) {
		t->optim.kind = BT_OPTIM_LAMB;
		t->optim.clip = 0;
	}
}

/* The job of the run. */
static void set_job(struct run *r, struct bt_job_opts *o)
{
	const struct bt_run_classifier *c = r->c;
	struct bt_train_opts *t = &o->train;

	o->init_config = r->config;
	o->init_weights = c->init;
	bt_weights_gaps_any(&o->gaps); /* as its program */
	o->tokenizer = c->tokenizer;
	o->n_labels = r->meta.labels > 1 ? r->meta.labels : 0;
	o->task =
	    r->meta.labels > 1 ? &bt_task_classification : &bt_task_regression;
	o->records = r->train.path;
	o->n_records = r->train.n;
	o->first = (size_t)c->most;
	o->longest = o->eval_longest = (size_t)r->meta.max_length;
	o->unweighted = !r->meta.weights;
	o->evals = r->eval.path;
	o->n_evals = r->eval.n;
	o->dropout = -1;
	o->twice = true;
	o->dtype = c->dtype;
	o->threads = c->threads;
	o->device = c->devices.plugin;
	o->replicas = c->devices.replicas;
	bt_run_recipe_set(&c->recipe, &r->plan, t);
	t->keep_last = true;
	t->tensorboard = t->out = c->dir;
	t->curves = "summaries/";
	t->log_steps = c->log_steps;
	t->news = news;
	t->news_ctx = r;
	t->log = c->log;
	t->progress = c->progress;
}

int bt_run_classifier_train(const struct bt_run_classifier *c,
                            struct bt_train_result *res, struct bt_error *err)
{
	struct run r = {.c = c, .save = {.dir = c->dir}};
	struct bt_job_opts o = {0};
	int e;

	memset(res, 0, sizeof(*res));
	e = prepare(&r, err);
	if (e == BT_OK) {
		bt_log(c->log, BT_LOG_NOTE,
		       "%lld epoch%s of %lld updates, %lld of warm-up",
		       (long long)r.plan.epochs, bt_plural(r.plan.epochs),
		       (long long)r.plan.epoch_steps, (long long)r.plan.warmup);
		r.keras.epochs = r.plan.epochs;
		r.keras.epoch_steps = r.plan.epoch_steps;
		set_job(&r, &o);
		e = bt_flags_hint(err, bt_job_run(&o, res, err));
	}
	bt_tf_checkpoints_clear(&r.save);
	bt_file_patterns_clear(&r.train);
	bt_file_patterns_clear(&r.eval);
	free(r.config);
	if (e == BT_OK && c->export != NULL)
		e = bt_run_classifier_export(c, err);
	return e;
}
