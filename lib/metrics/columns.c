/* SPDX-License-Identifier: MIT */
/* What is measured of each of a text's targets by itself: collected, and read
 * again column by column. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "metrics/metrics_int.h"

/* Of one target: the squared error, or the cross entropy of a logit. */
static double loss_of(const struct bt_metrics *m, double truth, double guess)
{
	if (m->number)
		return (guess - truth) * (guess - truth);
	return fmax(guess, 0) + log1p(exp(-fabs(guess))) - truth * guess;
}

double bt_metrics_loss_each(const struct bt_metrics *m, const float *truth,
                            const float *guess)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < m->width; i++)
		sum += loss_of(m, (double)truth[i], (double)guess[i]);
	return sum / (double)m->width;
}

int bt_metrics_add_each(struct bt_metrics *m, const float *truth,
                        const float *guess, struct bt_error *err)
{
	size_t k = m->width, n, need;

	if (!bt_size_mul((size_t)m->n + 1, k, &need) ||
	    bt_grow(&m->truth, &m->truth_cap, need, sizeof(*truth)) != BT_OK ||
	    bt_grow(&m->guess, &m->guess_cap, need, sizeof(*guess)) != BT_OK)
		return bt_error_nomem(err, "measuring predictions");
	n = need - k;
	memcpy(m->truth + n, truth, k * sizeof(*truth));
	memcpy(m->guess + n, guess, k * sizeof(*guess));
	m->loss_sum += bt_metrics_loss_each(m, truth, guess);
	m->n++;
	return BT_OK;
}

void bt_metrics_column(const struct bt_metrics *m, const float *from, size_t k,
                       double *out)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		out[i] = (double)from[i * m->width + k];
}
