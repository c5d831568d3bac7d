/* SPDX-License-Identifier: MIT */
#ifndef BT_METRICS_METRICS_INT_H
#define BT_METRICS_METRICS_INT_H

#include "metrics/metrics.h"

/* Set what is of numbers, and of labels. */
void bt_metrics_numbers(const struct bt_metrics *m,
                        struct bt_metrics_summary *s);
void bt_metrics_labels(const struct bt_metrics *m,
                       struct bt_metrics_summary *s);

/* The loss of one example's numbers or labels; how many of its labels are
 * wrong. */
double bt_metrics_loss_each(const struct bt_metrics *m, const float *truth,
                            const float *guess);
size_t bt_metrics_wrong(const struct bt_metrics *m, const float *truth,
                        const float *guess);

/* a / b; 0 / 0 is 0. */
double bt_metrics_ratio(double a, double b);

/* Column k of numbers a row of which has m->width. */
void bt_metrics_column(const struct bt_metrics *m, const float *from, size_t k,
                       double *out);

/* Ranks from 1; equal values have the mean of theirs. BT_ENOMEM alone. */
int bt_metrics_rank(const double *x, size_t n, double *out) BT_MUST_USE;

/* The report as text (metrics_report.c) and as JSON, of each kind. */
void bt_metrics_report_numbers(const struct bt_metrics *m,
                               const struct bt_labels *l, struct bt_buf *out);
void bt_metrics_report_labels(const struct bt_metrics *m,
                              const struct bt_labels *l, struct bt_buf *out);
int bt_metrics_json_numbers(const struct bt_metrics *m,
                            const struct bt_labels *l, json_t *o);
int bt_metrics_json_labels(const struct bt_metrics *m,
                           const struct bt_labels *l, json_t *o);

#endif
