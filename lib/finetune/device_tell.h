/* SPDX-License-Identifier: MIT */
/* What a device did, for the log and its summary. */
#ifndef BT_FINETUNE_DEVICE_TELL_H
#define BT_FINETUNE_DEVICE_TELL_H

#include "base/log.h"
#include "device/device.h"

/* Returns the share of the rows that was filled. */
double bt_device_tell(const struct bt_device *d, const struct bt_log *log);

/* What tells that programs are compiled, which takes seconds to minutes. */
struct bt_device_waiter {
	struct bt_device *d;
	const struct bt_log *log;     /* or NULL */
	struct bt_progress *progress; /* or NULL */
	bool (*stopped)(void);        /* ends it; or NULL */
	double start;
	bool warned; /* that they are not kept */
};

/* From now on messages and progress say which programs of the device are being
 * compiled. *w must last as long as the device. */
void bt_device_wait(struct bt_device_waiter *w, struct bt_device *d,
                    const struct bt_log *log, struct bt_progress *progress);

#endif
