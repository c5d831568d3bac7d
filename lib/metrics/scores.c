/* SPDX-License-Identifier: MIT */
#include "metrics/scores.h"

#include <math.h>

void bt_scores_nearest(struct bt_scores *s, double least, double most)
{
	size_t i;

	s->least = least;
	s->n = (size_t)(most - least) + 1;
	for (i = 0; i + 1 < s->n; i++)
		s->from[i] = least + (double)i + .5;
}

double bt_scores_of(const struct bt_scores *s, double x)
{
	size_t i = 0;

	if (isnan(x))
		return x;
	while (i + 1 < s->n && x >= s->from[i])
		i++;
	return s->least + (double)i;
}

bool bt_scores_span(struct bt_scores *s, const double *x, size_t n)
{
	double least = INFINITY, most = -INFINITY;
	size_t i;

	for (i = 0; i < n; i++) {
		if (x[i] != floor(x[i]) || fabs(x[i]) > BT_SCORE_MOST)
			return false;
		least = fmin(least, x[i]);
		most = fmax(most, x[i]);
	}
	if (!(least <= most && most - least < BT_SCORES_MOST))
		return false;
	bt_scores_nearest(s, least, most);
	return true;
}
