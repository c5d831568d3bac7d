/* SPDX-License-Identifier: MIT */
#include "garden/run_job.h"

static enum bt_hint by_flags(enum bt_hint hint)
{
	switch (hint) {
	case BT_HINT_START_OVER:
	case BT_HINT_GO_ON_FROM_MODEL:
	case BT_HINT_FORCE:
		return BT_HINT_MODEL_DIR;
	case BT_HINT_RESUME_FROM:
		return BT_HINT_MODEL_DIR_CHECKPOINT;
	case BT_HINT_SAVE_FEWER:
		return BT_HINT_MODEL_DIR_ROOM;
	case BT_HINT_BATCH_SMALLER:
	case BT_HINT_BATCH_SMALLER_OR_CHECKPOINT:
		return BT_HINT_MODEL_DIR_BATCH;
	default:
		return hint;
	}
}

int bt_run_job(const struct bt_job_opts *o, struct bt_train_result *res,
               struct bt_error *err)
{
	int r = bt_job_run(o, res, err);

	if (r != BT_OK && err != NULL)
		err->hint = by_flags(err->hint);
	return r;
}
