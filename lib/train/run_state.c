/* SPDX-License-Identifier: MIT */
/* What a run has come to. */
#include "base/sys.h"
#include "train/train_int.h"

int bt_train_diverged(const struct bt_train_run *t, int64_t update,
                      const char *what, struct bt_error *err)
{
	return bt_error_set(err, BT_ELIMIT,
	                    "the %s is not finite at step %lld of %lld (epoch "
	                    "%lld), so training has diverged: try a smaller "
	                    "learning rate; %s%s%s",
	                    what, (long long)update, (long long)t->total,
	                    (long long)t->s.epoch + 1,
	                    t->res->kept ? "'" : "no model was written",
	                    t->res->kept ? t->o->out : "",
	                    t->res->kept ? "' holds the last good one" : "");
}

void bt_train_add_time(struct bt_train_run *t, const char *name, double since,
                       double n_arrays)
{
	struct bt_profile *p = t->o->profile;

	if (p != NULL)
		bt_profile_add(
		    p, bt_profile_line(p, "%s", name), bt_seconds() - since, 0,
		    n_arrays * sizeof(float) * (double)t->m->graph.n_floats);
}

double bt_train_rate(const struct bt_train_run *t, int64_t step)
{
	const struct bt_schedule_opts *o = &t->o->schedule;

	if (o->own != NULL)
		return o->own(o->own_ctx, step);
	return bt_schedule_rate(o, step, t->warmup, t->total);
}

double bt_train_loss(const struct bt_train_run *t)
{
	return t->s.loss_weight > 0 ? t->s.loss_sum / t->s.loss_weight : 0;
}

double bt_train_seconds_left(const struct bt_train_run *t)
{
	double s = t->res->seconds + bt_seconds() - t->start;

	return s / (double)(t->s.step - t->res->steps) *
	       (double)(t->total - t->s.step);
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

const struct bt_metrics *bt_train_measured(const struct bt_train_run *t)
{
	return &t->metrics;
}
