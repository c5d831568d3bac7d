/* SPDX-License-Identifier: MIT */
/* The device that a job trains on. */
#include "device/device.h"
#include "finetune/device_tell.h"
#include "train/job_int.h"

int bt_job_device_open(struct bt_job *j, struct bt_error *err)
{
	return j->o.device != NULL
	           ? bt_device_open(j->o.device, &j->o.train.device, err)
	           : BT_OK;
}

bool bt_job_low(const struct bt_job *j)
{
	return j->o.train.device != NULL
	           ? bt_model_low_on(j->o.train.device, j->o.dtype)
	           : bt_model_low(j->o.dtype, j->o.gemm);
}

void bt_job_log_model(const struct bt_job *j)
{
	struct bt_buf b = BT_BUF_INIT;

	if (j->o.train.device == NULL) {
		bt_model_log(&j->model, bt_job_log(j));
		return;
	}
	bt_device_describe(j->o.train.device, bt_job_low(j), &b);
	bt_log(bt_job_log(j), BT_LOG_MORE, "%s", bt_buf_str(&b));
	bt_buf_clear(&b);
}

void bt_job_device_tell(const struct bt_job *j)
{
	double filled;

	if (j->o.train.device == NULL)
		return;
	filled = bt_device_tell(j->o.train.device, bt_job_log(j));
	bt_log(bt_job_log(j), BT_LOG_MORE, "%.1f %% of rows filled",
	       100 * filled);
}
