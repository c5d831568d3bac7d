/* SPDX-License-Identifier: MIT */
#include "evaluate/tune_threshold.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "evaluate/fit_scores.h"
#include "format/csv.h"
#include "predict/thresholds.h"

/* Thresholds below are not read. */
#define LEAST 1e-9

/* An example's probability of a label, and whether it has the label. */
struct point {
	double p;
	bool holds;
};

/* Decisions about one label, and those that a threshold would make. */
struct decisions {
	double hits, predicted, support;
};

static double f1(const struct decisions *d)
{
	double all = d->predicted + d->support;

	return all > 0 ? 2 * d->hits / all : 0;
}

static double precision(const struct decisions *d)
{
	return d->predicted > 0 ? d->hits / d->predicted : 0;
}

static double recall(const struct decisions *d)
{
	return d->support > 0 ? d->hits / d->support : 0;
}

/* The larger, the better; 1 or more reaches a goal that there is. */
static double worth(const struct bt_threshold_goal *g,
                    const struct decisions *d)
{
	double a = recall(d), b = precision(d);

	if (g->of == BT_THRESHOLD_F1)
		return f1(d);
	if (g->of == BT_THRESHOLD_RECALL)
		return a >= g->least ? 1 + b : a;
	return b >= g->least ? 1 + a : b;
}

int bt_threshold_goal_read(const char *text, struct bt_threshold_goal *g,
                           struct bt_error *err)
{
	bool of_recall = bt_str_starts(text, "recall=");

	*g = (struct bt_threshold_goal){BT_THRESHOLD_F1, 0};
	if (strcmp(text, "f1") == 0)
		return BT_OK;
	if (strcmp(text, "qwk") == 0) {
		g->of = BT_THRESHOLD_QWK;
		return BT_OK;
	}
	g->of = of_recall ? BT_THRESHOLD_RECALL : BT_THRESHOLD_PRECISION;
	if ((of_recall || bt_str_starts(text, "precision=")) &&
	    bt_parse_f64(strchr(text, '=') + 1, 1e-9, 1, &g->least) == BT_OK)
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "'%.100s' is not f1, recall=X or precision=X with "
	                    "X up to 1, nor qwk",
	                    text);
}

static int by_probability(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	return x->p > y->p ? -1 : x->p < y->p;
}

/* How far .5 is from the thresholds above lo, up to hi. */
static double distance(double lo, double hi, bool two)
{
	if (two ? lo < .5 && .5 <= hi : lo <= .5 && .5 < hi)
		return 0;
	return lo >= .5 ? nextafter(lo - .5, 1) : nextafter(.5 - hi, 1);
}

/* Sets d, which has the support, to the best decisions and x to the threshold.
 * Sorts the points. */
static void tune(struct point *at, size_t n, bool two,
                 const struct bt_threshold_goal *goal, struct decisions *d,
                 char x[32])
{
	struct decisions now = {.support = d->support};
	double best = -1, nearest = 1, far, lo, hi, from = 0, to = 0, value;
	size_t i = 0;

	if (n > 1)
		qsort(at, n, sizeof(*at), by_probability);
	while (i < n) {
		hi = at[i].p;
		for (; i < n && at[i].p == hi; i++) {
			now.predicted++;
			now.hits += at[i].holds;
		}
		lo = i < n ? fmax(at[i].p, LEAST) : LEAST;
		if (lo >= hi)
			continue;
		far = distance(lo, hi, two);
		value = worth(goal, &now);
		if (value < best || (value == best && far >= nearest))
			continue;
		best = value;
		nearest = far;
		from = lo;
		to = hi;
		*d = now;
	}
	snprintf(x, 32, "0.5");
	if (best > 0 && nearest > 0)
		bt_threshold_between(from, to, two, x);
}

int bt_tune_threshold_check(const struct bt_metrics *m,
                            const struct bt_threshold_goal *goal,
                            struct bt_error *err)
{
	bool number =
	    m->kind == &bt_metrics_regression || m->kind == &bt_metrics_ranking;

	if (number && goal->of != BT_THRESHOLD_QWK)
		return bt_error_set(err, BT_EARG,
		                    "the model predicts a number, whose "
		                    "thresholds are tuned for qwk");
	if (number && m->width > 1)
		return bt_error_set(err, BT_EARG,
		                    "the model predicts %zu numbers, and "
		                    "thresholds divide one into scores",
		                    m->width);
	if (number)
		return BT_OK;
	if (goal->of == BT_THRESHOLD_QWK)
		return bt_error_set(err, BT_EARG,
		                    "the model predicts labels: qwk is the "
		                    "goal where numbers become scores");
	if (m->output == BT_METRICS_ANSWERS)
		return bt_error_set(err, BT_EARG,
		                    "thresholds need probabilities, and there "
		                    "are labels alone");
	if (m->kind == &bt_metrics_multilabel || m->classes == 2)
		return BT_OK;
	return bt_error_hint(err, BT_HINT_PREDICT_THRESHOLD,
	                     bt_error_set(err, BT_EARG,
	                                  "the model has %d classes, and a "
	                                  "threshold chooses between two",
	                                  m->classes));
}

static double probability(const struct bt_metrics *m, float output)
{
	return m->output == BT_METRICS_LOGITS ? 1 / (1 + exp(-(double)output))
	                                      : (double)output;
}

/* Probabilities of label k, and the decisions about it as they are. */
static int read_label(const struct bt_metrics *m, size_t k, struct point *at,
                      struct decisions *d, struct bt_error *err)
{
	struct bt_label_metrics of_label;
	struct bt_class_metrics of_class;
	size_t i;

	if (m->classes == 2) {
		bt_metrics_class(m, 1, &of_class);
		*d = (struct decisions){(double)m->hits[1],
		                        (double)of_class.predicted,
		                        (double)of_class.support};
		for (i = 0; i < m->n; i++)
			at[i] =
			    (struct point){(double)m->kept[i], m->is[i] == 1};
		return BT_OK;
	}
	if (bt_metrics_label(m, k, &of_label) != BT_OK)
		return bt_error_nomem(err, "tuning thresholds");
	*d = (struct decisions){(double)of_label.hits,
	                        (double)of_label.predicted,
	                        (double)of_label.support};
	for (i = 0; i < m->n; i++)
		at[i] =
		    (struct point){probability(m, m->guess[i * m->width + k]),
		                   m->truth[i * m->width + k] > 0};
	return BT_OK;
}

static void put_line(struct bt_buf *b, double before, double after,
                     const char *x)
{
	bt_buf_printf(b, "  %9.4f  %8.4f  %9s", before, after, x);
}

static void add(struct decisions *sum, const struct decisions *d)
{
	sum->hits += d->hits;
	sum->predicted += d->predicted;
	sum->support += d->support;
}

/* The rest of a label's line. */
static void put_goal(struct bt_buf *b, const struct bt_threshold_goal *g,
                     const struct decisions *d)
{
	bt_buf_printf(b, "  %7.0f", d->support);
	if (g->of != BT_THRESHOLD_F1)
		bt_buf_printf(b, "  %9.4f  %6.4f%s", precision(d), recall(d),
		              worth(g, d) < 1 ? "  not reached" : "");
	bt_buf_putc(b, '\n');
}

static int tune_labels(const struct bt_metrics *m, const struct bt_labels *l,
                       const struct bt_threshold_goal *goal,
                       struct bt_buf *file, struct bt_buf *report,
                       struct bt_error *err)
{
	struct point *at = bt_array((size_t)m->n, sizeof(*at));
	struct decisions before = {0}, d, all_before = {0}, all = {0};
	double macro_before = 0, macro = 0;
	bool two = m->classes == 2;
	int width = bt_labels_width(l), k, r = BT_OK;
	char x[32];

	if (at == NULL)
		return bt_error_nomem(err, "tuning thresholds");
	bt_buf_printf(
	    report, "%-*s  F1 before  F1 after  threshold  support%s\n", width,
	    "label", goal->of != BT_THRESHOLD_F1 ? "  precision  recall" : "");
	for (k = two; k < l->n && r == BT_OK; k++) {
		r = read_label(m, (size_t)k, at, &before, err);
		d = before;
		if (r == BT_OK)
			tune(at, (size_t)m->n, two, goal, &d, x);
		if (d.support == 0)
			d = before;
		bt_csv_put(file, bt_span(l->name[k]), ',');
		bt_buf_printf(file, ",%s\n", x);
		bt_labels_put(report, l, k, width);
		put_line(report, f1(&before), f1(&d), x);
		put_goal(report, goal, &d);
		add(&all_before, &before);
		add(&all, &d);
		macro_before += f1(&before) / l->n;
		macro += f1(&d) / l->n;
	}
	free(at);
	if (two || r != BT_OK)
		return r;
	bt_buf_printf(report, "\n%-*s", width, "micro F1");
	put_line(report, f1(&all_before), f1(&all), "");
	bt_buf_printf(report, "\n%-*s", width, "macro F1");
	put_line(report, macro_before, macro, "");
	bt_buf_putc(report, '\n');
	return BT_OK;
}

/* Why labels are no scores to tell apart. */
static int no_scores(const double *truth, size_t n, struct bt_error *err)
{
	double least = truth[0], most = truth[0];
	size_t i;

	for (i = 0; i < n; i++) {
		if (truth[i] != floor(truth[i]))
			return bt_error_set(err, BT_EFORMAT,
			                    "the labels are not all whole "
			                    "numbers, as scores are: one is %g",
			                    truth[i]);
		least = fmin(least, truth[i]);
		most = fmax(most, truth[i]);
	}
	if (least < most)
		return bt_error_set(err, BT_EFORMAT,
		                    "the labels from %.0f to %.0f are more "
		                    "than %d scores, or beyond %d",
		                    least, most, BT_SCORES_MOST, BT_SCORE_MOST);
	return bt_error_set(err, BT_EFORMAT,
	                    "all labels are %g, and a threshold divides two "
	                    "scores",
	                    least);
}

/* The examples that become a score. */
static size_t count(const struct bt_scores *s, const double *x, size_t n,
                    double score)
{
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		k += bt_scores_of(s, x[i]) == score;
	return k;
}

static int tune_scores(const struct bt_metrics *m, struct bt_buf *file,
                       struct bt_buf *report, struct bt_error *err)
{
	size_t n = (size_t)m->n, i, all;
	struct bt_scores nearest, fitted;
	struct bt_metrics_summary before;
	double *truth = NULL, *guess, score, kappa;
	char x[32] = "";
	int r;

	if (bt_size_mul(n, 2, &all))
		truth = bt_array(all, sizeof(*truth));
	if (truth == NULL)
		return bt_error_nomem(err, "tuning thresholds");
	guess = truth + n;
	for (i = 0; i < n; i++) {
		truth[i] = (double)m->truth[i];
		guess[i] = (double)m->guess[i];
	}
	if (!bt_scores_span(&nearest, truth, n) || nearest.n == 1) {
		r = no_scores(truth, n, err);
		goto out;
	}
	fitted = nearest;
	r = bt_fit_scores(truth, guess, n, &fitted, &kappa, err);
	if (r != BT_OK)
		goto out;
	bt_buf_printf(report, "score  threshold  support   before    after\n");
	for (i = 0; i < fitted.n; i++) {
		score = fitted.least + (double)i;
		if (i > 0) {
			bt_format_f64(x, sizeof(x), fitted.from[i - 1]);
			bt_buf_printf(file, "%.0f,%s\n", score, x);
		}
		bt_buf_printf(report, "%5.0f  %9s  %7zu  %7zu  %7zu\n", score,
		              x, count(&nearest, truth, n, score),
		              count(&nearest, guess, n, score),
		              count(&fitted, guess, n, score));
	}
	bt_metrics_summary(m, &before);
	bt_buf_printf(
	    report,
	    "\nquadratic weighted kappa  %.4f before (the nearest score), "
	    "%.4f after\n",
	    before.quadratic_weighted_kappa, kappa);
out:
	free(truth);
	return r;
}

int bt_tune_threshold(const struct bt_metrics *m, const struct bt_labels *l,
                      const struct bt_threshold_goal *goal, struct bt_buf *file,
                      struct bt_buf *report, struct bt_error *err)
{
	return goal->of == BT_THRESHOLD_QWK
	           ? tune_scores(m, file, report, err)
	           : tune_labels(m, l, goal, file, report, err);
}

int bt_threshold_bounds(struct bt_metrics *m,
                        const struct bt_answer_form *answer, const char *text,
                        const struct bt_labels *l, const struct bt_log *notes,
                        double **bound, struct bt_error *err)
{
	double *b = bt_array((size_t)l->n, sizeof(*b));
	int i, r;

	m->bound = *bound = b;
	if (b == NULL)
		return bt_error_nomem(err, "reading thresholds");
	r = answer->thresholds(text, l, b, notes, err);
	for (i = 0; r == BT_OK && answer->is_set && i < l->n &&
	            m->output == BT_METRICS_LOGITS;
	     i++)
		b[i] = log(b[i] / (1 - b[i]));
	return r;
}
