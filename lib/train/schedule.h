/* SPDX-License-Identifier: MIT */
/* How the learning rate changes over a run. */
#ifndef BT_TRAIN_SCHEDULE_H
#define BT_TRAIN_SCHEDULE_H

#include <stdint.h>

#include "base/err.h"

enum bt_schedule {
	BT_SCHEDULE_LINEAR,
	BT_SCHEDULE_COSINE,
	BT_SCHEDULE_CONSTANT
};

#define BT_SCHEDULE_NAMES "linear|cosine|constant"

/* "linear" and so on; the name must be one of BT_SCHEDULE_NAMES. */
enum bt_schedule bt_schedule_named(const char *name);

/*
 * The factor of the learning rate for the update after t updates, of total
 * updates, the first w of which are warm-up (transformers' definition):
 *   t < w:    t / max(1, w), so the first update has rate 0 if w > 0
 *   linear:   max(0, (total - t) / max(1, total - w))
 *   cosine:   max(0, (1 + cos(pi p)) / 2), p = (t - w) / max(1, total - w)
 *   constant: 1
 */
double bt_schedule_factor(enum bt_schedule s, int64_t t, int64_t w,
                          int64_t total);

/* Warm-up in updates from what the user gave: a share of the total if it is
 * below 1 (rounded up), else updates. */
int64_t bt_schedule_warmup(double given, int64_t total);

#endif
