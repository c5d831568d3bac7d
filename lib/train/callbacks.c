/* SPDX-License-Identifier: MIT */
/* Calls back the caller of a run while it goes. */
#include <math.h>

#include "base/sys.h"
#include "train/train_int.h"

static struct bt_train_news news(const struct bt_train_run *t,
                                 enum bt_train_event what)
{
	struct bt_train_news n = {.what = what,
	                          .run = (struct bt_train_run *)t,
	                          .step = t->s.step,
	                          .total = t->total,
	                          .epoch = bt_train_epoch(t),
	                          .task = t->m->task,
	                          .loss = bt_train_loss(t),
	                          .accuracy = bt_train_accuracy(t),
	                          .seen = t->s.seen,
	                          .eval_seconds = t->eval_seconds};

	return n;
}

static int call(struct bt_train_run *t, const struct bt_train_news *n,
                struct bt_error *err)
{
	int r = t->o->news != NULL ? t->o->news(t->o->news_ctx, n, err) : BT_OK;

	return r == BT_OK && t->o->news != NULL && t->o->own_curves
	           ? bt_events_flush(&t->events, t->o->log, err)
	           : r;
}

void bt_train_scalar(struct bt_train_run *t, enum bt_train_curve curve,
                     double value, const char *tag)
{
	static const enum bt_event_stream streams[] = {
	    [BT_TRAIN_CURVE_TRAIN] = BT_EVENTS_TRAIN,
	    [BT_TRAIN_CURVE_VALIDATION] = BT_EVENTS_VALIDATION,
	    [BT_TRAIN_CURVE_SPEED] = BT_EVENTS_SPEED};

	bt_events_scalar(&t->events, streams[curve], t->s.step, value, "%s",
	                 tag);
}

/* How fast the updates since the last measure went. */
static int measure(struct bt_train_run *t, double now, struct bt_error *err)
{
	struct bt_train_news n = news(t, BT_TRAIN_TIMED);

	n.seconds = now - t->timed.seconds;
	n.from = t->timed.step;
	n.examples = t->res->examples - t->timed.examples;
	t->timed.seconds = now;
	t->timed.step = t->s.step;
	t->timed.examples = t->res->examples;
	if (t->o->log_steps > 0)
		bt_train_speed(t, n.seconds, n.step - n.from, n.examples);
	return t->o->news != NULL ? call(t, &n, err)
	                          : bt_train_log_step(t, &n, err);
}

int bt_train_begun(struct bt_train_run *t, struct bt_error *err)
{
	struct bt_train_news n = news(t, BT_TRAIN_BEGUN);

	return call(t, &n, err);
}

int bt_train_updated(struct bt_train_run *t, struct bt_error *err)
{
	double now = t->res->seconds + bt_seconds() - t->start;
	struct bt_train_news n = news(t, BT_TRAIN_UPDATED);
	bool due = t->o->log_steps > 0 ? t->s.step % t->o->log_steps == 0
	                               : t->o->log_seconds > 0 &&
	                                     now - fmax(t->timed.seconds,
	                                                t->reported.seconds) >=
	                                         t->o->log_seconds;
	int r;

	n.seconds = now - t->reported.seconds;
	r = call(t, &n, err);
	if (r == BT_OK && due)
		r = measure(t, now, err);
	return r;
}

int bt_train_reported(struct bt_train_run *t,
                      const struct bt_metrics_summary *eval, double seconds,
                      bool kept, struct bt_error *err)
{
	struct bt_train_news n = news(t, BT_TRAIN_REPORTED);

	n.seconds = seconds;
	n.eval = eval;
	n.answers = eval != NULL && t->answered ? &t->answers : NULL;
	n.kept = kept;
	return call(t, &n, err);
}
