/* SPDX-License-Identifier: MIT */
#include "finetune/predict_device.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/sys.h"
#include "device/device.h"

/* What is asked for and cannot run on a device, or NULL. */
static const char *beyond(const struct bt_predict_stream_opts *o)
{
	if (o->explains)
		return "predictions are explained";
	if (o->dtype == BT_PRECISION_INT8)
		return "products of int8 are computed";
	if (o->gemm != NULL)
		return "a library for matrix products is chosen";
	if (o->profile != NULL)
		return "operators are timed";
	if (o->n_more > 0)
		return "several models are run";
	if (bt_dist_size(o->dist) > 1)
		return "several processes share the work";
	return NULL;
}

int bt_predict_device_open(struct bt_predict_stream *s, struct bt_error *err)
{
	int r;

	if (s->o.device == NULL)
		return s->o.replicas == 0
		           ? BT_OK
		           : bt_error_set(err, BT_EARG,
		                          "replicas are devices, and none is "
		                          "given");
	if (beyond(&s->o) != NULL)
		return bt_error_set(err, BT_EARG,
		                    "%s on the CPU only, not on a device",
		                    beyond(&s->o));
	r = bt_device_open(s->o.device, s->o.replicas, &s->device, err);
	if (r == BT_OK)
		bt_device_wait(&s->waiter, s->device, s->o.log, s->o.progress);
	return r;
}

int bt_predict_device_load(struct bt_predict_stream *s, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	bool low = bt_model_low_on(s->device, s->o.dtype);
	int r = bt_model_load_on(&s->model, s->device, low, err);

	s->gather.device = s->device;
	bt_device_describe(s->device, low, &b);
	bt_log(s->o.log, BT_LOG_MORE, "%s", bt_buf_str(&b));
	bt_buf_clear(&b);
	return r;
}

void bt_predict_device_summary(const struct bt_predict_stream *s,
                               const char *what, const struct bt_log *log)
{
	double filled = bt_device_tell(s->device, log);

	bt_log(
	    log, BT_LOG_NOTE,
	    "%llu %s%s in %.1f s: %.1f examples/s, %.0f tokens/s, %.1f %% of "
	    "rows filled, peak memory %zu MB",
	    (unsigned long long)s->examples, what, bt_plural(s->examples),
	    s->seconds, (double)s->examples / s->seconds,
	    (double)s->tokens / s->seconds, 100 * filled,
	    bt_peak_memory() >> 20);
}
