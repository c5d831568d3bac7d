/* SPDX-License-Identifier: MIT */
#include "evaluate/threshold_between.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void bt_threshold_between(double lo, double hi, bool f32, char x[32])
{
	double v, middle = (lo + hi) / 2;
	int digits;

	for (digits = 1; digits <= 17; digits++) {
		snprintf(x, 32, "%.*g", digits, middle);
		v = strtod(x, NULL);
		if (fabs(v - middle) > (hi - lo) / 4)
			continue;
		if (f32 ? (float)v > (float)lo && (float)v <= (float)hi
		        : v > lo && v < hi)
			return;
	}
	snprintf(x, 32, "%.*g", f32 ? 9 : 17, f32 ? hi : lo);
}
