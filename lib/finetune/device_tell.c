/* SPDX-License-Identifier: MIT */
#include "finetune/device_tell.h"

#include "base/str.h"
#include "base/summary.h"
#include "base/sys.h"

double bt_device_tell(const struct bt_device *d, const struct bt_log *log)
{
	struct bt_device_report r = bt_device_report(d);
	struct bt_summary *sum = bt_log_summary(log);
	double filled =
	    (double)r.tokens / (double)(r.places > 0 ? r.places : 1);

	bt_summary_text(sum, "device", bt_device_platform(d));
	if (bt_device_replicas(d) > 1)
		bt_summary_count(sum, "replicas",
		                 (uint64_t)bt_device_replicas(d));
	bt_summary_real(sum, "compile_seconds", r.compile_seconds);
	bt_summary_real(sum, "rows_filled", filled);
	bt_log(log, BT_LOG_MORE,
	       "%d program%s compiled or loaded in %.1f s, %d of them from the "
	       "cache",
	       r.programs, bt_plural((uint64_t)r.programs), r.compile_seconds,
	       r.cached);
	return filled;
}

static void tell_begin(struct bt_device_waiter *w, size_t of)
{
	const char *dir = bt_device_cache(w->d);

	w->start = bt_seconds();
	if (w->progress != NULL)
		bt_progress_clear(w->progress);
	if (dir != NULL)
		bt_log(w->log, BT_LOG_NOTE,
		       "compiling %zu program%s for the device, kept in '%s' "
		       "for later runs",
		       of, bt_plural(of), dir);
	else
		bt_log(w->log, BT_LOG_NOTE,
		       "compiling %zu program%s for the device", of,
		       bt_plural(of));
}

static bool wait(void *ctx, size_t done, size_t of)
{
	struct bt_device_waiter *w = ctx;
	const char *unkept = bt_device_unkept(w->d);
	int s;

	if (done == 0 && w->start == 0)
		tell_begin(w, of);
	s = (int)(bt_seconds() - w->start);
	if (w->progress != NULL && done < of && bt_progress_due(w->progress))
		bt_progress_show(w->progress,
		                 "%zu of %zu programs compiled, %d:%02d", done,
		                 of, s / 60, s % 60);
	if (done == of) {
		w->start = 0;
		if (w->progress != NULL)
			bt_progress_clear(w->progress);
	}
	if (done == of && unkept != NULL && !w->warned) {
		w->warned = true;
		bt_log_warn(w->log, "not-kept", BT_HINT_NONE,
		            "later runs compile again: %s", unkept);
	}
	return w->stopped == NULL || !w->stopped();
}

void bt_device_wait(struct bt_device_waiter *w, struct bt_device *d,
                    const struct bt_log *log, struct bt_progress *progress)
{
	*w = (struct bt_device_waiter){d, log, progress, NULL, 0, false};
	bt_device_watch(d, wait, w);
}
