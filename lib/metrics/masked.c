/* SPDX-License-Identifier: MIT */
/* Metrics of masked tokens: their cross entropy over the vocabulary, its
 * exponential, and how many are told. */
#include <math.h>

#include "metrics/metrics_int.h"

static int add(struct bt_metrics *m, int truth, const float *targets,
               const float *output, struct bt_error *err)
{
	size_t i, best = 0;
	double sum = 0, max;

	(void)targets;
	(void)err;
	for (i = 1; i < m->width; i++)
		if (output[i] > output[best])
			best = i;
	max = (double)output[best];
	for (i = 0; i < m->width; i++)
		sum += exp((double)output[i] - max);
	m->n++;
	m->loss_sum += max + log(sum) - (double)output[truth];
	m->exact_sum += (int)best == truth;
	return BT_OK;
}

static void reset(struct bt_metrics *m)
{
	m->exact_sum = 0;
}

static void summary(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	s->loss = bt_metrics_ratio(m->loss_sum, (double)m->n);
	s->accuracy = bt_metrics_ratio(m->exact_sum, (double)m->n);
	s->perplexity = exp(s->loss);
}

static void report(const struct bt_metrics *m, const struct bt_labels *l,
                   int confusions, struct bt_buf *out)
{
	struct bt_metrics_summary s;

	(void)l;
	(void)confusions;
	bt_metrics_summary(m, &s);
	bt_buf_printf(
	    out, "perplexity %.4f  accuracy %.4f  loss %.4f  (%llu tokens)\n",
	    s.perplexity, s.accuracy, s.loss, (unsigned long long)m->n);
}

static int json(const struct bt_metrics *m, const struct bt_labels *l,
                json_t *o)
{
	(void)m;
	(void)l;
	(void)o;
	return BT_OK;
}

const struct bt_metrics_kind bt_metrics_masked = {
    .name = "masked tokens",
    .bit = BT_METRICS_MASKED,
    .has_rows = true,
    .shown = {{"accuracy", "accuracy"}, {"perplexity", "perplexity"}},
    .reset = reset,
    .add = add,
    .summary = summary,
    .report = report,
    .json = json,
};
