/* SPDX-License-Identifier: MIT */
/* Metrics of answers by their tokens, window by window. */
#include <math.h>

#include "base/softmax.h"
#include "metrics/metrics_int.h"

#define LONGEST 30 /* tokens of a predicted answer, as published */

struct span {
	size_t first, last;
};

/* The best answer: the first one among equals. */
static struct span choose(const float *logits, size_t tokens)
{
	struct span best = {0, 0};
	double most = -INFINITY, sum;
	size_t i, k;

	for (i = 0; i < tokens; i++)
		for (k = i; k < tokens && k < i + LONGEST; k++) {
			sum = (double)logits[2 * i] + (double)logits[2 * k + 1];
			if (sum > most) {
				most = sum;
				best = (struct span){i, k};
			}
		}
	return best;
}

/* 2 * tokens of both / (tokens of one + tokens of the other). */
static double overlap(struct span a, struct span b)
{
	size_t first = a.first > b.first ? a.first : b.first;
	size_t last = a.last < b.last ? a.last : b.last;
	size_t both = last < first ? 0 : last - first + 1;

	return 2 * (double)both /
	       (double)(a.last - a.first + b.last - b.first + 2);
}

static void add_span(struct bt_metrics *m, const float *targets,
                     const float *logits, size_t tokens)
{
	struct span truth = {(size_t)targets[0], (size_t)targets[1]};
	struct span guess = choose(logits, tokens);

	m->n++;
	m->loss_sum += (bt_cross_entropy(logits, tokens, 2, truth.first) +
	                bt_cross_entropy(logits + 1, tokens, 2, truth.last)) /
	               2;
	m->exact_sum += guess.first == truth.first && guess.last == truth.last;
	m->f1_sum += overlap(guess, truth);
}

static void reset(struct bt_metrics *m)
{
	m->exact_sum = m->f1_sum = 0;
}

static void summary(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	s->loss = bt_metrics_ratio(m->loss_sum, (double)m->n);
	s->exact_match = bt_metrics_ratio(m->exact_sum, (double)m->n);
	s->f1 = bt_metrics_ratio(m->f1_sum, (double)m->n);
}

static void report(const struct bt_metrics *m,
                   const struct bt_metrics_summary *s, struct bt_buf *out)
{
	bt_buf_printf(out,
	              "exact match %.4f  F1 %.4f  loss %.4f  (%llu windows)\n",
	              s->exact_match, s->f1, s->loss, (unsigned long long)m->n);
}

const struct bt_metrics_kind bt_metrics_spans = {
    .name = "answers",
    .bit = BT_METRICS_SPANS,
    .has_rows = true,
    .shown = {{"exact_match", "exact match"}, {"f1", "F1"}},
    .reset = reset,
    .add_span = add_span,
    .summary = summary,
    .report_all = report,
};
