/* SPDX-License-Identifier: MIT */
/* What a report leaves behind: a line of history.jsonl, and TensorBoard's
 * events. */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/sys.h"
#include "finetune/unfinished.h"
#include "format/json.h"
#include "io/in.h"
#include "io/path.h"
#include "train/job_int.h"
#include "train/result.h"
#include "train/train_int.h"

#define MAX_LINE ((size_t)1 << 20)

/* ,"prefix_name":value */
static void put(struct bt_buf *b, const char *prefix, const char *name,
                double value)
{
	char s[32] = "null";

	if (isfinite(value))
		bt_format_f64(s, sizeof(s), value);
	bt_buf_printf(b, ",\"%s%s\":%s", prefix, name, s);
}

/* The update, and the passes over the data (or what counts as such) and the
 * loss so far. */
static void put_start(const struct bt_train_run *t, double loss,
                      struct bt_buf *b)
{
	const struct bt_train_state *s = &t->s;
	int64_t n = t->o->epoch_steps;

	bt_buf_printf(b, "{\"step\":%lld", (long long)s->step);
	put(b, "", "epoch",
	    n > 0 ? (double)s->step / (double)n
	          : (double)s->epoch + (double)s->pos / (double)t->batches.n);
	put(b, "", "loss", loss);
}

void bt_train_speed(struct bt_train_run *t, double seconds, int64_t updates,
                    uint64_t examples)
{
	struct bt_events *e = &t->events;

	if (seconds <= 0)
		return;
	bt_events_scalar(e, BT_EVENTS_SPEED, t->s.step,
	                 (double)updates / seconds, "steps_per_second");
	bt_events_scalar(e, BT_EVENTS_SPEED, t->s.step,
	                 (double)examples / seconds, "examples_per_second");
}

/* Names and steps as Keras gives them: an epoch's by its number from 0, others
 * by the updates done. */
static void put_events(struct bt_train_run *t, double loss,
                       const struct bt_metrics_summary *s)
{
	bool epochs = t->o->eval_steps == 0;
	int64_t step = t->s.step, at = epochs ? bt_train_epoch(t) - 1 : step;
	double rate = bt_train_rate(t, step - 1), v;
	double dt = t->res->seconds - t->reported.seconds;
	struct bt_events *e = &t->events;
	const char *name;
	size_t i;

	bt_events_scalar(e, BT_EVENTS_TRAIN, at, loss,
	                 epochs ? "epoch_loss" : "training_loss");
	if (epochs && t->train->width == 0)
		bt_events_scalar(e, BT_EVENTS_TRAIN, at, bt_train_accuracy(t),
		                 "epoch_accuracy");
	bt_events_scalar(e, BT_EVENTS_TRAIN, at, rate,
	                 epochs ? "epoch_learning_rate" : "learning_rate");
	for (i = 0; s != NULL && (name = bt_metrics_name(i, s, &v)) != NULL;
	     i++) {
		if (epochs)
			bt_events_scalar(e, BT_EVENTS_VALIDATION, at, v,
			                 "epoch_%s", name);
		bt_events_scalar(e, BT_EVENTS_VALIDATION, step, v,
		                 "evaluation_%s_vs_iterations", name);
	}
	if (t->o->log_steps == 0)
		bt_train_speed(t, dt, step - t->reported.step,
		               t->res->examples - t->reported.examples);
}

int bt_train_log_step(struct bt_train_run *t, const struct bt_train_news *n,
                      struct bt_error *err)
{
	struct bt_train_state *s = &t->s;
	struct bt_buf *b = &t->history.pending;
	double rate = bt_train_rate(t, s->step - 1);
	double speed = n->seconds > 0 ? (double)n->examples / n->seconds : 0;
	double loss = s->step_loss_weight > 0
	                  ? s->step_loss_sum / s->step_loss_weight
	                  : 0;
	int left = (int)bt_train_seconds_left(t);

	s->step_loss_sum = s->step_loss_weight = 0;
	if (t->o->progress != NULL)
		bt_progress_clear(t->o->progress);
	bt_log(t->o->log, BT_LOG_NOTE,
	       "epoch %lld, step %lld/%lld: loss %.4f, learning rate %.3g, "
	       "gradient norm %.3g, %.0f examples/s, %d:%02d left",
	       (long long)n->epoch, (long long)n->step, (long long)n->total,
	       loss, rate, t->norm, speed, left / 60, left % 60);
	if (t->o->log_steps == 0)
		return BT_OK;
	put_start(t, loss, b);
	put(b, "", "learning_rate", rate);
	put(b, "", "gradient_norm", t->norm);
	put(b, "", "examples_per_second", speed);
	put(b, "", "seconds", s->seconds + bt_seconds() - t->began);
	bt_buf_puts(b, "}\n");
	bt_events_scalar(&t->events, BT_EVENTS_TRAIN, s->step, loss,
	                 "batch_loss");
	return bt_append_log_flush(&t->history, t->o->log, err);
}

int bt_train_history(struct bt_train_run *t, double loss,
                     const struct bt_metrics_summary *s, bool best,
                     struct bt_error *err)
{
	struct bt_buf *b = &t->history.pending;
	const char *name;
	double v;
	size_t i;
	int r;

	put_start(t, loss, b);
	if (t->train->width == 0)
		put(b, "", "accuracy", bt_train_accuracy(t));
	put(b, "", "learning_rate", bt_train_rate(t, t->s.step - 1));
	put(b, "", "seconds", t->s.seconds + bt_seconds() - t->began);
	for (i = 0; s != NULL && (name = bt_metrics_name(i, s, &v)) != NULL;
	     i++)
		put(b, "eval_", name, v);
	if (s != NULL)
		bt_buf_printf(b, ",\"best\":%s", best ? "true" : "false");
	bt_buf_puts(b, "}\n");
	if (!t->o->own_curves)
		put_events(t, loss, s);
	t->reported.seconds = t->res->seconds;
	t->reported.step = t->s.step;
	t->reported.examples = t->res->examples;
	r = bt_append_log_flush(&t->history, t->o->log, err);
	return r == BT_OK ? bt_events_flush(&t->events, t->o->log, err) : r;
}

/* The same of a model whose classes were fitted after that: the history has no
 * evaluation. */
static json_t *of_fitted(const struct bt_train_result *res)
{
	json_t *o = json_pack("{s:I}", "step", (json_int_t)res->steps);
	char key[64];
	const char *name;
	double v;
	size_t i;

	for (i = 0; (name = bt_metrics_name(i, &res->measured, &v)) != NULL;
	     i++) {
		snprintf(key, sizeof(key), "eval_%s", name);
		json_object_set_new(o, key, bt_json_finite(v));
	}
	return o;
}

int bt_history_best(const struct bt_job *j, const struct bt_train_result *res,
                    json_t **found, struct bt_error *err)
{
	struct bt_span line;
	struct bt_in *in;
	size_t skip;
	json_t *o;
	char *path;
	int r;

	*found = NULL;
	if (j->o.few_shot && res->measured.kind != NULL)
		*found = of_fitted(res);
	if (j->o.few_shot || !j->has_eval)
		return BT_OK;
	path = bt_path_join(j->o.train.out, BT_HISTORY_FILE);
	r = bt_in_open(path, &in, err);
	free(path);
	if (r != BT_OK)
		return r;
	while ((r = bt_in_line(in, MAX_LINE, &line, &skip, err)) > 0) {
		o = json_loadb(line.p, line.n, 0, NULL);
		if (json_is_true(json_object_get(o, "best"))) {
			json_decref(*found);
			*found = json_incref(o);
		}
		json_decref(o);
		bt_in_skip(in, skip);
	}
	bt_in_close(in);
	return r;
}

/* What was trained on, and how fast. */
static void tell_work(const struct bt_job *j, const struct bt_train_result *res,
                      struct bt_summary *s)
{
	double seconds = res->seconds > 0 ? res->seconds : 1e-9;

	bt_summary_text(s, "end", bt_train_end_name(res->end));
	bt_summary_text(s, "task", j->model.task->name);
	bt_summary_count(s, "labels", (uint64_t)j->model.labels.n);
	bt_summary_count(s, "training_texts", bt_dataset_texts(&j->train));
	bt_summary_count(s, "evaluation_texts", bt_dataset_texts(&j->eval));
	bt_summary_count(s, "steps", (uint64_t)res->steps);
	bt_summary_count(s, "steps_planned", (uint64_t)res->total);
	bt_summary_count(s, "examples", res->examples);
	bt_summary_count(s, "tokens", res->tokens);
	bt_summary_real(s, "compute_seconds", res->seconds);
	bt_summary_real(s, "examples_per_second",
	                (double)res->examples / seconds);
	bt_summary_real(s, "tokens_per_second", (double)res->tokens / seconds);
	bt_summary_real(s, "loss", res->loss);
}

int bt_history_tell(const struct bt_job *j, const struct bt_train_result *res,
                    struct bt_error *err)
{
	struct bt_summary *s = bt_log_summary(bt_job_log(j));
	json_t *best = NULL, *v;
	const char *key;
	int r;

	if (s == NULL)
		return BT_OK;
	r = bt_history_best(j, res, &best, err);
	tell_work(j, res, s);
	if (best != NULL) {
		bt_summary_text(s, "metric", res->metric);
		bt_summary_count(s, "best_step",
		                 (uint64_t)json_integer_value(
		                     json_object_get(best, "step")));
		bt_summary_open(s, "metrics");
		json_object_foreach(best, key, v)
		{
			if (bt_str_starts(key, "eval_"))
				bt_summary_real(s, key + strlen("eval_"),
				                json_is_number(v)
				                    ? json_number_value(v)
				                    : NAN);
		}
		bt_summary_close(s);
	}
	json_decref(best);
	return r;
}
