/* SPDX-License-Identifier: MIT */
/* The thresholds by which predicted numbers become scores with the highest
 * quadratic weighted kappa. */
#ifndef BT_EVALUATE_FIT_SCORES_H
#define BT_EVALUATE_FIT_SCORES_H

#include "base/err.h"
#include "metrics/scores.h"

/*
 * Sets the thresholds of s, whose scores are those of bt_scores_span(truth), to
 * the best ones for n predicted numbers, and *kappa to what they reach. No
 * other thresholds reach more. Of equally good ones that of score k is k - .5,
 * or near the middle between two predictions. BT_EFORMAT where a prediction is
 * NaN, or none reaches more than 0.
 *
 * The kappa is 1 - D/E, where D is the sum of (t - p)^2 and, as the mean m of
 * the true scores t is given, E that of t^2 + p^2 - 2 m p: both are sums over
 * examples. So the best scores p for the kappa k so far are those with the
 * largest (1 - k) E - D (W. Dinkelbach, "On Nonlinear Fractional Programming",
 * 1967): the nearest to m + (t - m) / k in squares, among those that do not
 * fall where predictions rise. These are the rounded values of the isotonic
 * regression (A. J. Goldstein, J. B. Kruskal, "Least-Squares Fitting by
 * Monotonic Functions Having Integer Values", 1976), and that of t is computed
 * once. Few rounds are needed.
 */
int bt_fit_scores(const double *truth, const double *guess, size_t n,
                  struct bt_scores *s, double *kappa,
                  struct bt_error *err) BT_MUST_USE;

#endif
