/* SPDX-License-Identifier: MIT */
/* Where a stream's model runs on a device. */
#ifndef BT_FINETUNE_PREDICT_DEVICE_H
#define BT_FINETUNE_PREDICT_DEVICE_H

#include "finetune/predict_stream.h"

/* Opens the device that s->o names, if it does; what cannot run there is an
 * error. */
int bt_predict_device_open(struct bt_predict_stream *s,
                           struct bt_error *err) BT_MUST_USE;

/* Copies the model, of which the engine has the parameters, to the device. */
int bt_predict_device_load(struct bt_predict_stream *s,
                           struct bt_error *err) BT_MUST_USE;

/* As bt_predict_stream_summary. */
void bt_predict_device_summary(const struct bt_predict_stream *s,
                               const char *what, const struct bt_log *log);

#endif
