/* SPDX-License-Identifier: MIT */
/* What the caller of a run is told while it goes. */
#include "base/sys.h"
#include "train/train_int.h"

double bt_train_loss(const struct bt_train_run *t)
{
	return t->s.loss_weight > 0 ? t->s.loss_sum / t->s.loss_weight : 0;
}

double bt_train_accuracy(const struct bt_train_run *t)
{
	return t->s.seen > 0 ? (double)t->s.right / (double)t->s.seen : 0;
}

int64_t bt_train_epoch(const struct bt_train_run *t)
{
	int64_t n = t->o->epoch_steps;

	if (n == 0)
		return t->s.epoch + 1;
	return t->s.step > 0 ? (t->s.step + n - 1) / n : 1;
}

static struct bt_train_news news(const struct bt_train_run *t,
                                 enum bt_train_event what)
{
	struct bt_train_news n = {.what = what,
	                          .step = t->s.step,
	                          .total = t->total,
	                          .epoch = bt_train_epoch(t),
	                          .number = t->m->config.number,
	                          .loss = bt_train_loss(t),
	                          .accuracy = bt_train_accuracy(t)};

	return n;
}

static int tell(const struct bt_train_run *t, const struct bt_train_news *n,
                struct bt_error *err)
{
	if (t->o->news == NULL)
		return BT_OK;
	return t->o->news(t->o->news_ctx, n, err);
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
	bt_train_speed(t, n.seconds, n.step - n.from, n.examples);
	return tell(t, &n, err);
}

int bt_train_updated(struct bt_train_run *t, struct bt_error *err)
{
	double now = t->res->seconds + bt_seconds() - t->start;
	struct bt_train_news n = news(t, BT_TRAIN_UPDATED);
	int r;

	n.seconds = now - t->told.seconds;
	r = tell(t, &n, err);
	if (r == BT_OK && t->o->log_steps > 0 &&
	    t->s.step % t->o->log_steps == 0)
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
	n.kept = kept;
	return tell(t, &n, err);
}
