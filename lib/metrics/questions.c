/* SPDX-License-Identifier: MIT */
/* Metrics where questions are answered (metrics/squad.h). */
#include <math.h>
#include <string.h>

#include "metrics/metrics_int.h"

static int name_outputs(struct bt_metrics *m, const struct bt_labels *l,
                        struct bt_error *err)
{
	(void)l;
	(void)err;
	bt_squad_free(m->squad);
	m->squad = bt_squad_new(m->rules);
	return BT_OK;
}

static void reset(struct bt_metrics *m)
{
	bt_squad_reset(m->squad);
}

static void clear(struct bt_metrics *m)
{
	bt_squad_free(m->squad);
}

int bt_metrics_add_answer(struct bt_metrics *m, const struct bt_span *reference,
                          size_t n, const struct bt_squad_answer *answer,
                          struct bt_error *err)
{
	m->n++;
	return bt_squad_add(m->squad, reference, n, answer, err);
}

int bt_metrics_pick_answer(struct bt_metrics *m, const struct bt_metrics *from,
                           size_t i, struct bt_error *err)
{
	m->n++;
	m->loss_sum = NAN; /* that of windows, not of answers */
	return bt_squad_pick(m->squad, from->squad, i) == BT_OK
	           ? BT_OK
	           : bt_error_nomem(err, "drawing samples");
}

static void summary(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	struct bt_squad_sum sum;

	if (m->output == BT_METRICS_ANSWERS)
		s->lacks = BT_METRICS_OF_PROBABILITIES;
	if (bt_squad_sum_up(m->squad, &sum) != BT_OK)
		return;
	s->loss = bt_metrics_ratio(m->loss_sum, (double)m->n);
	s->exact_match = sum.all.exact;
	s->f1 = sum.all.f1;
	s->has_answer_exact_match = sum.has_answer.exact;
	s->has_answer_f1 = sum.has_answer.f1;
	s->no_answer_exact_match = sum.no_answer.exact;
	s->no_answer_f1 = sum.no_answer.f1;
	s->best_exact_match = sum.exact.mean;
	s->best_f1 = sum.f1.mean;
	s->exact_match_average_precision = sum.exact.average_precision;
	s->f1_average_precision = sum.f1.average_precision;
	s->oracle_average_precision = sum.oracle.average_precision;
}

static void put_row(struct bt_buf *out, const char *name,
                    const struct bt_squad_mean *mean)
{
	if (mean->n > 0)
		bt_buf_printf(out, "%-12s %11.4f  %6.4f  %9llu\n", name,
		              mean->exact, mean->f1,
		              (unsigned long long)mean->n);
}

static void put_best(struct bt_buf *out, const struct bt_squad_sum *sum)
{
	bt_buf_printf(out,
	              "\nbest exact match %.4f with null odds up to %.9g, best "
	              "F1 %.4f up to %.9g\n",
	              sum->exact.mean, sum->exact.threshold, sum->f1.mean,
	              sum->f1.threshold);
	if (!isnan(sum->oracle.average_precision))
		bt_buf_printf(out,
		              "average precision %.4f of exact match, %.4f of "
		              "F1, %.4f at most\n",
		              sum->exact.average_precision,
		              sum->f1.average_precision,
		              sum->oracle.average_precision);
}

static void report(const struct bt_metrics *m, const struct bt_labels *l,
                   int confusions, struct bt_buf *out)
{
	struct bt_squad_sum sum;

	(void)l;
	(void)confusions;
	if (bt_squad_sum_up(m->squad, &sum) != BT_OK) {
		out->oom = true;
		return;
	}
	bt_buf_printf(out, "%-12s exact match      f1  questions\n", "");
	if (sum.version_2) {
		put_row(out, "has answer", &sum.has_answer);
		put_row(out, "no answer", &sum.no_answer);
	}
	put_row(out, "all", &sum.all);
	if (!isnan(sum.exact.mean))
		put_best(out, &sum);
	if (m->output != BT_METRICS_ANSWERS)
		bt_buf_printf(out, "\nloss %.4f\n",
		              bt_metrics_ratio(m->loss_sum, (double)m->n));
}

static void undefined(const struct bt_metrics *m, const struct bt_labels *l,
                      struct bt_buf *out)
{
	struct bt_squad_sum sum;
	const char *why[3] = {NULL};
	size_t i, n = 0;

	(void)l;
	if (bt_squad_sum_up(m->squad, &sum) != BT_OK)
		return;
	if (sum.no_answer.n == 0)
		why[n++] = "every question has an answer";
	if (sum.has_answer.n == 0)
		why[n++] = "no question has an answer";
	if (isnan(sum.exact.mean))
		why[n++] = "null odds are not given";
	for (i = 0; i < n; i++)
		bt_buf_printf(out, "%s%s", i > 0 ? ", " : "", why[i]);
}

static int json(const struct bt_metrics *m, const struct bt_labels *l,
                json_t *o)
{
	struct bt_squad_sum sum;

	(void)l;
	if (bt_squad_sum_up(m->squad, &sum) != BT_OK)
		return BT_ENOMEM;
	if (!isnan(sum.exact.mean)) {
		json_object_set_new(o, "exact_match_threshold",
		                    json_real(sum.exact.threshold));
		json_object_set_new(o, "f1_threshold",
		                    json_real(sum.f1.threshold));
	}
	json_object_set_new(o, "has_answer",
	                    json_integer((json_int_t)sum.has_answer.n));
	return json_object_set_new(o, "no_answer",
	                           json_integer((json_int_t)sum.no_answer.n));
}

const struct bt_metrics_kind bt_metrics_questions = {
    .name = "question answering",
    .bit = BT_METRICS_QUESTIONS,
    .shown = {{"exact_match", "exact match"}, {"f1", "F1"}},
    .name_outputs = name_outputs,
    .reset = reset,
    .clear = clear,
    .summary = summary,
    .report = report,
    .undefined = undefined,
    .json = json,
};
