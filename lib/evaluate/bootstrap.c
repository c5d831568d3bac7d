/* SPDX-License-Identifier: MIT */
#include "evaluate/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/philox.h"

/* Samples are drawn by all threads, each with metrics of its own. */
struct drawing {
	const struct bt_bootstrap_opts *opts;
	const struct bt_metrics *like;
	const struct bt_outputs *o;
	size_t n;             /* examples, or groups */
	size_t *first;        /* [n + 1] of each group in: */
	size_t *member;       /* [o->n] examples; or NULL */
	double *loss;         /* [o->rows], and in place of logits of classes */
	float *p;             /* [o->rows][k] their probabilities; or NULL */
	struct bt_metrics *m; /* [threads] */
	double *value;        /* [metrics][samples] */
	size_t metrics;
	struct bt_error *err; /* [threads] */
};

int bt_bootstrap_check(const struct bt_metrics_kind *kind, struct bt_error *err)
{
	if (kind == &bt_metrics_classification ||
	    kind == &bt_metrics_multilabel || kind == &bt_metrics_regression ||
	    kind == &bt_metrics_ranking || kind == &bt_metrics_tagging ||
	    kind == &bt_metrics_questions)
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "confidence intervals are not available for %s",
	                    kind->name);
}

void bt_bootstrap_clear(struct bt_bootstrap *b)
{
	free(b->interval);
	memset(b, 0, sizeof(*b));
}

static int add_example(const struct drawing *d, struct bt_metrics *m, size_t i,
                       struct bt_error *err)
{
	const struct bt_outputs *o = d->o;
	size_t row = 0, end = 0;
	int r = BT_OK;

	if (d->like->squad != NULL)
		return bt_metrics_pick_answer(m, d->like, i, err);
	bt_outputs_rows(o, i, &row, &end);
	if (m->kind->begin != NULL)
		m->kind->begin(m);
	for (; row < end && r == BT_OK; row++)
		r = bt_metrics_add(
		    m, o->truth[row],
		    o->has_targets ? o->target + row * o->k : NULL,
		    (d->p != NULL ? d->p : o->z) + row * o->k, err);
	return r;
}

/* What takes exponentials is computed once. */
static int prepare(struct drawing *d, struct bt_error *err)
{
	const struct bt_outputs *o = d->o;
	size_t row, at, all;
	const float *t;

	d->loss = bt_array(o->rows, sizeof(*d->loss));
	if (d->loss == NULL)
		return bt_error_nomem(err, "drawing samples");
	for (row = 0; row < o->rows; row++) {
		at = row * o->k;
		t = o->has_targets ? o->target + at : NULL;
		d->loss[row] =
		    d->like->kind->loss(d->like, o->truth[row], t, o->z + at);
	}
	if (d->like->kind != &bt_metrics_classification ||
	    d->like->output != BT_METRICS_LOGITS)
		return BT_OK;
	if (bt_size_mul(o->rows, o->k, &all))
		d->p = bt_array(all, sizeof(*d->p));
	if (d->p == NULL)
		return bt_error_nomem(err, "drawing samples");
	for (row = 0; row < o->rows; row++)
		bt_metrics_probabilities(o->z + row * o->k, (int)o->k,
		                         d->p + row * o->k);
	return BT_OK;
}

/* Metric i of a summary, which is as many as the whole set has. */
static void keep(struct drawing *d, const struct bt_metrics_summary *s,
                 size_t sample)
{
	size_t i;

	for (i = 0; i < d->metrics; i++)
		if (bt_metrics_name(
		        i, s, &d->value[i * d->opts->samples + sample]) == NULL)
			d->value[i * d->opts->samples + sample] = NAN;
}

/* Sorts the examples by group. */
static int sort_groups(struct drawing *d, struct bt_error *err)
{
	const struct bt_outputs *o = d->o;
	size_t i;

	for (i = 0, d->n = 0; i < o->n; i++)
		if (o->group[i] >= d->n)
			d->n = o->group[i] + 1;
	d->first = bt_array0(d->n + 2, sizeof(*d->first));
	d->member = bt_array(o->n, sizeof(*d->member));
	if (d->first == NULL || d->member == NULL)
		return bt_error_nomem(err, "drawing samples");
	for (i = 0; i < o->n; i++)
		d->first[o->group[i] + 2]++;
	for (i = 2; i < d->n + 2; i++)
		d->first[i] += d->first[i - 1];
	for (i = 0; i < o->n; i++)
		d->member[d->first[o->group[i] + 1]++] = i;
	return BT_OK;
}

/* Adds example i, and its loss where that is known. */
static int add(struct drawing *d, int worker, size_t i, double *loss)
{
	int r = add_example(d, &d->m[worker], i, &d->err[worker]);
	size_t row, end;

	if (d->loss == NULL)
		return r;
	bt_outputs_rows(d->o, i, &row, &end);
	for (; row < end; row++)
		*loss += d->loss[row];
	return r;
}

static void draw(void *ctx, int piece, int worker)
{
	struct drawing *d = ctx;
	struct bt_metrics *m = &d->m[worker];
	struct bt_metrics_summary s;
	size_t j, i, k, from = m->keep;
	int r = d->err[worker].code;
	double loss = 0;

	bt_metrics_reset(m);
	for (j = 0; j < d->n && r == BT_OK; j++) {
		i = bt_random_below(d->opts->seed, BT_PURPOSE_RESAMPLE,
		                    (uint32_t)piece, j, d->n);
		if (d->member == NULL)
			r = add(d, worker, i, &loss);
		else
			for (k = d->first[i]; r == BT_OK && k < d->first[i + 1];
			     k++)
				r = add(d, worker, d->member[k], &loss);
	}
	if (d->loss != NULL)
		m->loss_sum = loss;
	m->keep = from;
	if (r != BT_OK)
		return;
	bt_metrics_summary(m, &s);
	keep(d, &s, (size_t)piece);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The percentile of n sorted numbers, as numpy.percentile. */
static double percentile(const double *x, size_t n, double share)
{
	double at = share * (double)(n - 1), low = floor(at);
	size_t i = (size_t)low;

	return i + 1 < n ? x[i] + (at - low) * (x[i + 1] - x[i]) : x[n - 1];
}

/* The interval of metric i, of those samples that have it. */
static void measure(const struct drawing *d, size_t i, struct bt_interval *x)
{
	double *v = d->value + i * d->opts->samples;
	size_t k, n = 0;

	for (k = 0; k < d->opts->samples; k++)
		if (isfinite(v[k]))
			v[n++] = v[k];
	x->lo = x->hi = NAN;
	if (n == 0)
		return;
	qsort(v, n, sizeof(*v), by_value);
	x->lo = percentile(v, n, (1 - BT_BOOTSTRAP_LEVEL) / 2);
	x->hi = percentile(v, n, (1 + BT_BOOTSTRAP_LEVEL) / 2);
}

/* Metrics of the same kind and outputs for each thread. */
static int make_room(struct drawing *d, int threads, bool ranks,
                     struct bt_error *err)
{
	int i, r = BT_OK;
	size_t all;

	d->m = bt_array0((size_t)threads, sizeof(*d->m));
	d->err = bt_array0((size_t)threads, sizeof(*d->err));
	if (bt_size_mul(d->metrics, d->opts->samples, &all))
		d->value = bt_array0(all, sizeof(*d->value));
	if (d->m == NULL || d->err == NULL || d->value == NULL)
		return bt_error_nomem(err, "drawing samples");
	for (i = 0; i < threads && r == BT_OK; i++) {
		r = bt_metrics_init_like(&d->m[i], d->like, err);
		d->m[i].keep = ranks ? d->like->keep : 0;
		d->m[i].rules = d->like->rules;
		if (d->p != NULL)
			d->m[i].output = BT_METRICS_PROBABILITIES;
		if (r == BT_OK)
			r = bt_metrics_name_outputs(&d->m[i], d->opts->labels,
			                            err);
		if (r == BT_OK && d->opts->scheme != NULL)
			r = bt_metrics_set_scheme(&d->m[i], d->opts->scheme,
			                          d->opts->labels, err);
	}
	return r;
}

/* The metrics of the examples themselves. */
static int list(struct bt_bootstrap *b, struct drawing *d,
                struct bt_metrics_summary *s, struct bt_error *err)
{
	double v;

	bt_metrics_summary(d->like, s);
	if (b->unranked)
		s->lacks |= BT_METRICS_RANKS;
	while (bt_metrics_name(d->metrics, s, &v) != NULL)
		d->metrics++;
	b->n_intervals = d->metrics;
	b->interval = bt_array0(d->metrics, sizeof(*b->interval));
	if (b->interval == NULL)
		return bt_error_nomem(err, "drawing samples");
	return BT_OK;
}

int bt_bootstrap(struct bt_bootstrap *b, const struct bt_bootstrap_opts *opts,
                 const struct bt_metrics *m, const struct bt_outputs *o,
                 struct bt_error *err)
{
	struct drawing d = {.opts = opts, .like = m, .o = o};
	struct bt_metrics_summary s;
	struct bt_pool *pool = NULL;
	int i, threads = 0, r;
	size_t k;

	d.n = m->squad != NULL ? (size_t)m->n : o->n;
	if (o->group != NULL && (r = sort_groups(&d, err)) != BT_OK)
		goto out;
	*b = (struct bt_bootstrap){
	    .samples = opts->samples, .n = d.n, .grouped = o->group != NULL};
	b->unranked =
	    m->classes > 2 && m->keep > 0 &&
	    (double)m->classes * (double)o->n * (double)opts->samples >
	        BT_BOOTSTRAP_RANKED;
	r = bt_pool_new(opts->threads, &pool, err);
	if (r == BT_OK) {
		threads = bt_pool_threads(pool);
		r = list(b, &d, &s, err);
	}
	if (r == BT_OK && m->squad == NULL)
		r = prepare(&d, err);
	if (r == BT_OK)
		r = make_room(&d, threads, !b->unranked, err);
	if (r == BT_OK)
		bt_pool_run(pool, draw, &d, (int)opts->samples);
	for (i = 0; i < threads && r == BT_OK; i++)
		if (d.err[i].code != BT_OK)
			r = bt_error_set(err, d.err[i].code, "%s",
			                 d.err[i].text);
	for (k = 0; k < d.metrics && r == BT_OK; k++) {
		b->interval[k].name =
		    bt_metrics_name(k, &s, &b->interval[k].value);
		measure(&d, k, &b->interval[k]);
	}
out:
	for (i = 0; d.m != NULL && i < threads; i++)
		bt_metrics_clear(&d.m[i]);
	free(d.first);
	free(d.member);
	free(d.m);
	free(d.err);
	free(d.value);
	free(d.loss);
	free(d.p);
	bt_pool_free(pool);
	return r;
}

void bt_bootstrap_report(const struct bt_bootstrap *b, struct bt_buf *out)
{
	const struct bt_interval *x;
	size_t i;

	bt_buf_printf(
	    out,
	    "\n%-26s   value    2.5 %%   97.5 %%  (%zu samples of %zu "
	    "%s)\n",
	    "metric", b->samples, b->n, b->grouped ? "groups" : "examples");
	for (i = 0; i < b->n_intervals; i++) {
		x = &b->interval[i];
		if (isnan(x->lo))
			continue;
		bt_buf_printf(out, "%-26s %7.4f  %7.4f  %7.4f\n", x->name,
		              x->value, x->lo, x->hi);
	}
	if (b->unranked)
		bt_buf_puts(out, "without ROC AUC and average precision: too "
		                 "many classes and examples\n");
}

json_t *bt_bootstrap_json(const struct bt_bootstrap *b)
{
	json_t *o = json_object(), *metrics = json_object();
	const struct bt_interval *x;
	size_t i;

	json_object_set_new(o, "level", json_real(BT_BOOTSTRAP_LEVEL));
	json_object_set_new(o, "samples", json_integer((json_int_t)b->samples));
	json_object_set_new(o, b->grouped ? "groups" : "examples",
	                    json_integer((json_int_t)b->n));
	json_object_set_new(o, "metrics", metrics);
	for (i = 0; i < b->n_intervals; i++) {
		x = &b->interval[i];
		json_object_set_new(metrics, x->name,
		                    isnan(x->lo)
		                        ? json_null()
		                        : json_pack("[f, f]", x->lo, x->hi));
	}
	return o;
}
