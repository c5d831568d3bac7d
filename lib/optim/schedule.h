/* SPDX-License-Identifier: MIT */
/* How the learning rate changes over a run. */
#ifndef BT_OPTIM_SCHEDULE_H
#define BT_OPTIM_SCHEDULE_H

#include <stdint.h>

#include "base/err.h"

enum bt_schedule {
	BT_SCHEDULE_LINEAR,
	BT_SCHEDULE_LINEAR_GOOGLE,
	BT_SCHEDULE_POLYNOMIAL,
	BT_SCHEDULE_COSINE,
	BT_SCHEDULE_COSINE_RESTARTS,
	BT_SCHEDULE_CONSTANT,
	BT_SCHEDULE_INVERSE_SQRT,
	BT_SCHEDULES
};

#define BT_SCHEDULE_NAMES                                                      \
	"linear|linear-google|polynomial|cosine|cosine-restarts|constant|inverse-sqrt"

struct bt_schedule_opts {
	enum bt_schedule kind;
	double lr;      /* the largest rate */
	double warmup;  /* updates, or a share of them if below 1 */
	double end;     /* the last rate, of those that fall */
	double power;   /* of polynomial */
	int64_t cycles; /* of cosine-restarts */

	/* A schedule that is another's, in place of all of the above: the rate
	 * after t updates; and a text of all that decides it, by which a run
	 * that is resumed knows it again. NULL: there is none. */
	double (*own)(const void *ctx, int64_t t);
	const void *own_ctx;
	const char *own_text;
};

#define BT_SCHEDULE_INIT                                                       \
	{                                                                      \
		.lr = 5e-5, .warmup = 0.1, .power = 1, .cycles = 1             \
	}

/* "linear" and so on; the name must be one of BT_SCHEDULE_NAMES. */
enum bt_schedule bt_schedule_named(const char *name);
const char *bt_schedule_name(enum bt_schedule s);

/* BT_EARG, naming the option, for a setting that the kind does not have. */
int bt_schedule_check(const struct bt_schedule_opts *o,
                      struct bt_error *err) BT_MUST_USE;

/*
 * The learning rate of the update after t updates, of total updates, the first
 * w of which are warm-up: end + (lr - end) f, with p = (t - w) / max(1, total -
 * w) and transformers' definitions of
 *   t < w:           rate lr t / max(1, w), so the first is 0 if w > 0
 *   linear:          f = max(0, 1 - p)
 *   polynomial:      f = max(0, 1 - p)^power
 *   cosine:          f = (1 + cos(pi p)) / 2
 *   cosine-restarts: f = (1 + cos(pi (cycles p mod 1))) / 2, 0 from p = 1 on
 *   constant:        f = 1
 *   inverse-sqrt:    f = 1 / sqrt(1 + (t - w) / s), s = w, or 10000 if w = 0
 * and that of Google's BERT, which falls as if there had been no warm-up:
 *   linear-google:   f = max(0, 1 - t / total)
 */
double bt_schedule_rate(const struct bt_schedule_opts *o, int64_t t, int64_t w,
                        int64_t total);

/* Warm-up in updates from what the user gave: a share of the total if it is
 * below 1 (rounded up), else updates. */
int64_t bt_schedule_warmup(double given, int64_t total);

#endif
