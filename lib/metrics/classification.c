/* SPDX-License-Identifier: MIT */
/* Metrics where every example has one class. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/softmax.h"
#include "format/json.h"
#include "metrics/metrics_int.h"

int bt_metrics_predicted(const float *logits, int classes, const double *bound)
{
	int i, best = 0;
	double e, p;

	for (i = 1; i < classes; i++)
		if (logits[i] > logits[best])
			best = i;
	if (bound == NULL)
		return best;
	i = isfinite(bound[1]);
	e = exp((double)logits[1 - best] - (double)logits[best]);
	p = (i == best ? 1 : e) / (1 + e);
	return (float)p >= (float)bound[i] ? i : 1 - i;
}

/* The class that outputs predict. */
static int predicted(const struct bt_metrics *m, const float *output)
{
	int i;

	if (m->output == BT_METRICS_LOGITS || m->bound == NULL)
		return bt_metrics_predicted(output, m->classes, m->bound);
	i = isfinite(m->bound[1]);
	return output[i] >= (float)m->bound[i] ? i : 1 - i;
}

static double loss(const struct bt_metrics *m, int truth, const float *targets,
                   const float *logits)
{
	(void)targets;
	if (m->output != BT_METRICS_LOGITS)
		return -bt_metrics_log((double)logits[truth]);
	return bt_cross_entropy(logits, (size_t)m->classes, 1, (size_t)truth);
}

static bool is_right(const struct bt_metrics *m, int truth,
                     const float *targets, const float *logits)
{
	(void)targets;
	return predicted(m, logits) == truth;
}

static int add(struct bt_metrics *m, int truth, const float *targets,
               const float *logits, struct bt_error *err)
{
	int best = predicted(m, logits);
	double d = truth - best;

	(void)targets;
	if (m->count != NULL)
		m->count[(size_t)truth * (size_t)m->classes + (size_t)best]++;
	m->hits[truth] += truth == best;
	m->support[truth]++;
	m->predicted[best]++;
	m->sums.distance += d * d;
	m->loss_sum += loss(m, truth, NULL, logits);
	bt_metrics_softmax(m, logits);
	return bt_metrics_add_probabilities(m, truth, err);
}

void bt_metrics_class(const struct bt_metrics *m, int k,
                      struct bt_class_metrics *c)
{
	*c = bt_metrics_rates(m->hits[k], m->predicted[k], m->support[k]);
}

static double kappa(const struct bt_metrics *m)
{
	double t = 0, p = 0, squares = 0, k;
	int i;

	for (i = 0; i < m->classes; i++) {
		k = i;
		t += k * (double)m->support[i];
		p += k * (double)m->predicted[i];
		squares +=
		    k * k * ((double)m->support[i] + (double)m->predicted[i]);
	}
	return bt_metrics_kappa((double)m->n, t, p, squares, m->sums.distance);
}

static void summary(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	double hits = 0, n = (double)m->n;
	double cross = 0, square_p = 0, square_t = 0;
	struct bt_class_metrics c;
	uint64_t most = 0;
	int k, present = 0;

	for (k = 0; k < m->classes; k++) {
		bt_metrics_class(m, k, &c);
		s->predicted += c.predicted > 0;
		if (c.support > most) {
			most = c.support;
			s->commonest = k;
		}
		hits += (double)m->hits[k];
		cross += (double)c.support * (double)c.predicted;
		square_p += (double)c.predicted * (double)c.predicted;
		square_t += (double)c.support * (double)c.support;
		present += bt_metrics_average_add(&c, n, s);
		s->precision = c.precision; /* of two classes, the second's */
		s->recall = c.recall;
		s->f1 = c.f1;
	}
	bt_metrics_average_end(present, s);
	s->commonest_share = bt_metrics_ratio((double)most, n);
	s->accuracy = bt_metrics_ratio(hits, n);
	s->loss = bt_metrics_ratio(m->loss_sum, n);
	s->mcc = bt_metrics_ratio(hits * n - cross, sqrt(n * n - square_p) *
	                                                sqrt(n * n - square_t));
	s->quadratic_weighted_kappa = kappa(m);
	bt_metrics_sum_probabilities(m, s);
}

struct confusion {
	uint64_t count;
	int truth, guess;
};

static int by_count(const void *a, const void *b)
{
	const struct confusion *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->truth != y->truth)
		return x->truth - y->truth;
	return x->guess - y->guess;
}

static void report_confusions(const struct bt_metrics *m,
                              const struct bt_labels *l, int most,
                              struct bt_buf *out)
{
	size_t k = (size_t)m->classes, i, n = 0;
	struct confusion *c = bt_array(k * k, sizeof(*c));

	if (c == NULL) {
		out->oom = true;
		return;
	}
	for (i = 0; i < k * k; i++)
		if (m->count[i] > 0 && i / k != i % k) {
			c[n].count = m->count[i];
			c[n].truth = (int)(i / k);
			c[n++].guess = (int)(i % k);
		}
	if (n > 1)
		qsort(c, n, sizeof(*c), by_count);
	if (n > 0 && most > 0)
		bt_buf_puts(out, "\nmost often taken for another:\n");
	for (i = 0; i < n && i < (size_t)most; i++) {
		bt_buf_printf(out, "%7llu  ", (unsigned long long)c[i].count);
		bt_labels_put(out, l, c[i].truth, 0);
		bt_buf_puts(out, " -> ");
		bt_labels_put(out, l, c[i].guess, 0);
		bt_buf_putc(out, '\n');
	}
	free(c);
}

#define NAMES_MOST 10 /* of classes that are never predicted */

static void report_unpredicted(const struct bt_metrics *m,
                               const struct bt_labels *l, struct bt_buf *out)
{
	int k, n = 0;

	for (k = 0; k < m->classes; k++) {
		if (m->predicted[k] > 0 || m->support[k] == 0 ||
		    n++ >= NAMES_MOST)
			continue;
		bt_buf_puts(out, n == 1 ? "\nnever predicted: " : ", ");
		bt_labels_put(out, l, k, 0);
	}
	if (n > NAMES_MOST)
		bt_buf_printf(out, ", ... %d more", n - NAMES_MOST);
	bt_buf_puts(out, n > 0 ? "\n" : "");
}

static void report_probabilities(const struct bt_metrics *m,
                                 const struct bt_metrics_summary *s,
                                 const struct bt_labels *l, struct bt_buf *out)
{
	bool numbers =
	    bt_labels_are_numbers(l) && !isnan(s->quadratic_weighted_kappa);
	int i;

	bt_buf_putc(out, '\n');
	if ((s->lacks & BT_METRICS_OF_PROBABILITIES) != 0) {
		if (numbers)
			bt_buf_printf(out, "quadratic weighted kappa %.4f\n",
			              s->quadratic_weighted_kappa);
		return;
	}
	if ((s->lacks & BT_METRICS_RANKS) == 0) {
		if (isnan(s->roc_auc)) {
			bt_buf_puts(out, "ROC AUC -: ");
			m->kind->undefined(m, l, out);
		} else {
			bt_buf_printf(out, "ROC AUC %.4f", s->roc_auc);
		}
		if (!isnan(s->roc_auc) && m->classes > 2) {
			bt_buf_printf(out,
			              " (one-vs-rest, macro; weighted %.4f)",
			              s->weighted_roc_auc);
		} else if (!isnan(s->roc_auc)) {
			bt_buf_puts(out, " (positive: ");
			bt_labels_put(out, l, m->classes - 1, 0);
			bt_buf_putc(out, ')');
		}
		if (!isnan(s->average_precision))
			bt_buf_printf(out, "  average precision %.4f",
			              s->average_precision);
		bt_buf_putc(out, '\n');
	}
	bt_buf_printf(out, "Brier score %.4f  calibration error %.4f",
	              s->brier_score, s->ece);
	if (numbers)
		bt_buf_printf(out, "  quadratic weighted kappa %.4f",
		              s->quadratic_weighted_kappa);
	for (i = 0; i < BT_METRICS_TOPS && bt_metrics_top[i] < m->classes; i++)
		bt_buf_printf(out, "  top-%d %.4f", bt_metrics_top[i],
		              s->top[i]);
	bt_buf_putc(out, '\n');
}

#define MATRIX_MOST 16 /* classes whose matrix still fits a page */

/* Rows are the truth, columns the prediction, both in the order above. */
static void report_matrix(const struct bt_metrics *m, const struct bt_labels *l,
                          int width, struct bt_buf *out)
{
	int i, j, k = m->classes;

	bt_buf_printf(out, "\n%-*s", width, "truth \\ predicted");
	for (j = 0; j < k; j++)
		bt_buf_printf(out, " %6d", j + 1);
	bt_buf_putc(out, '\n');
	for (i = 0; i < k; i++) {
		bt_buf_printf(out, "%2d ", i + 1);
		bt_labels_put(out, l, i, width - 3);
		for (j = 0; j < k; j++)
			bt_buf_printf(out, " %6llu",
			              (unsigned long long)m->count[i * k + j]);
		bt_buf_putc(out, '\n');
	}
}

static void report(const struct bt_metrics *m, const struct bt_labels *l,
                   int confusions, struct bt_buf *out)
{
	struct bt_metrics_summary s;
	struct bt_class_metrics c;
	int k, width = bt_labels_width(l);

	bt_buf_printf(out, "%-*s  precision  recall      f1  support\n", width,
	              "label");
	for (k = 0; k < m->classes; k++) {
		bt_metrics_class(m, k, &c);
		bt_labels_put(out, l, k, width);
		bt_buf_printf(out, "  %9.4f  %6.4f  %6.4f  %7llu\n",
		              c.precision, c.recall, c.f1,
		              (unsigned long long)c.support);
	}
	bt_metrics_summary(m, &s);
	bt_buf_printf(out, "\n%-*s  %9.4f  %6.4f  %6.4f  %7llu\n", width,
	              "macro avg", s.macro_precision, s.macro_recall,
	              s.macro_f1, (unsigned long long)m->n);
	bt_buf_printf(out, "%-*s  %9.4f  %6.4f  %6.4f  %7llu\n", width,
	              "weighted avg", s.weighted_precision, s.weighted_recall,
	              s.weighted_f1, (unsigned long long)m->n);
	if (m->classes <= MATRIX_MOST)
		report_matrix(m, l, width + 3 > 17 ? width + 3 : 17, out);
	report_confusions(m, l, confusions, out);
	report_unpredicted(m, l, out);
	report_probabilities(m, &s, l, out);
	bt_buf_printf(out, "accuracy %.4f", s.accuracy);
	if ((s.lacks & BT_METRICS_OF_PROBABILITIES) == 0)
		bt_buf_printf(out, "  loss %.4f", s.loss);
	bt_buf_printf(out, "  mcc %.4f  (%llu examples)\n", s.mcc,
	              (unsigned long long)m->n);
}

static void undefined(const struct bt_metrics *m, const struct bt_labels *l,
                      struct bt_buf *out)
{
	int k = 0;

	while (k < m->classes - 1 && m->support[k] == 0)
		k++;
	bt_buf_printf(out, "all %llu examples have the label '",
	              (unsigned long long)m->n);
	bt_labels_put(out, l, k, 0);
	bt_buf_putc(out, '\'');
}

/* The classes and the whole confusion matrix. */
static int json(const struct bt_metrics *m, const struct bt_labels *l,
                json_t *o)
{
	json_t *classes = json_array(), *matrix = json_array(), *row;
	size_t k = (size_t)m->classes, i, j;
	struct bt_class_metrics c;
	double area, precision;
	int r = BT_OK;
	json_t *x;

	for (i = 0; i < k && r == BT_OK; i++) {
		bt_metrics_class(m, (int)i, &c);
		x = json_pack("{s:s, s:f, s:f, s:f, s:I}", "label", l->name[i],
		              "precision", c.precision, "recall", c.recall,
		              "f1", c.f1, "support", (json_int_t)c.support);
		json_array_append_new(classes, x);
		if (m->keep > 0 && k > 2) {
			r = bt_metrics_class_curve(m, (int)i, &area,
			                           &precision);
			json_object_set_new(x, "roc_auc", bt_json_finite(area));
			json_object_set_new(x, "average_precision",
			                    bt_json_finite(precision));
		}
		row = json_array();
		for (j = 0; j < k; j++)
			json_array_append_new(
			    row, json_integer((json_int_t)m->count[i * k + j]));
		json_array_append_new(matrix, row);
	}
	json_object_set_new(o, "classes", classes);
	json_object_set_new(o, "confusion", matrix);
	return r == BT_OK ? bt_metrics_json_curves(m, o) : r;
}

const struct bt_metrics_kind bt_metrics_classification = {
    .name = "classification",
    .bit = BT_METRICS_CLASSIFICATION,
    .shown = {{"accuracy", "accuracy"}, {"weighted_f1", "weighted F1"}},
    .loss = loss,
    .is_right = is_right,
    .add = add,
    .summary = summary,
    .report = report,
    .undefined = undefined,
    .json = json,
};
