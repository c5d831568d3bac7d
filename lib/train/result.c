/* SPDX-License-Identifier: MIT */
#include "train/result.h"

#include "cpu/roofline.h"

const char *bt_train_end_name(enum bt_train_end end)
{
	static const char *const names[] = {
	    [BT_TRAIN_FAILED] = "failed",       [BT_TRAIN_ALL] = "all",
	    [BT_TRAIN_NO_BETTER] = "no_better", [BT_TRAIN_STOPPED] = "stopped",
	    [BT_TRAIN_TIME] = "time",           [BT_TRAIN_PAUSED] = "paused"};

	return names[end];
}

static void say_best(const struct bt_log *log, const struct bt_train_opts *o,
                     const struct bt_train_result *r)
{
	const char *m = r->metric, *out = o->out;

	if (r->end == BT_TRAIN_NO_BETTER)
		bt_log(log, BT_LOG_NOTE,
		       "stopped at step %lld of %lld: no better %s in %lld "
		       "evaluations",
		       (long long)r->steps, (long long)r->total, m,
		       (long long)o->patience);
	if (r->best_epoch == 0)
		bt_log(log, BT_LOG_NOTE, "model written to '%s'", out);
	else if (o->eval_steps > 0)
		bt_log(log, BT_LOG_NOTE,
		       "model of step %lld (%s %.4f) written to '%s'",
		       (long long)r->best_step, m, r->best, out);
	else
		bt_log(log, BT_LOG_NOTE,
		       "model of epoch %d (%s %.4f) written to '%s'",
		       r->best_epoch, m, r->best, out);
}

void bt_train_result_speed(const struct bt_log *log,
                           const struct bt_train_result *r)
{
	double s = r->seconds > 0 ? r->seconds : 1e-9;
	char share[BT_SHARE_SIZE] = "";
	bool known = r->flop > 0; /* not of a device */

	if (known)
		(void)bt_roofline_share(r->flop / s, r->flop_limit, share);
	bt_log(log, BT_LOG_NOTE,
	       "%llu examples in %.1f s: %.1f examples/s, %.0f tokens/s%s%s, "
	       "peak memory %zu MB",
	       (unsigned long long)r->examples, r->seconds,
	       (double)r->examples / s, (double)r->tokens / s,
	       known ? ", " : "", share, r->peak >> 20);
}

bool bt_train_result_stopped(const struct bt_log *log,
                             const struct bt_train_result *r)
{
	if (r->end != BT_TRAIN_STOPPED && r->end != BT_TRAIN_TIME)
		return false;
	if (r->measure_only)
		bt_log_warn(log, "stopped", BT_HINT_NONE,
		            "stopped before the evaluation was complete");
	else
		bt_log_warn(log, "stopped", BT_HINT_NONE,
		            "%s after step %lld of %lld; run the same command "
		            "to resume",
		            r->end == BT_TRAIN_TIME
		                ? "time limit reached: stopped"
		                : "stopped",
		            (long long)r->steps, (long long)r->total);
	return true;
}

void bt_train_result_log(const struct bt_train_opts *o,
                         const struct bt_train_result *r)
{
	if (bt_train_result_stopped(o->log, r))
		return;
	bt_train_result_speed(o->log, r);
	say_best(o->log, o, r);
}
