/* SPDX-License-Identifier: MIT */
/* What Keras prints of a training run, line by line. */
#ifndef BT_GARDEN_KERAS_PROGRESS_H
#define BT_GARDEN_KERAS_PROGRESS_H

#include "train/train.h"

struct bt_keras {
	int64_t epochs, epoch_steps;
	double began; /* bt_seconds() at which the epoch did; 0: not yet */
	bool headed;  /* the epoch's first line is there */
};

/* Appends what is to be printed at that point of the run: lines with their
 * ends, or nothing. */
void bt_keras_tell(struct bt_keras *k, const struct bt_train_news *n,
                   struct bt_buf *out);

/* "TimeHistory: 12.34 seconds, 259.31 examples/second between steps 0 and
 * 100", without a line end; of BT_TRAIN_TIMED. */
void bt_keras_speed(const struct bt_train_news *n, struct bt_buf *out);

#endif
