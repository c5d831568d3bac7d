/* SPDX-License-Identifier: MIT */
/*
 * Two models' answers to the same examples, A and B: the measures of both, and
 * whether their difference may be chance.
 *
 * Of classes, and of any number of labels, the examples that one alone has
 * right decide, b of A's and c of B's: were both equally good, each would be of
 * either kind with probability 1/2. The exact test of that is the binomial one
 * of b and c, two-sided:
 *
 *     p = min(1, 2 sum_{i=0}^{min(b,c)} C(b+c, i) / 2^(b+c))
 *
 * (Q. McNemar, Note on the sampling error of the difference between correlated
 * proportions or percentages, Psychometrika 12, 1947, whose statistic
 * (b-c)^2/(b+c) this replaces by its exact distribution.)
 *
 * Of numbers the differences of squared errors, d = B's - A's, decide: their
 * mean, its standard error s / sqrt(n), z = mean / error, and the two-sided p
 * of z in the normal distribution.
 */
#ifndef BT_EVALUATE_MODEL_COMPARISON_H
#define BT_EVALUATE_MODEL_COMPARISON_H

#include "metrics/metrics.h"

struct bt_comparison {
	struct bt_metrics b;                      /* of model B */
	uint64_t both, a_alone, b_alone, neither; /* have it right */
	double n, mean, spread; /* of d: spread is the sum of (d - mean)^2 */
};

/* Of B's measures, which are of the same kind as those of `like`, A's. Zero is
 * nothing to be cleared. */
int bt_comparison_init(struct bt_comparison *p, const struct bt_metrics *like,
                       struct bt_error *err) BT_MUST_USE;
void bt_comparison_clear(struct bt_comparison *p);

/* One example, as bt_metrics_add and bt_metrics_add_each have it. */
int bt_comparison_add(struct bt_comparison *p, int truth, const float *targets,
                      const float *a, const float *b,
                      struct bt_error *err) BT_MUST_USE;

/* p as above. */
double bt_comparison_mcnemar(uint64_t b, uint64_t c);

/* The standard error of the mean, NaN of fewer than two; z, NaN where that is
 * 0; its p. */
void bt_comparison_z(const struct bt_comparison *p, double *error, double *z,
                     double *p_value);

/* What is reported of them; a is A's measures, names are what A and B are
 * called. NULL when out of memory. */
void bt_comparison_report(const struct bt_comparison *p,
                          const struct bt_metrics *a,
                          const char *const names[2], struct bt_buf *out);
json_t *bt_comparison_json(const struct bt_comparison *p,
                           const struct bt_metrics *a,
                           const char *const names[2]);

#endif
