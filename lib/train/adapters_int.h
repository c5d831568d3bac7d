/* SPDX-License-Identifier: MIT */
/* What a job does for low-rank adapters (model/lora.h); nothing where it has
 * none. */
#ifndef BT_TRAIN_ADAPTERS_INT_H
#define BT_TRAIN_ADAPTERS_INT_H

#include "train/job.h"

/* Finds out what the starting model will be called; BT_EARG where that is an
 * adapter itself. */
int bt_adapters_check(struct bt_job *j, struct bt_error *err) BT_MUST_USE;

/* Tells the model, whose graph is to be built, of its adapters. */
void bt_adapters_plan(struct bt_job *j);

/* Gives them their first values, unless the engine is only planned; rep says
 * what was loaded from the starting model. BT_EFORMAT where a head would stay
 * random. The report is cleared after an error. */
int bt_adapters_init(const struct bt_job *j, const char *from,
                     struct bt_weights_report *rep,
                     struct bt_error *err) BT_MUST_USE;

#endif
