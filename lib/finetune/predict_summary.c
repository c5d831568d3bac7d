/* SPDX-License-Identifier: MIT */
/* What a run of predictions was. */
#include "base/str.h"
#include "base/sys.h"
#include "cpu/roofline.h"
#include "device/device.h"
#include "finetune/predict_device.h"
#include "finetune/predict_stream.h"

/* Limits are measured after runs of more seconds than this. */
#define WORTH_MEASURING 2

int bt_predict_stream_summary(struct bt_predict_stream *s, const char *what,
                              const struct bt_log *log, struct bt_error *err)
{
	struct bt_summary *sum = bt_log_summary(log);
	const char *gemm = s->o.gemm;
	bool low = bt_model_low(s->o.dtype, gemm);
	size_t peak = bt_peak_memory(); /* measuring limits takes some, too */
	double limit = 0;
	char share[BT_SHARE_SIZE];
	int r = BT_OK;

	if (s->device != NULL) {
		/* it has no limit that we know */
	} else if (s->o.profile != NULL) {
		r = bt_engine_log_profile(s->model.engine, s->o.profile, log,
		                          err);
		limit = s->o.profile->flop_limit;
	} else if (s->seconds > WORTH_MEASURING &&
	           bt_log_is_heard(log, BT_LOG_MORE)) {
		r = bt_roofline_products(s->pool, gemm, low, &limit, err);
	}
	if (r != BT_OK)
		return r;
	if (s->o.embed == NULL)
		bt_model_check_pairs(&s->model.config, "records", s->records,
		                     s->pairs, log);
	if (s->device != NULL)
		s->seconds -= bt_device_report(s->device).compile_seconds;
	s->seconds = s->seconds > 0 ? s->seconds : 1e-9;
	bt_summary_count(sum, "records", s->records);
	bt_summary_count(sum, "examples", s->examples);
	bt_summary_count(sum, "tokens", s->tokens);
	bt_summary_real(sum, "compute_seconds", s->seconds);
	bt_summary_real(sum, "examples_per_second",
	                (double)s->examples / s->seconds);
	bt_summary_real(sum, "tokens_per_second",
	                (double)s->tokens / s->seconds);
	if (s->device != NULL) {
		bt_predict_device_summary(s, what, log);
		return BT_OK;
	}
	bt_log(log, BT_LOG_NOTE,
	       "%llu %s%s in %.1f s: %.1f examples/s, %.0f tokens/s, %s, "
	       "peak memory %zu MB",
	       (unsigned long long)s->examples, what, bt_plural(s->examples),
	       s->seconds, (double)s->examples / s->seconds,
	       (double)s->tokens / s->seconds,
	       bt_roofline_share(s->flop / s->seconds, limit, share),
	       peak >> 20);
	return BT_OK;
}
