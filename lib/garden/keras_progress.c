/* SPDX-License-Identifier: MIT */
#include "garden/keras_progress.h"

#include <math.h>

#include "base/sys.h"

static void put(struct bt_buf *out, const char *name, double v)
{
	bt_buf_printf(out, fabs(v) > 1e-3 ? " - %s: %.4f" : " - %s: %.4e", name,
	              v);
}

static void put_epoch(struct bt_keras *k, const struct bt_train_news *n,
                      struct bt_buf *out)
{
	double whole = bt_seconds() - k->began;
	double step = n->seconds / (double)k->epoch_steps;

	bt_buf_printf(out, "%lld/%lld [==============================] - %.0fs",
	              (long long)k->epoch_steps, (long long)k->epoch_steps,
	              whole);
	if (step >= 1 || step <= 0)
		bt_buf_printf(out, " %.0fs/step", step);
	else if (step >= 1e-3)
		bt_buf_printf(out, " %.0fms/step", step * 1e3);
	else
		bt_buf_printf(out, " %.0fus/step", step * 1e6);
	put(out, "loss", n->loss);
	if (n->task == &bt_task_regression)
		put(out, "mean_squared_error", n->loss);
	else
		put(out, "accuracy", n->accuracy);
	if (n->eval != NULL)
		put(out, "val_loss", n->eval->loss);
	if (n->eval != NULL && n->task == &bt_task_regression)
		put(out, "val_mean_squared_error", n->eval->mse);
	else if (n->eval != NULL)
		put(out, "val_accuracy", n->eval->accuracy);
	bt_buf_putc(out, '\n');
}

void bt_keras_tell(struct bt_keras *k, const struct bt_train_news *n,
                   struct bt_buf *out)
{
	if (n->what == BT_TRAIN_TIMED)
		return;
	if (!k->headed)
		bt_buf_printf(out, "Epoch %lld/%lld\n", (long long)n->epoch,
		              (long long)k->epochs);
	if (!k->headed && k->began == 0)
		k->began = bt_seconds() - n->seconds;
	k->headed = true;
	if (n->what != BT_TRAIN_REPORTED)
		return;
	put_epoch(k, n, out);
	k->began = bt_seconds();
	k->headed = false;
}

void bt_keras_speed(const struct bt_train_news *n, struct bt_buf *out)
{
	bt_buf_printf(
	    out,
	    "TimeHistory: %.2f seconds, %.2f examples/second between steps "
	    "%lld and %lld",
	    n->seconds, n->seconds > 0 ? (double)n->examples / n->seconds : 0.0,
	    (long long)n->from, (long long)n->step);
}
