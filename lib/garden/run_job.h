/* SPDX-License-Identifier: MIT */
/* A job of training (train/job.h) whose hints speak of Model Garden's flags. */
#ifndef BT_GARDEN_RUN_JOB_H
#define BT_GARDEN_RUN_JOB_H

#include "train/job.h"

int bt_run_job(const struct bt_job_opts *o, struct bt_train_result *res,
               struct bt_error *err) BT_MUST_USE;

#endif
