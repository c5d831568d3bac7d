/* SPDX-License-Identifier: MIT */
/* Metrics of predicted numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/json.h"
#include "metrics/metrics_int.h"

/* The mean squared error over the numbers. */
static double loss(const struct bt_metrics *m, int truth, const float *targets,
                   const float *output)
{
	double sum = 0, d;
	size_t i;

	(void)truth;
	for (i = 0; i < m->width; i++) {
		d = (double)output[i] - (double)targets[i];
		sum += d * d;
	}
	return sum / (double)m->width;
}

static int add(struct bt_metrics *m, int truth, const float *targets,
               const float *output, struct bt_error *err)
{
	return bt_metrics_add_row(m, targets, output,
	                          loss(m, truth, targets, output), err);
}

/* Of one number among those that are predicted. */
struct number_metrics {
	double mse, rmse, mae, r2, pearson, spearman, kappa;
	bool is_whole; /* there is a kappa */
};

/* The kappa of the predictions y as scores. */
static double kappa(const struct bt_scores *s, const double *x, const double *y,
                    size_t n)
{
	double truth = 0, guess = 0, squares = 0, distance = 0, t, p;
	size_t i;

	for (i = 0; i < n; i++) {
		t = x[i] - s->least;
		p = bt_scores_of(s, y[i]) - s->least;
		truth += t;
		guess += p;
		squares += t * t + p * p;
		distance += (t - p) * (t - p);
	}
	return bt_metrics_kappa((double)n, truth, guess, squares, distance);
}

/* All of one number; ranks, [2n], is scratch. */
static int measure(const double *x, const double *y, size_t n, double *ranks,
                   struct number_metrics *c)
{
	double mean = 0, spread = 0, sum = 0;
	size_t i;

	memset(c, 0, sizeof(*c));
	if (n == 0)
		return BT_OK;
	for (i = 0; i < n; i++) {
		mean += x[i] / (double)n;
		c->mae += fabs(y[i] - x[i]) / (double)n;
		sum += (y[i] - x[i]) * (y[i] - x[i]);
	}
	for (i = 0; i < n; i++)
		spread += (x[i] - mean) * (x[i] - mean);
	c->mse = sum / (double)n;
	c->rmse = sqrt(c->mse);
	if (bt_metrics_constant(x, n)) /* as r2_score of scikit-learn */
		c->r2 = n < 2 ? NAN : sum > 0 ? 0 : 1;
	else
		c->r2 = 1 - sum / spread;
	c->pearson = bt_metrics_correlation(x, y, n);
	if (bt_metrics_rank(x, n, ranks) != BT_OK ||
	    bt_metrics_rank(y, n, ranks + n) != BT_OK)
		return BT_ENOMEM;
	c->spearman = bt_metrics_correlation(ranks, ranks + n, n);
	return BT_OK;
}

/* The scores that number k becomes; false: it is none. BT_ENOMEM alone. */
static int find_scores(const struct bt_metrics *m, size_t k,
                       struct bt_scores *s, bool *is_whole)
{
	double *x = bt_array((size_t)m->n, sizeof(*x));

	if (x == NULL)
		return BT_ENOMEM;
	bt_metrics_column(m, m->truth, k, x);
	*is_whole = bt_scores_span(s, x, (size_t)m->n);
	free(x);
	return BT_OK;
}

/* BT_ENOMEM alone. */
static int number(const struct bt_metrics *m, size_t k,
                  struct number_metrics *c)
{
	size_t n = (size_t)m->n, all;
	struct bt_scores span;
	double *x = NULL;
	int r = BT_ENOMEM;

	if (bt_size_mul(n, 4, &all))
		x = bt_array(all, sizeof(*x));
	if (x != NULL) {
		bt_metrics_column(m, m->truth, k, x);
		bt_metrics_column(m, m->guess, k, x + n);
		r = measure(x, x + n, n, x + 2 * n, c);
		if (r == BT_OK)
			r = find_scores(m->whole != NULL ? m->whole : m, k,
			                &span, &c->is_whole);
		if (r == BT_OK && c->is_whole)
			c->kappa = kappa(m->scores != NULL ? m->scores : &span,
			                 x, x + n, n);
	}
	free(x);
	return r;
}

static void summary(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	double w = 1 / (double)m->width;
	struct number_metrics c;
	size_t k;

	if (m->n == 0)
		return;
	for (k = 0; k < m->width; k++) {
		if (number(m, k, &c) != BT_OK) {
			s->mse = s->mae = s->rmse = s->r2 = NAN;
			s->pearson = s->spearman = NAN;
			s->quadratic_weighted_kappa = NAN;
			break;
		}
		s->mse += w * c.mse;
		s->mae += w * c.mae;
		s->rmse += w * c.rmse;
		s->r2 += w * c.r2;
		s->pearson += w * c.pearson;
		s->spearman += w * c.spearman;
		s->quadratic_weighted_kappa += w * c.kappa;
		if (!c.is_whole)
			s->lacks |= BT_METRICS_OF_WHOLE;
	}
	s->loss = s->mse;
	s->pearson_spearman = (s->pearson + s->spearman) / 2;
}

static void put_kappa(struct bt_buf *out, const struct bt_metrics_summary *s)
{
	if ((s->lacks & BT_METRICS_OF_WHOLE) == 0)
		bt_buf_printf(out, "quadratic weighted kappa %.4f\n",
		              s->quadratic_weighted_kappa);
}

static void put_line(struct bt_buf *out, const struct bt_labels *l, int k,
                     int width, const struct number_metrics *c)
{
	bt_labels_put(out, l, k, width);
	bt_buf_printf(out, "  %10.6g  %10.6g  %10.6g  %7.4f  %7.4f  %8.4f\n",
	              c->mse, c->rmse, c->mae, c->r2, c->pearson, c->spearman);
}

static void report(const struct bt_metrics *m, const struct bt_labels *l,
                   int confusions, struct bt_buf *out)
{
	struct bt_metrics_summary s;
	struct number_metrics c;
	int width = bt_labels_width(l);
	size_t k;

	(void)confusions;
	bt_metrics_summary(m, &s);
	if (m->kind == &bt_metrics_ranking && !isnan(s.loss))
		bt_buf_printf(out, "loss                 %.6g\n", s.loss);
	if (m->kind == &bt_metrics_ranking &&
	    (s.lacks & BT_METRICS_RANKS) == 0 && !isnan(s.roc_auc))
		bt_buf_printf(out, "ROC AUC %.4f  average precision %.4f\n",
		              s.roc_auc, s.average_precision);
	if (m->width == 1) {
		bt_buf_printf(out,
		              "mean squared error   %.6g\n"
		              "RMSE                 %.6g\n"
		              "mean absolute error  %.6g\n",
		              s.mse, s.rmse, s.mae);
		put_kappa(out, &s);
		bt_buf_printf(out,
		              "R2 %.4f  pearson %.4f  spearman %.4f  (%llu "
		              "examples)\n",
		              s.r2, s.pearson, s.spearman,
		              (unsigned long long)m->n);
		return;
	}
	bt_buf_printf(out,
	              "%-*s         mse        rmse         mae       R2  "
	              "pearson  spearman\n",
	              width, "number");
	for (k = 0; k < m->width; k++) {
		if (number(m, k, &c) != BT_OK)
			out->oom = true;
		else
			put_line(out, l, (int)k, width, &c);
	}
	bt_buf_printf(
	    out, "\n%-*s  %10.6g  %10.6g  %10.6g  %7.4f  %7.4f  %8.4f\n\n",
	    width, "mean", s.mse, s.rmse, s.mae, s.r2, s.pearson, s.spearman);
	put_kappa(out, &s);
	bt_buf_printf(out,
	              "mean columnwise root mean squared error %.6g  (%llu "
	              "examples)\n",
	              s.rmse, (unsigned long long)m->n);
}

static int json(const struct bt_metrics *m, const struct bt_labels *l,
                json_t *o)
{
	json_t *all = json_array(), *x;
	struct number_metrics c;
	int r = BT_OK;
	size_t k;

	for (k = 0; k < m->width && r == BT_OK; k++) {
		r = number(m, k, &c);
		if (r != BT_OK)
			break;
		x = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "number",
		              l->name[k], "mse", bt_json_finite(c.mse), "rmse",
		              bt_json_finite(c.rmse), "mae",
		              bt_json_finite(c.mae), "r2", bt_json_finite(c.r2),
		              "pearson", bt_json_finite(c.pearson), "spearman",
		              bt_json_finite(c.spearman));
		if (c.is_whole)
			json_object_set_new(x, "quadratic_weighted_kappa",
			                    bt_json_finite(c.kappa));
		json_array_append_new(all, x);
	}
	if (m->width > 1)
		json_object_set(o, "numbers", all);
	json_decref(all);
	return r;
}

const struct bt_metrics_kind bt_metrics_regression = {
    .name = "regression",
    .bit = BT_METRICS_REGRESSION,
    .has_rows = true,
    .shown = {{"pearson", "pearson"}, {"spearman", "spearman"}},
    .loss = loss,
    .add = add,
    .summary = summary,
    .report = report,
    .json = json,
};

/* The mean cross entropy of the numbers, as that of the multi-label logits. */
static double ranking_loss(const struct bt_metrics *m, int truth,
                           const float *targets, const float *logits)
{
	double sum = 0, y, z;
	size_t i;

	(void)truth;
	for (i = 0; i < m->width; i++) {
		y = (double)targets[i];
		z = (double)logits[i];
		if (m->output != BT_METRICS_LOGITS) {
			sum -= y * bt_metrics_log(z) +
			       (1 - y) * bt_metrics_log(1 - z);
			continue;
		}
		sum += fmax(z, 0) + log1p(exp(-fabs(z))) - y * z;
	}
	return sum / (double)m->width;
}

/* What is kept are the numbers, not their logits. */
static int add_ranking(struct bt_metrics *m, int truth, const float *targets,
                       const float *logits, struct bt_error *err)
{
	int r = bt_metrics_add_row(
	    m, targets, logits, ranking_loss(m, truth, targets, logits), err);
	float *x;
	size_t i;

	if (r != BT_OK || m->output != BT_METRICS_LOGITS)
		return r;
	x = m->guess + (size_t)(m->n - 1) * m->width;
	for (i = 0; i < m->width; i++)
		x[i] = (float)(1 / (1 + exp(-(double)x[i])));
	return BT_OK;
}

/* ROC AUC and average precision of one number, where each is wanted to be 0 or
 * 1. */
static void rank_bits(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	struct bt_metrics_scored *x = NULL;
	size_t i, n = (size_t)m->n;
	bool bits = m->width == 1;

	for (i = 0; bits && i < n; i++)
		bits = m->truth[i] == 0 || m->truth[i] == 1;
	if (!bits) {
		s->lacks |= BT_METRICS_RANKS;
		return;
	}
	s->roc_auc = s->average_precision = NAN;
	x = bt_array(n, sizeof(*x));
	for (i = 0; x != NULL && i < n; i++)
		x[i] = (struct bt_metrics_scored){m->guess[i], m->truth[i] > 0};
	if (x != NULL)
		bt_metrics_curve(x, n, &s->roc_auc, &s->average_precision);
	free(x);
}

static void sum_ranking(const struct bt_metrics *m,
                        struct bt_metrics_summary *s)
{
	size_t i, n = (size_t)m->n * m->width;
	bool graded = false; /* what is not from 0 to 1 has no cross entropy */

	summary(m, s);
	for (i = 0; i < n; i++)
		graded |= !(m->truth[i] >= 0 && m->truth[i] <= 1);
	s->loss = graded ? NAN : bt_metrics_ratio(m->loss_sum, (double)m->n);
	rank_bits(m, s);
}

const struct bt_metrics_kind bt_metrics_ranking = {
    .name = "ranking",
    .bit = BT_METRICS_RANKING,
    .has_rows = true,
    .shown = {{"average_precision", "average precision"},
              {"roc_auc", "ROC AUC"},
              {"spearman", "spearman"}},
    .loss = ranking_loss,
    .add = add_ranking,
    .summary = sum_ranking,
    .report = report,
    .json = json,
};
