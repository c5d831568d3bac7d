/* SPDX-License-Identifier: MIT */
#ifndef BT_EVALUATE_THRESHOLD_BETWEEN_H
#define BT_EVALUATE_THRESHOLD_BETWEEN_H

#include <stdbool.h>

/* The shortest number near the middle between two predictions, lo < hi. With
 * f32 it is above lo and at most hi as an f32, else between both. */
void bt_threshold_between(double lo, double hi, bool f32, char x[32]);

#endif
