/* SPDX-License-Identifier: MIT */
/* What pictures of probabilities are made from, in the JSON of a report. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "metrics/metrics_int.h"

#define POINTS_MAX 200 /* of a curve, about */

/* Bins of the calibration error: examples, the mean probability of the class
 * that is predicted, and how many of these are right, as a share. */
static json_t *reliability(const struct bt_metrics_sums *s)
{
	json_t *all = json_array();
	double n;
	int k;

	for (k = 0; k < BT_METRICS_BINS; k++) {
		n = (double)s->bin_n[k];
		json_array_append_new(
		    all,
		    json_pack("[I,f,f]", (json_int_t)s->bin_n[k],
		              bt_metrics_ratio(s->bin_p[k], n),
		              bt_metrics_ratio((double)s->bin_hits[k], n)));
	}
	return all;
}

/* A curve, and its last point. */
struct curve {
	json_t *points;
	double x, y;
};

static void put_point(struct curve *c, double x, double y, bool always)
{
	const double least = 1. / POINTS_MAX;

	if (!always && fabs(x - c->x) < least && fabs(y - c->y) < least)
		return;
	json_array_append_new(c->points, json_pack("[f,f]", x, y));
	c->x = x;
	c->y = y;
}

/* The rates that each threshold gives, from the highest on. Points that are
 * nearer than 1/POINTS_MAX to the one before are left out. */
static void put_rates(struct bt_metrics_scored *x, size_t n, struct curve *roc,
                      struct curve *precision_recall)
{
	double with = 0, without = 0, all = 0, recall;
	size_t i;

	for (i = 0; i < n; i++)
		all += x[i].holds;
	put_point(roc, 0, 0, true);
	for (i = 0; i < n; i++) {
		x[i].holds ? with++ : without++;
		if (i + 1 < n && !(x[i + 1].score < x[i].score))
			continue; /* equal scores together */
		recall = bt_metrics_ratio(with, all);
		put_point(roc, bt_metrics_ratio(without, (double)n - all),
		          recall, i + 1 == n);
		put_point(precision_recall, recall, with / (with + without),
		          i + 1 == n);
	}
}

/* Of the second of two classes. */
static int put_curves(const struct bt_metrics *m, json_t *o)
{
	size_t n = (size_t)m->n, i;
	struct bt_metrics_scored *x = bt_array(n, sizeof(*x));
	struct curve roc = {.points = json_array()};
	struct curve precision_recall = {.points = json_array(), .x = -1};

	for (i = 0; x != NULL && i < n; i++)
		x[i] = (struct bt_metrics_scored){m->kept[i], m->is[i] == 1};
	if (x != NULL) {
		if (n > 1)
			qsort(x, n, sizeof(*x), bt_metrics_by_score);
		put_rates(x, n, &roc, &precision_recall);
		json_object_set(o, "roc", roc.points);
		json_object_set(o, "precision_recall", precision_recall.points);
	}
	json_decref(roc.points);
	json_decref(precision_recall.points);
	free(x);
	return x != NULL ? BT_OK : BT_ENOMEM;
}

int bt_metrics_json_curves(const struct bt_metrics *m, json_t *o)
{
	if (m->output == BT_METRICS_ANSWERS)
		return BT_OK;
	json_object_set_new(o, "reliability", reliability(&m->sums));
	return m->classes == 2 && m->keep > 0 ? put_curves(m, o) : BT_OK;
}
