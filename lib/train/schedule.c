/* SPDX-License-Identifier: MIT */
#include "train/schedule.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum bt_schedule bt_schedule_named(const char *name)
{
	if (strcmp(name, "cosine") == 0)
		return BT_SCHEDULE_COSINE;
	if (strcmp(name, "constant") == 0)
		return BT_SCHEDULE_CONSTANT;
	return BT_SCHEDULE_LINEAR;
}

double bt_schedule_factor(enum bt_schedule s, int64_t t, int64_t w,
                          int64_t total)
{
	double rest = total - w > 1 ? (double)(total - w) : 1.0;

	if (t < w)
		return (double)t / (w > 1 ? (double)w : 1.0);
	if (s == BT_SCHEDULE_CONSTANT)
		return 1;
	if (s == BT_SCHEDULE_COSINE)
		return fmax(0, 0.5 * (1 + cos(PI * (double)(t - w) / rest)));
	return fmax(0, (double)(total - t) / rest);
}

int64_t bt_schedule_warmup(double given, int64_t total)
{
	return (int64_t)ceil(given < 1 ? given * (double)total : given);
}
