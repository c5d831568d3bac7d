/* SPDX-License-Identifier: MIT */
/* Mean and comparison of streams that are read side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tensorstream/aligned.h"

/* The tensor of side k that goes with a of the first. */
static const struct bt_tensor *of_side(const struct bt_aligned *t, size_t k,
                                       const struct bt_tensor *a)
{
	return bt_frame_find(&t->side[k].f, a->name);
}

/* v[n] -> softmax(v). */
static void softmax(double *v, size_t n)
{
	double max = -INFINITY, sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		max = v[i] > max || isnan(v[i]) ? v[i] : max;
	for (i = 0; i < n; i++)
		sum += v[i] = exp(v[i] - max);
	for (i = 0; i < n; i++)
		v[i] /= sum;
}

/* Each v by itself. */
static void sigmoid(double *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		v[i] = 1 / (1 + exp(-v[i]));
}

static void store(void *p, size_t i, double v, bool wide)
{
	float f = (float)v;

	if (wide)
		memcpy((char *)p + i * sizeof(v), &v, sizeof(v));
	else
		memcpy((char *)p + i * sizeof(f), &f, sizeof(f));
}

/* One row of all sides into sum[cols]; v[cols] is scratch. */
static int mean_row(const struct bt_aligned *t, const struct bt_tensor *a,
                    size_t row, const struct bt_mean_opts *o, bool is_logits,
                    double *sum, double *v, struct bt_error *err)
{
	size_t cols = bt_frame_row_count(&t->side[0].f, a), k, i;
	double all = 0, w;
	int r;

	memset(sum, 0, cols * sizeof(*sum));
	for (k = 0; k < t->n_sides; k++) {
		r = bt_tensor_to_f64(of_side(t, k, a),
		                     (t->side[k].at + row) * cols, cols, v,
		                     err);
		if (r != BT_OK)
			return r;
		if (is_logits && o->sigmoid)
			sigmoid(v, cols);
		else if (is_logits)
			softmax(v, cols);
		w = o->weights != NULL ? o->weights[k] : 1;
		all += w;
		for (i = 0; w > 0 && i < cols; i++)
			sum[i] += w * v[i]; /* nothing of infinity is NaN */
	}
	for (i = 0; i < cols; i++)
		sum[i] /= all;
	return BT_OK;
}

/* What is no real number: the first side's, if all have the same. */
static int same_rows(const struct bt_aligned *t, const struct bt_tensor *a,
                     struct bt_frame_builder *m, const int64_t *shape,
                     struct bt_error *err)
{
	const struct bt_side *s = t->side;
	size_t bytes = bt_frame_row_bytes(&s->f, a), k;
	const char *from = (const char *)a->data + s->at * bytes;
	const struct bt_tensor *b;
	void *p;
	int r;

	for (k = 1; k < t->n_sides; k++) {
		b = of_side(t, k, a);
		if (b->dtype != a->dtype ||
		    (bytes > 0 && t->n > 0 &&
		     memcmp((const char *)b->data + t->side[k].at * bytes, from,
		            t->n * bytes) != 0))
			return bt_error_set(err, BT_EFORMAT,
			                    "%s differs from %s: tensor "
			                    "'%.100s', whole numbers that "
			                    "have no mean, is not equal",
			                    bt_ts_reader_name(t->side[k].in),
			                    bt_ts_reader_name(s->in), a->name);
	}
	r = bt_frame_builder_add(m, a->name, a->dtype, a->rank, shape, &p, err);
	if (r == BT_OK && bytes > 0 && t->n > 0)
		memcpy(p, from, t->n * bytes);
	return r;
}

static bool is_float(enum bt_dtype d)
{
	return d == BT_DTYPE_F32 || d == BT_DTYPE_F64 || d == BT_DTYPE_F16 ||
	       d == BT_DTYPE_BF16;
}

static int mean_rows(const struct bt_aligned *t, const struct bt_tensor *a,
                     const struct bt_mean_opts *o, struct bt_frame_builder *m,
                     const int64_t *shape, struct bt_error *err)
{
	bool logits =
	    (o->softmax || o->sigmoid) && strcmp(a->name, BT_FRAME_LOGITS) == 0;
	size_t cols = bt_frame_row_count(&t->side[0].f, a), row, i, k;
	double *sum = bt_array(2 * cols + 1, sizeof(*sum));
	bool wide = false;
	void *p;
	int r;

	if (sum == NULL)
		return bt_error_nomem(err, "taking a mean");
	for (k = 0; k < t->n_sides; k++)
		wide = wide || of_side(t, k, a)->dtype == BT_DTYPE_F64;
	r = bt_frame_builder_add(m, logits ? BT_FRAME_PROBABILITIES : a->name,
	                         wide ? BT_DTYPE_F64 : BT_DTYPE_F32, a->rank,
	                         shape, &p, err);
	for (row = 0; row < t->n && r == BT_OK; row++) {
		r = mean_row(t, a, row, o, logits, sum, sum + cols, err);
		for (i = 0; i < cols && r == BT_OK; i++)
			store(p, row * cols + i, sum[i], wide);
	}
	free(sum);
	return r;
}

/* Whether f holds logits of the kind that o makes probabilities of. */
static int check_logits(const struct bt_frame *f, const struct bt_mean_opts *o,
                        struct bt_error *err)
{
	const char *problem = bt_frame_note(f, BT_FRAME_PROBLEM);
	bool ranks = bt_str_is(problem, BT_FRAME_RANKING);
	bool many = bt_str_is(problem, BT_FRAME_MULTI);

	if (bt_frame_find(f, BT_FRAME_LOGITS) == NULL)
		return bt_error_set(
		    err, BT_EFORMAT,
		    "it lacks tensor 'logits' to take the %s of",
		    o->softmax ? "softmax" : "sigmoid");
	if (bt_str_is(problem, BT_FRAME_NUMBERS))
		return bt_error_set(err, BT_EFORMAT,
		                    "it holds the numbers that a model "
		                    "predicts, which have no probabilities");
	if (o->softmax && (many || ranks))
		return bt_error_hint(
		    err, BT_HINT_TENSOR_SIGMOID,
		    bt_error_set(err, BT_EFORMAT, "it holds logits of a %s",
		                 ranks ? "reranker" : "multi-label model"));
	if (o->sigmoid && !many && !ranks &&
	    bt_frame_note(f, BT_FRAME_LABELS) != NULL)
		return bt_error_hint(
		    err, BT_HINT_TENSOR_SOFTMAX,
		    bt_error_set(err, BT_EFORMAT,
		                 "it holds logits of a model that chooses one "
		                 "class"));
	return BT_OK;
}

int bt_aligned_mean(const struct bt_aligned *t, const struct bt_mean_opts *o,
                    struct bt_frame_builder *m, struct bt_frame *f,
                    struct bt_error *err)
{
	const struct bt_frame *first = &t->side[0].f;
	int64_t shape[BT_TENSOR_MAX_RANK];
	const struct bt_tensor *a;
	size_t i, k;
	int r = BT_OK;

	bt_frame_builder_reset(m);
	if (o->softmax || o->sigmoid)
		for (k = 0; k < t->n_sides; k++)
			if (check_logits(&t->side[k].f, o, err) != BT_OK)
				return bt_ts_reader_prefix(t->side[k].in, err);
	if (first->id != NULL)
		r = bt_frame_builder_ids(m, first, t->side[0].at, t->n, err);
	for (i = 0; i < first->s.count && r == BT_OK; i++) {
		a = &first->s.tensors[i];
		if (!bt_frame_is_value(first, a))
			continue;
		if (a->rank > 0)
			memcpy(shape, a->shape,
			       (size_t)a->rank * sizeof(*shape));
		if (!first->whole)
			shape[0] = (int64_t)t->n;
		for (k = 0; k < t->n_sides; k++)
			if (!is_float(of_side(t, k, a)->dtype))
				break;
		r = k == t->n_sides ? mean_rows(t, a, o, m, shape, err)
		                    : same_rows(t, a, m, shape, err);
	}
	if (r == BT_OK)
		r = bt_frame_builder_done(m, first->s.notes, first->s.n_notes,
		                          f, err);
	return r;
}

static struct bt_difference *difference_of(struct bt_differences *d,
                                           const char *name)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (strcmp(d->d[i].name, name) == 0)
			return &d->d[i];
	if (bt_grow(&d->d, &d->cap, d->n + 1, sizeof(*d->d)) != BT_OK)
		return NULL;
	d->d[d->n] =
	    (struct bt_difference){.name = bt_strndup(name, strlen(name))};
	return &d->d[d->n++];
}

void bt_differences_clear(struct bt_differences *d)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		free(d->d[i].name);
	free(d->d);
	memset(d, 0, sizeof(*d));
}

/* Values that are both no number are equal, one alone is infinitely far. */
static void add_values(struct bt_difference *d, const double *x,
                       const double *y, size_t n, uint64_t row)
{
	double v;
	size_t i;

	for (i = 0; i < n; i++) {
		v = x[i] == y[i] || (isnan(x[i]) && isnan(y[i]))
		        ? 0
		        : fabs(x[i] - y[i]);
		if (isnan(v))
			v = INFINITY;
		d->values++;
		d->differ += v > 0;
		d->sum += v;
		if (v > d->max) {
			d->max = v;
			d->row = row;
		}
	}
}

static int compare_tensor(const struct bt_aligned *t, const struct bt_tensor *a,
                          struct bt_difference *d, struct bt_error *err)
{
	const struct bt_tensor *b = of_side(t, 1, a);
	size_t cols = bt_frame_row_count(&t->side[0].f, a), row, i, j;
	size_t bytes = bt_frame_row_bytes(&t->side[0].f, a);
	double *x = bt_array(2 * cols + 1, sizeof(*x));
	uint64_t before;
	int r = BT_OK;

	if (x == NULL)
		return bt_error_nomem(err, "comparing");
	for (row = 0; row < t->n && r == BT_OK; row++) {
		i = t->side[0].at + row;
		j = t->side[1].at + row;
		before = d->differ;
		if (!bt_dtype_is_real(a->dtype))
			d->values += cols;
		else if (!(r = bt_tensor_to_f64(a, i * cols, cols, x, err)) &&
		         !(r = bt_tensor_to_f64(b, j * cols, cols, x + cols,
		                                err)))
			add_values(d, x, x + cols, cols, t->rows + row);
		if (a->dtype != b->dtype || is_float(a->dtype) ||
		    d->differ != before || bytes == 0 ||
		    memcmp((const char *)a->data + i * bytes,
		           (const char *)b->data + j * bytes, bytes) == 0)
			continue;
		/* a row of bytes that are not numbers, or whole ones that
		 * doubles cannot tell apart: one difference of 1 */
		d->differ++;
		d->sum += 1;
		if (d->max < 1) {
			d->max = 1;
			d->row = t->rows + row;
		}
	}
	free(x);
	return r;
}

int bt_aligned_compare(const struct bt_aligned *t, struct bt_differences *d,
                       struct bt_error *err)
{
	const struct bt_frame *f = &t->side[0].f;
	struct bt_difference *x;
	size_t i;
	int r = BT_OK;

	for (i = 0; i < f->s.count && r == BT_OK; i++) {
		if (!bt_frame_is_value(f, &f->s.tensors[i]))
			continue;
		x = difference_of(d, f->s.tensors[i].name);
		if (x == NULL)
			return bt_error_nomem(err, "comparing");
		r = compare_tensor(t, &f->s.tensors[i], x, err);
	}
	return r;
}
