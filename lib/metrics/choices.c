/* SPDX-License-Identifier: MIT */
/* Metrics of models that choose one of the choices of a question. */
#include "base/mem.h"
#include "base/softmax.h"
#include "metrics/metrics_int.h"

#define FIRST 3 /* places that the mean average precision looks at */

/* How many of the n scores are not smaller than that of the right choice, y,
 * itself among them: its place, behind others that are equally good. */
static size_t place_of(const float *x, size_t n, size_t y)
{
	size_t i, place = 0;

	for (i = 0; i < n; i++)
		place += !(x[i] < x[y]);
	return place;
}

/* truth is the number of a choice; targets are that of the right one, and how
 * many there are, which come one behind the other. m->rows are the scores of
 * the question so far. */
static int add(struct bt_metrics *m, int truth, const float *targets,
               const float *output, struct bt_error *err)
{
	size_t n = (size_t)targets[1], y = (size_t)targets[0], place;

	if (truth == 0)
		m->rows = 0;
	if (bt_grow(&m->guess, &m->guess_cap, m->rows + 1, sizeof(*m->guess)))
		return bt_error_nomem(err, "keeping scores");
	m->guess[m->rows++] = *output;
	if (m->rows < n)
		return BT_OK;
	place = place_of(m->guess, n, y);
	m->n++;
	m->loss_sum += bt_cross_entropy(m->guess, n, 1, y);
	m->exact_sum += place == 1;
	m->f1_sum += place <= FIRST ? 1 / (double)place : 0;
	return BT_OK;
}

static void reset(struct bt_metrics *m)
{
	m->rows = 0;
	m->exact_sum = m->f1_sum = 0;
}

static void summary(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	double n = (double)m->n;

	s->loss = bt_metrics_ratio(m->loss_sum, n);
	s->accuracy = bt_metrics_ratio(m->exact_sum, n);
	s->map_at_3 = bt_metrics_ratio(m->f1_sum, n);
}

static void report(const struct bt_metrics *m,
                   const struct bt_metrics_summary *s, struct bt_buf *out)
{
	bt_buf_printf(out,
	              "accuracy %.4f  MAP@%d %.4f  loss %.4f  (%llu "
	              "questions)\n",
	              s->accuracy, FIRST, s->map_at_3, s->loss,
	              (unsigned long long)m->n);
}

const struct bt_metrics_kind bt_metrics_choices = {
    .name = "choices",
    .bit = BT_METRICS_CHOICES,
    .has_rows = true,
    .shown = {{"accuracy", "accuracy"}, {"map_at_3", "MAP@3"}},
    .reset = reset,
    .add = add,
    .summary = summary,
    .report_all = report,
};
