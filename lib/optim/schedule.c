/* SPDX-License-Identifier: MIT */
#include "optim/schedule.h"

#include <math.h>

#include "base/str.h"

#define PI 3.14159265358979323846

static const char *const names[BT_SCHEDULES] = {
    [BT_SCHEDULE_LINEAR] = "linear",
    [BT_SCHEDULE_LINEAR_GOOGLE] = "linear-google",
    [BT_SCHEDULE_POLYNOMIAL] = "polynomial",
    [BT_SCHEDULE_COSINE] = "cosine",
    [BT_SCHEDULE_COSINE_RESTARTS] = "cosine-restarts",
    [BT_SCHEDULE_CONSTANT] = "constant",
    [BT_SCHEDULE_INVERSE_SQRT] = "inverse-sqrt",
};

enum bt_schedule bt_schedule_named(const char *name)
{
	int i = BT_STR_ROW(name, names);

	return i >= 0 ? (enum bt_schedule)i : BT_SCHEDULE_LINEAR;
}

const char *bt_schedule_name(enum bt_schedule s)
{
	return names[s];
}

int bt_schedule_check(const struct bt_schedule_opts *o, struct bt_error *err)
{
	const char *name = names[o->kind];

	if (o->power != 1 && o->kind != BT_SCHEDULE_POLYNOMIAL)
		return bt_error_set(err, BT_EARG,
		                    "power is for the schedule polynomial, not "
		                    "%s",
		                    name);
	if (o->cycles != 1 && o->kind != BT_SCHEDULE_COSINE_RESTARTS)
		return bt_error_set(err, BT_EARG,
		                    "cycles are for the schedule "
		                    "cosine-restarts, not %s",
		                    name);
	if (o->end != 0 && (o->kind == BT_SCHEDULE_CONSTANT ||
	                    o->kind == BT_SCHEDULE_INVERSE_SQRT))
		return bt_error_set(
		    err, BT_EARG,
		    "an end learning rate is for schedules that "
		    "fall to it, which %s does not",
		    name);
	if (o->end > o->lr)
		return bt_error_set(err, BT_EARG,
		                    "the end learning rate %g is larger than "
		                    "the learning rate %g",
		                    o->end, o->lr);
	return BT_OK;
}

/* What is left of the rate at share p of the way. */
static double left(const struct bt_schedule_opts *o, double p)
{
	if (p >= 1)
		return 0;
	if (o->kind == BT_SCHEDULE_COSINE_RESTARTS)
		p = fmod((double)o->cycles * p, 1);
	if (o->kind == BT_SCHEDULE_COSINE ||
	    o->kind == BT_SCHEDULE_COSINE_RESTARTS)
		return 0.5 * (1 + cos(PI * p));
	return o->kind == BT_SCHEDULE_POLYNOMIAL ? pow(1 - p, o->power) : 1 - p;
}

double bt_schedule_rate(const struct bt_schedule_opts *o, int64_t t, int64_t w,
                        int64_t total)
{
	double rest = total - w > 1 ? (double)(total - w) : 1.0;

	if (t < w)
		return o->lr * ((double)t / (w > 1 ? (double)w : 1.0));
	if (o->kind == BT_SCHEDULE_CONSTANT)
		return o->lr;
	if (o->kind == BT_SCHEDULE_INVERSE_SQRT)
		return o->lr / sqrt(1 + (double)(t - w) /
		                            (w > 0 ? (double)w : 10000.0));
	if (o->kind == BT_SCHEDULE_LINEAR_GOOGLE)
		return o->end +
		       (o->lr - o->end) *
		           left(o, (double)t / (double)(total > 0 ? total : 1));
	return o->end + (o->lr - o->end) * left(o, (double)(t - w) / rest);
}

int64_t bt_schedule_warmup(double given, int64_t total)
{
	return (int64_t)ceil(given < 1 ? given * (double)total : given);
}
