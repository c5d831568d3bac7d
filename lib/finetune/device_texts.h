/* SPDX-License-Identifier: MIT */
/* Examples of a data set as a device takes them. */
#ifndef BT_FINETUNE_DEVICE_TEXTS_H
#define BT_FINETUNE_DEVICE_TEXTS_H

#include "device/device.h"
#include "finetune/dataset.h"

struct bt_device_examples {
	struct bt_device_texts texts;
	uint32_t *start, *selected;
	size_t start_cap, selected_cap;
};

/* How many examples, from the first on, go to a device at a time: enough to
 * fill its rows, unless the logits, each row of which has so many columns, take
 * more than a GB of memory. */
size_t bt_device_examples_fit(const struct bt_dataset *d, size_t first,
                              size_t cols);

/* Sets x->texts, which is borrowed from d and x. */
int bt_device_examples_take(struct bt_device_examples *x,
                            const struct bt_dataset *d, size_t first, size_t n,
                            struct bt_error *err) BT_MUST_USE;
void bt_device_examples_clear(struct bt_device_examples *x);

#endif
