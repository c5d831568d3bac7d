/* SPDX-License-Identifier: MIT */
/* Metrics of multi-label classification. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/json.h"
#include "metrics/metrics_int.h"

static bool is_predicted(const struct bt_metrics *m, size_t k, double logit)
{
	double middle = m->output == BT_METRICS_LOGITS ? 0 : .5;

	return logit > (m->bound != NULL ? m->bound[k] : middle);
}

int bt_metrics_label(const struct bt_metrics *m, size_t k,
                     struct bt_label_metrics *c)
{
	size_t n = (size_t)m->n, i;
	struct bt_metrics_scored *x = bt_array(n, sizeof(*x));

	memset(c, 0, sizeof(*c));
	c->roc_auc = c->average_precision = NAN;
	for (i = 0; x != NULL && i < n; i++) {
		bool hit;

		x[i].score = m->guess[i * m->width + k];
		x[i].holds = m->truth[i * m->width + k] > 0;
		hit = is_predicted(m, k, (double)x[i].score);
		c->support += x[i].holds;
		c->predicted += hit;
		c->hits += x[i].holds && hit;
	}
	if (x != NULL && m->output != BT_METRICS_ANSWERS)
		bt_metrics_curve(x, n, &c->roc_auc, &c->average_precision);
	free(x);
	c->precision = bt_metrics_ratio((double)c->hits, (double)c->predicted);
	c->recall = bt_metrics_ratio((double)c->hits, (double)c->support);
	c->f1 = bt_metrics_ratio(2 * (double)c->hits,
	                         (double)(c->predicted + c->support));
	return x != NULL ? BT_OK : BT_ENOMEM;
}

/* How many of an example's labels are wrong. */
static size_t count_wrong(const struct bt_metrics *m, const float *truth,
                          const float *guess)
{
	size_t k, bad = 0;

	for (k = 0; k < m->width; k++)
		bad += (truth[k] > 0) != is_predicted(m, k, (double)guess[k]);
	return bad;
}

/* The mean binary cross entropy of the labels' logits. */
static double loss(const struct bt_metrics *m, int truth, const float *targets,
                   const float *logits)
{
	double sum = 0, y, z;
	size_t i;

	(void)truth;
	for (i = 0; i < m->width; i++) {
		y = (double)targets[i];
		z = (double)logits[i];
		if (m->output != BT_METRICS_LOGITS) {
			sum -=
			    y > 0 ? bt_metrics_log(z) : bt_metrics_log(1 - z);
			continue;
		}
		sum += fmax(z, 0) + log1p(exp(-fabs(z))) - y * z;
	}
	return sum / (double)m->width;
}

static bool is_right(const struct bt_metrics *m, int truth,
                     const float *targets, const float *logits)
{
	(void)truth;
	return count_wrong(m, targets, logits) == 0;
}

static int add(struct bt_metrics *m, int truth, const float *targets,
               const float *logits, struct bt_error *err)
{
	return bt_metrics_add_row(m, targets, logits,
	                          loss(m, truth, targets, logits), err);
}

/* Examples all of whose labels are right, and labels that are wrong. */
static void sum_wrong(const struct bt_metrics *m, double *right, double *wrong)
{
	size_t i, at, bad;

	*right = *wrong = 0;
	for (i = 0; i < m->n; i++) {
		at = i * m->width;
		bad = count_wrong(m, m->truth + at, m->guess + at);
		*right += bad == 0;
		*wrong += (double)bad;
	}
}

/* The mean over labels of the squared errors of their probabilities. */
static double brier(const struct bt_metrics *m)
{
	size_t i, n = (size_t)m->n * m->width;
	double sum = 0, d;

	for (i = 0; i < n; i++) {
		d = (double)m->guess[i];
		if (m->output == BT_METRICS_LOGITS)
			d = (double)(float)(1 / (1 + exp(-d)));
		d -= (double)m->truth[i];
		sum += d * d;
	}
	return bt_metrics_ratio(sum, (double)n);
}

/* The calibration error of the probability that a label holds, over all labels
 * of all examples. */
static double calibration_error(const struct bt_metrics *m)
{
	size_t i, n = (size_t)m->n * m->width;
	double gap[BT_METRICS_BINS] = {0}, sum = 0, p;

	for (i = 0; i < n; i++) {
		p = (double)m->guess[i];
		if (m->output == BT_METRICS_LOGITS)
			p = (double)(float)(1 / (1 + exp(-p)));
		gap[bt_metrics_bin(p)] += (m->truth[i] > 0) - p;
	}
	for (i = 0; i < BT_METRICS_BINS; i++)
		sum += fabs(gap[i]);
	return bt_metrics_ratio(sum, (double)n);
}

/* Sums over the labels. */
struct sums {
	double hits, predicted, support, areas, weights, precisions;
	size_t n_areas, n_precisions;
};

static void add_label(const struct bt_metrics *m,
                      const struct bt_label_metrics *c, struct sums *t,
                      struct bt_metrics_summary *s)
{
	double w = 1 / (double)m->width, support = (double)c->support;

	t->hits += (double)c->hits;
	t->predicted += (double)c->predicted;
	t->support += support;
	if (!isnan(c->roc_auc)) {
		t->areas += c->roc_auc;
		t->n_areas++;
		s->weighted_roc_auc += support * c->roc_auc;
		t->weights += support;
	}
	if (!isnan(c->average_precision)) {
		t->precisions += c->average_precision;
		t->n_precisions++;
	}
	s->macro_precision += w * c->precision;
	s->macro_recall += w * c->recall;
	s->macro_f1 += w * c->f1;
	s->weighted_precision += support * c->precision;
	s->weighted_recall += support * c->recall;
	s->weighted_f1 += support * c->f1;
}

static void summary(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	struct bt_label_metrics c;
	struct sums t = {0};
	double right, wrong;
	size_t k;

	for (k = 0; k < m->width; k++) {
		(void)!bt_metrics_label(m, k, &c);
		add_label(m, &c, &t, s);
	}
	s->weighted_precision =
	    bt_metrics_ratio(s->weighted_precision, t.support);
	s->weighted_recall = bt_metrics_ratio(s->weighted_recall, t.support);
	s->weighted_f1 = bt_metrics_ratio(s->weighted_f1, t.support);
	s->micro_precision = bt_metrics_ratio(t.hits, t.predicted);
	s->micro_recall = bt_metrics_ratio(t.hits, t.support);
	s->micro_f1 = bt_metrics_ratio(2 * t.hits, t.predicted + t.support);
	s->roc_auc = t.n_areas > 0 ? t.areas / (double)t.n_areas : NAN;
	s->weighted_roc_auc =
	    t.weights > 0 ? s->weighted_roc_auc / t.weights : NAN;
	s->average_precision =
	    t.n_precisions > 0 ? t.precisions / (double)t.n_precisions : NAN;
	s->brier_score = brier(m);
	s->ece = calibration_error(m);
	if (m->output == BT_METRICS_ANSWERS)
		s->lacks |= BT_METRICS_OF_PROBABILITIES | BT_METRICS_RANKS;
	sum_wrong(m, &right, &wrong);
	s->accuracy = bt_metrics_ratio(right, (double)m->n);
	s->hamming_loss =
	    bt_metrics_ratio(wrong, (double)m->n * (double)m->width);
	s->loss = bt_metrics_ratio(m->loss_sum, (double)m->n);
}

static void undefined(const struct bt_metrics *m, const struct bt_labels *l,
                      struct bt_buf *out)
{
	(void)l;
	bt_buf_printf(out,
	              "each label holds for all of the %llu examples or for "
	              "none",
	              (unsigned long long)m->n);
}

static void put_line(struct bt_buf *out, const struct bt_label_metrics *c)
{
	bt_buf_printf(out, "  %9.4f  %6.4f  %6.4f", c->precision, c->recall,
	              c->f1);
	if (isnan(c->roc_auc))
		bt_buf_printf(out, "  %7s", "-");
	else
		bt_buf_printf(out, "  %7.4f", c->roc_auc);
	bt_buf_printf(out, "  %7llu\n", (unsigned long long)c->support);
}

/* The lines behind the table. */
static void report_end(const struct bt_metrics *m,
                       const struct bt_metrics_summary *s,
                       const struct bt_labels *l, struct bt_buf *out)
{
	bool of_probabilities = (s->lacks & BT_METRICS_OF_PROBABILITIES) == 0;

	bt_buf_putc(out, '\n');
	if (of_probabilities && isnan(s->roc_auc)) {
		bt_buf_puts(out, "ROC AUC -: ");
		undefined(m, l, out);
	} else if (of_probabilities) {
		bt_buf_printf(out, "weighted ROC AUC %.4f",
		              s->weighted_roc_auc);
	}
	if (of_probabilities && !isnan(s->average_precision))
		bt_buf_printf(out, "  mean average precision %.4f",
		              s->average_precision);
	if (of_probabilities)
		bt_buf_printf(out,
		              "  Brier score %.4f  calibration error %.4f\n",
		              s->brier_score, s->ece);
	bt_buf_printf(out,
	              "exact match (subset accuracy) %.4f  hamming loss %.4f",
	              s->accuracy, s->hamming_loss);
	if (of_probabilities)
		bt_buf_printf(out, "  loss %.4f", s->loss);
	if (of_probabilities && !isnan(s->roc_auc))
		bt_buf_printf(out, "  mean ROC AUC %.4f", s->roc_auc);
	bt_buf_printf(out, "  (%llu examples)\n", (unsigned long long)m->n);
}

static void report(const struct bt_metrics *m, const struct bt_labels *l,
                   int confusions, struct bt_buf *out)
{
	int width = bt_labels_width(l);
	struct bt_metrics_summary s;
	struct bt_label_metrics c;
	uint64_t support = 0;
	size_t k;

	(void)confusions;
	bt_buf_printf(out,
	              "%-*s  precision  recall      f1  ROC AUC  support\n",
	              width, "label");
	for (k = 0; k < m->width; k++) {
		if (bt_metrics_label(m, k, &c) != BT_OK)
			out->oom = true;
		support += c.support;
		bt_labels_put(out, l, (int)k, width);
		put_line(out, &c);
	}
	bt_metrics_summary(m, &s);
	bt_buf_putc(out, '\n');
	c = (struct bt_label_metrics){s.micro_precision, s.micro_recall,
	                              s.micro_f1, NAN, .support = support};
	bt_buf_printf(out, "%-*s", width, "micro avg");
	put_line(out, &c);
	c = (struct bt_label_metrics){s.macro_precision, s.macro_recall,
	                              s.macro_f1, s.roc_auc,
	                              .support = support};
	bt_buf_printf(out, "%-*s", width, "macro avg");
	put_line(out, &c);
	c = (struct bt_label_metrics){s.weighted_precision, s.weighted_recall,
	                              s.weighted_f1, NAN, .support = support};
	bt_buf_printf(out, "%-*s", width, "weighted avg");
	put_line(out, &c);
	report_end(m, &s, l, out);
}

static int json(const struct bt_metrics *m, const struct bt_labels *l,
                json_t *o)
{
	json_t *all = json_array();
	struct bt_label_metrics c;
	int r = BT_OK;
	size_t k;

	for (k = 0; k < m->width && r == BT_OK; k++) {
		r = bt_metrics_label(m, k, &c);
		json_array_append_new(
		    all,
		    json_pack("{s:s, s:f, s:f, s:f, s:o, s:o, s:I}", "label",
		              l->name[k], "precision", c.precision, "recall",
		              c.recall, "f1", c.f1, "roc_auc",
		              bt_json_finite(c.roc_auc), "average_precision",
		              bt_json_finite(c.average_precision), "support",
		              (json_int_t)c.support));
	}
	json_object_set_new(o, "classes", all);
	return r;
}

const struct bt_metrics_kind bt_metrics_multilabel = {
    .name = "multi-label classification",
    .bit = BT_METRICS_MULTILABEL,
    .has_rows = true,
    .shown = {{"micro_f1", "micro F1"},
              {"macro_f1", "macro F1"},
              {"roc_auc", "ROC AUC"}},
    .loss = loss,
    .is_right = is_right,
    .add = add,
    .summary = summary,
    .report = report,
    .undefined = undefined,
    .json = json,
};
