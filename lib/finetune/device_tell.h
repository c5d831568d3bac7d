/* SPDX-License-Identifier: MIT */
/* What a device did, for the log and its summary. */
#ifndef BT_FINETUNE_DEVICE_TELL_H
#define BT_FINETUNE_DEVICE_TELL_H

#include "base/log.h"
#include "device/device.h"

/* Returns the share of the rows that was filled. */
double bt_device_tell(const struct bt_device *d, const struct bt_log *log);

#endif
