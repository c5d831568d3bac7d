/* SPDX-License-Identifier: MIT */
/* Metrics of masked tokens: their cross entropy over the vocabulary, its
 * exponential, and how many the model finds; and of next sentences beside them.
 */
#include <math.h>

#include "base/softmax.h"
#include "metrics/metrics_int.h"
#include "record/record.h"

static int add(struct bt_metrics *m, int truth, const float *targets,
               const float *output, struct bt_error *err)
{
	size_t i, best = 0;

	(void)targets;
	(void)err;
	for (i = 1; i < m->width; i++)
		if (output[i] > output[best])
			best = i;
	m->n++;
	m->loss_sum += bt_cross_entropy(output, m->width, 1, (size_t)truth);
	m->exact_sum += (int)best == truth;
	return BT_OK;
}

void bt_metrics_add_next(struct bt_metrics *m, int label, const float logits[2])
{
	int other = 1 - label;
	double behind; /* the other logit's lead */

	if (label == BT_NEXT_UNKNOWN)
		return;
	behind = (double)logits[other] - (double)logits[label];
	m->next_n++;
	m->next_right += behind < 0 || (behind == 0 && label == 0);
	m->next_sum += fmax(behind, 0) + log1p(exp(-fabs(behind)));
}

static void reset(struct bt_metrics *m)
{
	m->exact_sum = m->next_sum = 0;
	m->next_n = m->next_right = 0;
}

static void summary(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	s->loss = bt_metrics_ratio(m->loss_sum, (double)m->n);
	s->accuracy = bt_metrics_ratio(m->exact_sum, (double)m->n);
	s->perplexity = exp(s->loss);
	if (m->next_n == 0)
		s->lacks |= BT_METRICS_OF_NEXT;
	s->loss += bt_metrics_ratio(m->next_sum, (double)m->next_n);
	s->next_accuracy =
	    bt_metrics_ratio((double)m->next_right, (double)m->next_n);
}

static void report(const struct bt_metrics *m,
                   const struct bt_metrics_summary *s, struct bt_buf *out)
{
	bt_buf_printf(out, "perplexity %.4f  accuracy %.4f  ", s->perplexity,
	              s->accuracy);
	if (m->next_n > 0)
		bt_buf_printf(out, "next accuracy %.4f  ", s->next_accuracy);
	bt_buf_printf(out, "loss %.4f  (%llu tokens", s->loss,
	              (unsigned long long)m->n);
	if (m->next_n > 0)
		bt_buf_printf(out, ", %llu pairs",
		              (unsigned long long)m->next_n);
	bt_buf_puts(out, ")\n");
}

const struct bt_metrics_kind bt_metrics_masked = {
    .name = "masked tokens",
    .bit = BT_METRICS_MASKED,
    .has_rows = true,
    .shown = {{"accuracy", "accuracy"},
              {"perplexity", "perplexity"},
              {"next_accuracy", "next accuracy"}},
    .reset = reset,
    .add = add,
    .summary = summary,
    .report_all = report,
};
