/* SPDX-License-Identifier: MIT */
/*
 * Conformal prediction: sets of classes that hold the true one with a coverage
 * that was asked for, whatever the model [Vovk 2005], split as in [Sadinle
 *2019] and [Romano 2020].
 *
 * A class k with probability p(k) has a score:
 *	lac	1 - p(k)
 *	aps	the sum of p(j) over all classes j with p(j) > p(k)
 * The limit is the ceil((n + 1) * coverage)-th smallest of the scores of the
 * true classes of n held-out examples; the set has the classes with a score up
 * to that, and the likeliest one. Scores that are higher by less than
 * BT_LABEL_SETS_MARGIN count as equal: those of a text differ by rounding
 * where it stands in another batch.
 */
#ifndef BT_PREDICT_LABEL_SETS_H
#define BT_PREDICT_LABEL_SETS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define BT_LABEL_SETS_METHODS "lac|aps"
#define BT_LABEL_SETS_MARGIN 1e-5

struct bt_label_sets {
	bool cumulative; /* aps, else lac */
	double coverage; /* that was asked for; 0: no sets */
	double limit;    /* an f32 */
};

struct bt_label_score {
	double p;
	int k; /* class */
};

/* p [n] = softmax of logits. */
void bt_label_sets_softmax(const float *logits, int n, double *p);

/* The scores [n] of all classes; room is [n]. */
void bt_label_sets_score(const double *p, int n, bool cumulative,
                         struct bt_label_score *room, float *score);

/* Which classes [n] are in the set; returns their number. room and score are
 * [n]. */
int bt_label_sets_choose(const struct bt_label_sets *s, const double *p, int n,
                         struct bt_label_score *room, float *score, bool *on);

/* Sets s->limit from the scores of n true classes, which it sorts. BT_EFORMAT
 * where they are too few for the coverage. */
int bt_label_sets_limit(struct bt_label_sets *s, float *score, size_t n,
                        struct bt_error *err) BT_MUST_USE;

#endif
