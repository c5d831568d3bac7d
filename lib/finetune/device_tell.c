/* SPDX-License-Identifier: MIT */
#include "finetune/device_tell.h"

#include "base/summary.h"

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
	       "%d programs compiled or loaded in %.1f s, %d of them from the "
	       "cache",
	       r.programs, r.compile_seconds, r.cached);
	return filled;
}
