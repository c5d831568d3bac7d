/* SPDX-License-Identifier: MIT */
#ifndef BT_TASK_METRICS_INT_H
#define BT_TASK_METRICS_INT_H

#include "task/metrics.h"

/* Sets what is of numbers. */
void bt_metrics_numbers(const struct bt_metrics *m,
                        struct bt_metrics_summary *s);

#endif
