/* SPDX-License-Identifier: MIT */
#include "metrics/metrics_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int bt_metrics_init_sums(struct bt_metrics *m, int classes,
                         struct bt_error *err)
{
	size_t k = (size_t)classes, all;

	memset(m, 0, sizeof(*m));
	if (!bt_size_mul(k, 3, &all))
		return bt_error_nomem(err, "counting predictions");
	m->hits = bt_array0(all, sizeof(*m->hits));
	if (m->hits == NULL)
		return bt_error_nomem(err, "counting predictions");
	m->support = m->hits + k;
	m->predicted = m->support + k;
	m->classes = classes;
	return BT_OK;
}

int bt_metrics_init(struct bt_metrics *m, int classes, struct bt_error *err)
{
	size_t k = (size_t)classes, cells;
	int r = bt_metrics_init_sums(m, classes, err);

	if (r != BT_OK)
		return r;
	if (bt_size_mul(k, k, &cells))
		m->count = bt_array0(cells, sizeof(*m->count));
	if (m->count != NULL)
		return BT_OK;
	bt_metrics_clear(m);
	return bt_error_nomem(err, "counting predictions");
}

void bt_metrics_init_number(struct bt_metrics *m, int numbers)
{
	memset(m, 0, sizeof(*m));
	m->number = true;
	m->width = (size_t)numbers;
}

void bt_metrics_init_multi(struct bt_metrics *m, int labels)
{
	memset(m, 0, sizeof(*m));
	m->multi = true;
	m->width = (size_t)labels;
	m->threshold = 0.5;
}

int bt_metrics_init_like(struct bt_metrics *m, const struct bt_metrics *like,
                         struct bt_error *err)
{
	if (like->width == 0)
		return bt_metrics_init_sums(m, like->classes, err);
	memset(m, 0, sizeof(*m));
	m->number = like->number;
	m->multi = like->multi;
	m->width = like->width;
	m->threshold = like->threshold;
	return BT_OK;
}

void bt_metrics_clear(struct bt_metrics *m)
{
	free(m->count);
	free(m->hits);
	free(m->truth);
	free(m->guess);
	memset(m, 0, sizeof(*m));
}

void bt_metrics_reset(struct bt_metrics *m)
{
	size_t k = (size_t)m->classes;

	if (m->count != NULL)
		memset(m->count, 0, k * k * sizeof(*m->count));
	if (m->hits != NULL)
		memset(m->hits, 0, 3 * k * sizeof(*m->hits));
	m->n = 0;
	m->loss_sum = 0;
}

static int likeliest(const struct bt_metrics *m, const float *logits)
{
	int i, best = 0;

	for (i = 1; i < m->classes; i++)
		if (logits[i] > logits[best])
			best = i;
	return best;
}

/* The cross entropy, where best is the likeliest class. */
static double entropy(const struct bt_metrics *m, int truth, int best,
                      const float *logits)
{
	double sum = 0;
	int i;

	for (i = 0; i < m->classes; i++)
		sum += exp((double)logits[i] - (double)logits[best]);
	return log(sum) + (double)logits[best] - (double)logits[truth];
}

void bt_metrics_add(struct bt_metrics *m, int truth, const float *logits)
{
	int best = likeliest(m, logits);

	if (m->count != NULL)
		m->count[(size_t)truth * (size_t)m->classes + (size_t)best]++;
	m->hits[truth] += truth == best;
	m->support[truth]++;
	m->predicted[best]++;
	m->n++;
	m->loss_sum += entropy(m, truth, best, logits);
}

double bt_metrics_loss(const struct bt_metrics *m, int truth,
                       const float *targets, const float *answer)
{
	if (m->width > 0)
		return bt_metrics_loss_each(m, targets, answer);
	return entropy(m, truth, likeliest(m, answer), answer);
}

bool bt_metrics_right(const struct bt_metrics *m, int truth,
                      const float *targets, const float *answer)
{
	if (m->multi)
		return bt_metrics_wrong(m, targets, answer) == 0;
	return !m->number && likeliest(m, answer) == truth;
}

double bt_metrics_ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

void bt_metrics_class(const struct bt_metrics *m, int k,
                      struct bt_class_metrics *c)
{
	double hits = (double)m->hits[k];

	memset(c, 0, sizeof(*c));
	c->support = m->support[k];
	c->predicted = m->predicted[k];
	c->precision = bt_metrics_ratio(hits, (double)c->predicted);
	c->recall = bt_metrics_ratio(hits, (double)c->support);
	c->f1 = bt_metrics_ratio(2 * hits, (double)(c->predicted + c->support));
}

void bt_metrics_summary(const struct bt_metrics *m,
                        struct bt_metrics_summary *s)
{
	double hits = 0, n = (double)m->n, w, present = 0;
	double cross = 0, square_p = 0, square_t = 0;
	struct bt_class_metrics c;
	int k;

	memset(s, 0, sizeof(*s));
	s->of = m->number  ? BT_MEASURED_NUMBERS
	        : m->multi ? BT_MEASURED_LABELS
	                   : BT_MEASURED_CLASSES;
	if (m->number)
		bt_metrics_numbers(m, s);
	if (m->multi)
		bt_metrics_labels(m, s);
	if (m->width > 0)
		return;
	for (k = 0; k < m->classes; k++) {
		bt_metrics_class(m, k, &c);
		hits += (double)m->hits[k];
		cross += (double)c.support * (double)c.predicted;
		square_p += (double)c.predicted * (double)c.predicted;
		square_t += (double)c.support * (double)c.support;
		if (c.support == 0 && c.predicted == 0)
			continue;
		present++;
		w = bt_metrics_ratio((double)c.support, n);
		s->macro_precision += c.precision;
		s->macro_recall += c.recall;
		s->macro_f1 += c.f1;
		s->weighted_precision += w * c.precision;
		s->weighted_recall += w * c.recall;
		s->weighted_f1 += w * c.f1;
	}
	s->macro_precision = bt_metrics_ratio(s->macro_precision, present);
	s->macro_recall = bt_metrics_ratio(s->macro_recall, present);
	s->macro_f1 = bt_metrics_ratio(s->macro_f1, present);
	s->accuracy = bt_metrics_ratio(hits, n);
	s->loss = bt_metrics_ratio(m->loss_sum, n);
	s->mcc = bt_metrics_ratio(hits * n - cross, sqrt(n * n - square_p) *
	                                                sqrt(n * n - square_t));
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
	for (i = 0; i < n && i < (size_t)most; i++)
		bt_buf_printf(out, "%7llu  %s -> %s\n",
		              (unsigned long long)c[i].count,
		              l->name[c[i].truth], l->name[c[i].guess]);
	free(c);
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
		bt_buf_printf(out, "%2d %-*s", i + 1, width - 3, l->name[i]);
		for (j = 0; j < k; j++)
			bt_buf_printf(out, " %6llu",
			              (unsigned long long)m->count[i * k + j]);
		bt_buf_putc(out, '\n');
	}
}

void bt_metrics_report(const struct bt_metrics *m, const struct bt_labels *l,
                       int confusions, struct bt_buf *out)
{
	struct bt_metrics_summary s;
	struct bt_class_metrics c;
	int k, width = bt_labels_width(l);

	if (m->number)
		bt_metrics_report_numbers(m, l, out);
	if (m->multi)
		bt_metrics_report_labels(m, l, out);
	if (m->width > 0)
		return;
	bt_buf_printf(out, "%-*s  precision  recall      f1  support\n", width,
	              "label");
	for (k = 0; k < m->classes; k++) {
		bt_metrics_class(m, k, &c);
		bt_buf_printf(out, "%-*s  %9.4f  %6.4f  %6.4f  %7llu\n", width,
		              l->name[k], c.precision, c.recall, c.f1,
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
	bt_buf_printf(out,
	              "\naccuracy %.4f  loss %.4f  mcc %.4f  (%llu "
	              "examples)\n",
	              s.accuracy, s.loss, s.mcc, (unsigned long long)m->n);
}

static json_t *json_class(const struct bt_metrics *m, int k, const char *name)
{
	struct bt_class_metrics c;

	bt_metrics_class(m, k, &c);
	return json_pack("{s:s, s:f, s:f, s:f, s:I}", "label", name,
	                 "precision", c.precision, "recall", c.recall, "f1",
	                 c.f1, "support", (json_int_t)c.support);
}

/* The classes and the whole confusion matrix. */
static int json_classes(const struct bt_metrics *m, const struct bt_labels *l,
                        json_t *o)
{
	json_t *classes = json_array(), *matrix = json_array(), *row;
	size_t k = (size_t)m->classes, i, j;
	int bad = 0;

	for (i = 0; i < k; i++) {
		bad |= json_array_append_new(classes,
		                             json_class(m, (int)i, l->name[i]));
		row = json_array();
		for (j = 0; j < k; j++)
			bad |= json_array_append_new(
			    row, json_integer((json_int_t)m->count[i * k + j]));
		bad |= json_array_append_new(matrix, row);
	}
	bad |= json_object_set_new(o, "classes", classes);
	bad |= json_object_set_new(o, "confusion", matrix);
	return bad;
}

int bt_metrics_json_summary(const struct bt_metrics *m, json_t *o)
{
	int bad =
	    json_object_set_new(o, "examples", json_integer((json_int_t)m->n));
	struct bt_metrics_summary s;
	const char *name;
	double v;
	size_t i;

	bt_metrics_summary(m, &s);
	for (i = 0; (name = bt_metrics_name(i, &s, &v)) != NULL; i++)
		bad |= json_object_set_new(
		    o, name, isfinite(v) ? json_real(v) : json_null());
	return bad;
}

json_t *bt_metrics_json(const struct bt_metrics *m, const struct bt_labels *l)
{
	json_t *o = json_object();
	int bad = bt_metrics_json_summary(m, o);

	bad |= m->number  ? bt_metrics_json_numbers(m, l, o)
	       : m->multi ? bt_metrics_json_labels(m, l, o)
	                  : json_classes(m, l, o);
	if (bad == 0)
		return o;
	json_decref(o);
	return NULL;
}
