/* SPDX-License-Identifier: MIT */
/* What a run did, in the words of the log. */
#ifndef BT_TRAIN_RESULT_H
#define BT_TRAIN_RESULT_H

#include "train/train.h"

/* Of a run that was not an error: its speed and the model that it wrote, or
 * that it was stopped. */
void bt_train_result_log(const struct bt_train_opts *o,
                         const struct bt_train_result *r);

/* Whether it was stopped, which is warned of. */
bool bt_train_result_stopped(const struct bt_log *log,
                             const struct bt_train_result *r);

/* How fast it was. */
void bt_train_result_speed(const struct bt_log *log,
                           const struct bt_train_result *r);

/* A word for how a run ended, for programs. */
const char *bt_train_end_name(enum bt_train_end end);

#endif
