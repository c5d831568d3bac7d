/* SPDX-License-Identifier: MIT */
/* Learning rates as the configuration of a trainer describes them. */
#ifndef BT_GARDEN_LR_SCHEDULE_H
#define BT_GARDEN_LR_SCHEDULE_H

#include "garden/config.h"
#include "optim/schedule.h"

enum bt_lr_schedule_kind {
	BT_LR_SCHEDULE_CONSTANT,
	BT_LR_SCHEDULE_STEPWISE,
	BT_LR_SCHEDULE_EXPONENTIAL,
	BT_LR_SCHEDULE_POLYNOMIAL,
	BT_LR_SCHEDULE_COSINE
};

enum bt_lr_schedule_warmup {
	BT_LR_SCHEDULE_COLD, /* none */
	BT_LR_SCHEDULE_WARM_LINEAR,
	BT_LR_SCHEDULE_WARM_POLYNOMIAL
};

#define BT_LR_SCHEDULE_PARTS 64 /* of a stepwise rate */

/*
 * With s = t - offset, D decay steps, W warm-up steps:
 *   constant:     p = initial
 *   stepwise:     p = value[k], k the first with s <= bound[k], else the last
 *   exponential:  p = initial rate^(s / D), the exponent rounded down with
 *                 staircase
 *   polynomial:   p = (initial - end) (1 - s / D)^power + end; s at most D, or
 *                 with cycle D times the least whole number that makes it s
 *   cosine:       p = initial ((1 - alpha) (1 + cos(pi s / D)) / 2 + alpha), s
 *                 at most D
 * and for t < W
 *   linear:       first + t / W (p(W) - first)
 *   polynomial:   p(W) (max(t, 1) / W)^wpower
 */
struct bt_lr_schedule {
	enum bt_lr_schedule_kind kind;
	enum bt_lr_schedule_warmup warm;
	double initial, end, power, alpha, decay_rate;
	double first, wpower;
	int64_t decay, offset, warmup;
	bool cycle, staircase;
	double bound[BT_LR_SCHEDULE_PARTS], value[BT_LR_SCHEDULE_PARTS];
	size_t n;       /* bounds */
	char text[512]; /* all of this, to know it again */
};

/* Reads it from the trainer's optimizer_config. BT_EARG, naming the key, for
 * what is missing or makes no sense. */
int bt_lr_schedule_read(const struct bt_garden *c, struct bt_lr_schedule *r,
                        struct bt_error *err) BT_MUST_USE;

/* The rate of the update after t of them; rate is a struct bt_lr_schedule. */
double bt_lr_schedule_at(const void *rate, int64_t t);

#endif
