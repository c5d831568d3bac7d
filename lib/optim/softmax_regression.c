/* SPDX-License-Identifier: MIT */
#include "optim/softmax_regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MEMORY 10 /* steps that the curvature is known from */
#define STEPS 1000
#define SMALL 1e-6 /* the gradient of the mean cross entropy, where it ends */
#define BLOCK 4096 /* rows whose slopes are in memory at once */
#define ROWS 64    /* of a piece, a divisor of that */
#define CLASSES 8  /* of a piece, which reads the rows once for them */
#define AT_ONCE 4  /* rows */
#define COLS 512   /* columns, of these rows */

typedef double pair __attribute__((vector_size(16)));

struct solver {
	struct bt_softmax_regression p;
	size_t size;   /* (cols + 1) * classes: a class's row, then its bias */
	double *at;    /* [size] */
	double *slope; /* [size] there */
	double *next, *next_slope, *along;      /* [size] */
	double *moved[MEMORY], *turned[MEMORY]; /* [size] steps, and what they
	                                         * did to the slope */
	double product[MEMORY];                 /* of both */
	size_t steps;                           /* that were remembered */
	const double *of;                       /* what is evaluated */
	double *out;                            /* its slope */
	size_t first, end;                      /* rows of the block */
	const float *x;                         /* those */
	double *row_slope;  /* [BLOCK][classes] of the outputs */
	double loss[BLOCK]; /* of each row */
};

static pair load(const double *p)
{
	pair v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static double dot(const double *x, const double *y, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

/* Columns from .. from+n-1 of the rows from i on; none are behind the block. */
static void take_rows(const struct solver *s, size_t i, size_t from, size_t n,
                      double x[AT_ONCE][COLS])
{
	const struct bt_softmax_regression *p = &s->p;
	const float *row = s->x + (i - s->first) * p->cols + from;
	size_t r, j;

	for (r = 0; r < AT_ONCE; r++, row += p->cols)
		if (i + r < s->end)
			for (j = 0; j < n; j++)
				x[r][j] = p->scale * (double)row[j];
		else
			memset(x[r], 0, n * sizeof(double));
}

/* out[r] += x[r] w' of the rows r, out[r] being so many values apart. */
static void add_products(double x[AT_ONCE][COLS], const double *w, size_t n,
                         double *out, size_t apart)
{
	pair sum[AT_ONCE], v;
	size_t j, r;

	memset(sum, 0, sizeof(sum));
	for (j = 0; j + 2 <= n; j += 2) {
		v = load(w + j);
		sum[0] += v * load(x[0] + j);
		sum[1] += v * load(x[1] + j);
		sum[2] += v * load(x[2] + j);
		sum[3] += v * load(x[3] + j);
	}
	for (r = 0; r < AT_ONCE; r++)
		out[r * apart] +=
		    sum[r][0] + sum[r][1] + (j < n ? w[j] * x[r][j] : 0);
}

/* The outputs of the rows from i on. */
static void find_outputs(struct solver *s, size_t i)
{
	const struct bt_softmax_regression *p = &s->p;
	size_t width = p->cols + 1, from, n, r, k;
	double *q = s->row_slope + (i - s->first) * p->classes;
	double x[AT_ONCE][COLS];

	for (r = 0; r < AT_ONCE; r++)
		for (k = 0; k < p->classes; k++)
			q[r * p->classes + k] = s->of[k * width + p->cols];
	for (from = 0; from < p->cols; from += n) {
		n = p->cols - from < COLS ? p->cols - from : COLS;
		take_rows(s, i, from, n, x);
		for (k = 0; k < p->classes; k++)
			add_products(x, s->of + k * width + from, n, q + k,
			             p->classes);
	}
}

/* The cross entropy of row i, and its slopes in place of its outputs. */
static void find_loss(struct solver *s, size_t i)
{
	const struct bt_softmax_regression *p = &s->p;
	double *q = s->row_slope + (i - s->first) * p->classes;
	double max = -INFINITY, sum = 0, weight;
	size_t k;

	for (k = 0; k < p->classes; k++)
		max = fmax(max, q[k]);
	for (k = 0; k < p->classes; k++)
		sum += exp(q[k] - max);
	weight = p->weight != NULL ? (double)p->weight[i] : 1;
	sum = max + log(sum);
	s->loss[i - s->first] = weight * p->c * (sum - q[p->y[i]]);
	for (k = 0; k < p->classes; k++)
		q[k] = weight * p->c * (exp(q[k] - sum) - ((int)k == p->y[i]));
}

/* The cross entropies of a piece of the rows, and their slopes. */
static void rows(void *arg, int piece, int worker)
{
	struct solver *s = arg;
	size_t i = s->first + (size_t)piece * ROWS, end = i + ROWS, r;

	(void)worker;
	if (end > s->end)
		end = s->end;
	for (; i < end; i += AT_ONCE) {
		find_outputs(s, i);
		for (r = i; r < end && r < i + AT_ONCE; r++)
			find_loss(s, r);
	}
}

/* g += the rows x, each times its factor q[r], these being so many values
 * apart. */
static void add_rows(double x[AT_ONCE][COLS], const double *q, size_t apart,
                     size_t n, double *g)
{
	double q0 = q[0], q1 = q[apart], q2 = q[2 * apart], q3 = q[3 * apart];
	size_t j;
	pair v;

	for (j = 0; j + 2 <= n; j += 2) {
		v = load(g + j) + (q0 * load(x[0] + j) + q1 * load(x[1] + j)) +
		    (q2 * load(x[2] + j) + q3 * load(x[3] + j));
		memcpy(g + j, &v, sizeof(v));
	}
	for (; j < n; j++)
		g[j] +=
		    q0 * x[0][j] + q1 * x[1][j] + q2 * x[2][j] + q3 * x[3][j];
}

/* Adds the block's rows to the slopes of a piece of the classes. */
static void classes(void *arg, int piece, int worker)
{
	struct solver *s = arg;
	const struct bt_softmax_regression *p = &s->p;
	size_t first = (size_t)piece * CLASSES, end = first + CLASSES;
	size_t width = p->cols + 1, from, n, i, k;
	const double *q = s->row_slope;
	double x[AT_ONCE][COLS], *g;

	(void)worker;
	if (end > p->classes)
		end = p->classes;
	for (k = first; k < end; k++) {
		g = s->out + k * width;
		for (i = 0; i < s->end - s->first; i++)
			g[p->cols] += q[i * p->classes + k];
	}
	for (from = 0; from < p->cols; from += n) {
		n = p->cols - from < COLS ? p->cols - from : COLS;
		for (i = s->first; i < s->end; i += AT_ONCE) {
			take_rows(s, i, from, n, x);
			for (k = first; k < end; k++)
				add_rows(x, q + (i - s->first) * p->classes + k,
				         p->classes, n,
				         s->out + k * width + from);
		}
	}
}

/* The value at `of`, and its slope. */
static int evaluate(struct solver *s, const double *of, double *slope,
                    double *value, struct bt_error *err)
{
	const struct bt_softmax_regression *p = &s->p;
	double sum = 0;
	size_t i, k;
	int r;

	s->of = of;
	s->out = slope;
	memcpy(slope, of, s->size * sizeof(*slope));
	for (k = 0; k < p->classes; k++) {
		slope[k * (p->cols + 1) + p->cols] = 0;
		sum += dot(of + k * (p->cols + 1), of + k * (p->cols + 1),
		           p->cols) /
		       2;
	}
	for (s->first = 0; s->first < p->n; s->first = s->end) {
		s->end = p->n - s->first > BLOCK ? s->first + BLOCK : p->n;
		if ((r = p->rows(p->ctx, s->first, s->end - s->first, &s->x,
		                 err)))
			return r;
		bt_pool_run(p->pool, rows, s,
		            (int)((s->end - s->first + ROWS - 1) / ROWS));
		bt_pool_run(p->pool, classes, s,
		            (int)((p->classes + CLASSES - 1) / CLASSES));
		for (i = s->first; i < s->end; i++)
			sum += s->loss[i - s->first];
	}
	*value = sum;
	return BT_OK;
}

/* along = the way down: the slope through the inverse of the curvature that the
 * last steps showed. */
static void aim(struct solver *s)
{
	size_t first = s->steps > MEMORY ? s->steps - MEMORY : 0, i, m, j;
	double share[MEMORY] = {0};
	double scale = 1 / sqrt(dot(s->slope, s->slope, s->size));

	for (j = 0; j < s->size; j++)
		s->along[j] = -s->slope[j];
	for (i = s->steps; i-- > first;) {
		m = i % MEMORY;
		share[m] = dot(s->moved[m], s->along, s->size) / s->product[m];
		for (j = 0; j < s->size; j++)
			s->along[j] -= share[m] * s->turned[m][j];
	}
	if (s->steps > 0) {
		m = (s->steps - 1) % MEMORY;
		scale =
		    s->product[m] / dot(s->turned[m], s->turned[m], s->size);
	}
	for (j = 0; j < s->size; j++)
		s->along[j] *= scale;
	for (i = first; i < s->steps; i++) {
		m = i % MEMORY;
		scale = share[m] -
		        dot(s->turned[m], s->along, s->size) / s->product[m];
		for (j = 0; j < s->size; j++)
			s->along[j] += scale * s->moved[m][j];
	}
}

/* Goes along until the value falls enough; *stuck: it does not. */
static int step(struct solver *s, double *value, bool *stuck,
                struct bt_error *err)
{
	double fall = dot(s->slope, s->along, s->size), far = 1, v;
	size_t m = s->steps % MEMORY, j;
	int tries = 0, r;

	do {
		for (j = 0; j < s->size; j++)
			s->next[j] = s->at[j] + far * s->along[j];
		if ((r = evaluate(s, s->next, s->next_slope, &v, err)))
			return r;
		if (v <= *value + 1e-4 * far * fall)
			break;
		far /= 2;
	} while (++tries < 40);
	*stuck = tries == 40;
	if (*stuck)
		return BT_OK;
	for (j = 0; j < s->size; j++) {
		s->moved[m][j] = s->next[j] - s->at[j];
		s->turned[m][j] = s->next_slope[j] - s->slope[j];
	}
	s->product[m] = dot(s->moved[m], s->turned[m], s->size);
	s->steps += s->product[m] > 0;
	memcpy(s->at, s->next, s->size * sizeof(*s->at));
	memcpy(s->slope, s->next_slope, s->size * sizeof(*s->slope));
	*value = v;
	return BT_OK;
}

static bool flat(const struct solver *s)
{
	double small = SMALL * s->p.c * (double)s->p.n;
	size_t j;

	for (j = 0; j < s->size; j++)
		if (!(fabs(s->slope[j]) <= small))
			return false;
	return true;
}

static int open(struct solver *s, struct bt_error *err)
{
	double **all[] = {&s->at, &s->slope, &s->next, &s->next_slope,
	                  &s->along};
	bool ok = bt_size_mul(s->p.cols + 1, s->p.classes, &s->size);
	size_t i, cells;

	for (i = 0; ok && i < 5; i++)
		ok &= (*all[i] = bt_array0(s->size, sizeof(double))) != NULL;
	for (i = 0; ok && i < MEMORY; i++) {
		s->moved[i] = bt_array(s->size, sizeof(double));
		s->turned[i] = bt_array(s->size, sizeof(double));
		ok = s->moved[i] != NULL && s->turned[i] != NULL;
	}
	ok = ok && bt_size_mul(BLOCK, s->p.classes, &cells);
	s->row_slope = ok ? bt_array0(cells, sizeof(double)) : NULL;
	return s->row_slope != NULL
	           ? BT_OK
	           : bt_error_nomem(err, "fitting the classes");
}

static void clear(struct solver *s)
{
	size_t i;

	free(s->at);
	free(s->slope);
	free(s->next);
	free(s->next_slope);
	free(s->along);
	for (i = 0; i < MEMORY; i++) {
		free(s->moved[i]);
		free(s->turned[i]);
	}
	free(s->row_slope);
}

int bt_softmax_regression(const struct bt_softmax_regression *p, float *w,
                          float *b, struct bt_error *err)
{
	struct solver s = {.p = *p};
	int r = open(&s, err), i;
	bool stuck = false;
	double value;
	size_t k, j;

	if (r == BT_OK)
		r = evaluate(&s, s.at, s.slope, &value, err);
	for (i = 0; r == BT_OK && i < STEPS && !stuck && !flat(&s); i++) {
		aim(&s);
		r = step(&s, &value, &stuck, err);
	}
	for (k = 0; r == BT_OK && k < p->classes; k++) {
		for (j = 0; j < p->cols; j++)
			w[k * p->cols + j] =
			    (float)(p->scale * s.at[k * (p->cols + 1) + j]);
		b[k] = (float)s.at[k * (p->cols + 1) + p->cols];
	}
	clear(&s);
	return r;
}
