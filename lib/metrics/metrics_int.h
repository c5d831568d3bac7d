/* SPDX-License-Identifier: MIT */
#ifndef BT_METRICS_METRICS_INT_H
#define BT_METRICS_METRICS_INT_H

#include "metrics/metrics.h"

/* The logarithm of a probability, within what scikit-learn takes. */
double bt_metrics_log(double p);

/* a / b; 0 / 0 is 0. */
double bt_metrics_ratio(double a, double b);

/* Precision, recall and F1 of what was predicted `predicted` times, was true
 * `support` times, and both `hits` times. */
struct bt_class_metrics bt_metrics_rates(uint64_t hits, uint64_t predicted,
                                         uint64_t support);

/* Adds a class to the macro and weighted averages, the latter over n true ones
 * of all classes. Returns how many of the former it is: 0 where it neither is
 * true nor predicted. The sum of these is what _end takes. */
int bt_metrics_average_add(const struct bt_class_metrics *c, double n,
                           struct bt_metrics_summary *s);
void bt_metrics_average_end(int classes, struct bt_metrics_summary *s);

/* Metrics of classes by their probabilities: sets m->p, adds an example, sums
 * up. */
/* The bin of a probability: (0, 1/15], (1/15, 2/15], ... */
int bt_metrics_bin(double p);
void bt_metrics_softmax(struct bt_metrics *m, const float *logits);
int bt_metrics_add_probabilities(struct bt_metrics *m, int truth,
                                 struct bt_error *err) BT_MUST_USE;
void bt_metrics_sum_probabilities(const struct bt_metrics *m,
                                  struct bt_metrics_summary *s);

/* Orders struct bt_metrics_scored, the highest first. */
int bt_metrics_by_score(const void *a, const void *b);

/* Adds "reliability" and, of two classes, "roc" and "precision_recall". Or
 * BT_ENOMEM. */
int bt_metrics_json_curves(const struct bt_metrics *m, json_t *o) BT_MUST_USE;

/* Ranks from 1; equal values have the mean of theirs. BT_ENOMEM alone. */
int bt_metrics_rank(const double *x, size_t n, double *out) BT_MUST_USE;

/* Cohen's kappa with quadratic weights of n ratings, from the sums of the true
 * and of the predicted ones, of the squares of both and of the squared
 * differences; NaN where all are the same. */
double bt_metrics_kappa(double n, double truth, double guess, double squares,
                        double distance);

/* Whether all are equal. */
bool bt_metrics_constant(const double *x, size_t n);

/* Pearson's correlation; NaN where one of them is the same throughout. */
double bt_metrics_correlation(const double *x, const double *y, size_t n);

/* Keeps a row of targets and outputs, [m->width] each. */
int bt_metrics_add_row(struct bt_metrics *m, const float *truth,
                       const float *guess, double loss,
                       struct bt_error *err) BT_MUST_USE;

/* Column k of rows of m->width numbers. */
void bt_metrics_column(const struct bt_metrics *m, const float *from, size_t k,
                       double *out);

#endif
