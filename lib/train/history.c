/* SPDX-License-Identifier: MIT */
/* What a report leaves behind: a line of history.jsonl, and TensorBoard's
 * events. */
#include <math.h>

#include "base/num.h"
#include "base/sys.h"
#include "train/train_int.h"

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
	          : (double)s->epoch + (double)s->pos / (double)t->train->n);
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
