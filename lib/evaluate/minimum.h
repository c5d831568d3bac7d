/* SPDX-License-Identifier: MIT */
/* Requirements: that a metric is no worse than a value. */
#ifndef BT_EVALUATE_MINIMUM_H
#define BT_EVALUATE_MINIMUM_H

#include "metrics/metrics.h"

struct bt_minimum {
	char name[40]; /* of the metric */
	double value;
};

/* Reads "METRIC=VALUE"; BT_EARG if it is not that, no kind of metrics has the
 * name, or no model can meet it. */
int bt_minimum_read(const char *text, struct bt_minimum *m,
                    struct bt_error *err) BT_MUST_USE;

/* BT_EARG if a metric is not among those of s, whose kind is set; *needs is
 * what they need (BT_METRICS_RANKS ...). */
int bt_minimum_check(const struct bt_minimum *m, size_t n,
                     const struct bt_metrics_summary *s, unsigned *needs,
                     struct bt_error *err) BT_MUST_USE;

/* How many of them are not met; why has a line for each. */
int bt_minimum_unmet(const struct bt_minimum *m, size_t n,
                     const struct bt_metrics *metrics,
                     const struct bt_labels *labels, struct bt_buf *why);

#endif
