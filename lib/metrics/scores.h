/* SPDX-License-Identifier: MIT */
/*
 * Scores that are consecutive whole numbers, such as the marks of essays, and
 * the thresholds by which numbers become scores.
 */
#ifndef BT_METRICS_SCORES_H
#define BT_METRICS_SCORES_H

#include <stdbool.h>
#include <stddef.h>

#define BT_SCORES_MOST 256
#define BT_SCORE_MOST (1 << 24) /* and the opposite: as f32 counts */

struct bt_scores {
	double least; /* the lowest score */
	size_t n;     /* scores: least, least + 1, ...; 0: none */
	/* [n - 1]: score least + i + 1 is that of numbers from from[i] on; no
	 * threshold is below the one before it */
	double from[BT_SCORES_MOST - 1];
};

/* Those from least to most, at most BT_SCORES_MOST; the nearest one is that of
 * a number, of two the higher. */
void bt_scores_nearest(struct bt_scores *s, double least, double most);

/* The score of a number; NaN stays NaN. */
double bt_scores_of(const struct bt_scores *s, double x);

/* Sets the nearest of scores from the smallest to the largest of n numbers;
 * false where there are none, one is not whole or beyond BT_SCORE_MOST, or
 * these are too many. */
bool bt_scores_span(struct bt_scores *s, const double *x, size_t n);

#endif
