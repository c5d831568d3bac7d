/* SPDX-License-Identifier: MIT */
#include "optim/softmax_regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MEMORY 10 /* steps that the curvature is known from */
#define STEPS 1000
#define SMALL 1e-6 /* the gradient of a row, where it ends */
#define ROWS 64    /* of a piece */
#define CLASSES 4  /* of a piece, which reads the rows once for them */

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
	double *proba;    /* [n][classes] less the truth */
	double *loss;     /* [n] */
	const double *of; /* what is evaluated */
	double *out;      /* its slope */
};

static double dot(const double *x, const double *y, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

static double output(const double *w, const float *x, size_t n)
{
	double sum[4] = {0}; /* which do not wait for each other */
	size_t j;

	for (j = 0; j + 4 <= n; j += 4) {
		sum[0] += w[j] * (double)x[j];
		sum[1] += w[j + 1] * (double)x[j + 1];
		sum[2] += w[j + 2] * (double)x[j + 2];
		sum[3] += w[j + 3] * (double)x[j + 3];
	}
	for (; j < n; j++)
		sum[0] += w[j] * (double)x[j];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The cross entropies of a piece of the rows, and their slopes. */
static void rows(void *arg, int piece, int worker)
{
	struct solver *s = arg;
	const struct bt_softmax_regression *p = &s->p;
	size_t i = (size_t)piece * ROWS, end = i + ROWS, k;
	double max, sum, *q, weight;
	const double *w;
	const float *x;

	(void)worker;
	for (; i < p->n && i < end; i++) {
		q = s->proba + i * p->classes;
		x = p->x + i * p->cols;
		max = -INFINITY;
		for (k = 0; k < p->classes; k++) {
			w = s->of + k * (p->cols + 1);
			q[k] = w[p->cols] + output(w, x, p->cols);
			max = fmax(max, q[k]);
		}
		for (k = 0, sum = 0; k < p->classes; k++)
			sum += exp(q[k] - max);
		weight = p->weight != NULL ? (double)p->weight[i] : 1;
		sum = max + log(sum);
		s->loss[i] = weight * p->c * (sum - q[p->y[i]]);
		for (k = 0; k < p->classes; k++)
			q[k] = weight * p->c *
			       (exp(q[k] - sum) - ((int)k == p->y[i]));
	}
}

/* The slopes of the rows of a piece of the classes. */
static void classes(void *arg, int piece, int worker)
{
	struct solver *s = arg;
	const struct bt_softmax_regression *p = &s->p;
	size_t first = (size_t)piece * CLASSES, end = first + CLASSES, i, j, k;
	double *g, q;

	(void)worker;
	if (end > p->classes)
		end = p->classes;
	for (k = first; k < end; k++) {
		g = s->out + k * (p->cols + 1);
		memcpy(g, s->of + k * (p->cols + 1), p->cols * sizeof(*g));
		g[p->cols] = 0;
	}
	for (i = 0; i < p->n; i++)
		for (k = first; k < end; k++) {
			g = s->out + k * (p->cols + 1);
			q = s->proba[i * p->classes + k];
			for (j = 0; j < p->cols; j++)
				g[j] += q * (double)p->x[i * p->cols + j];
			g[p->cols] += q;
		}
}

/* The value at `of`, and its slope. */
static double evaluate(struct solver *s, const double *of, double *slope)
{
	const struct bt_softmax_regression *p = &s->p;
	double sum = 0;
	size_t i, k;

	s->of = of;
	s->out = slope;
	bt_pool_run(p->pool, rows, s, (int)((p->n + ROWS - 1) / ROWS));
	bt_pool_run(p->pool, classes, s,
	            (int)((p->classes + CLASSES - 1) / CLASSES));
	for (k = 0; k < p->classes; k++)
		sum += dot(of + k * (p->cols + 1), of + k * (p->cols + 1),
		           p->cols) /
		       2;
	for (i = 0; i < p->n; i++)
		sum += s->loss[i];
	return sum;
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

/* Goes along until the value falls enough; false: it does not. */
static bool step(struct solver *s, double *value)
{
	double fall = dot(s->slope, s->along, s->size), far = 1, v;
	size_t m = s->steps % MEMORY, j;
	int tries = 0;

	do {
		for (j = 0; j < s->size; j++)
			s->next[j] = s->at[j] + far * s->along[j];
		v = evaluate(s, s->next, s->next_slope);
		if (v <= *value + 1e-4 * far * fall)
			break;
		far /= 2;
	} while (++tries < 40);
	if (tries == 40)
		return false;
	for (j = 0; j < s->size; j++) {
		s->moved[m][j] = s->next[j] - s->at[j];
		s->turned[m][j] = s->next_slope[j] - s->slope[j];
	}
	s->product[m] = dot(s->moved[m], s->turned[m], s->size);
	s->steps += s->product[m] > 0;
	memcpy(s->at, s->next, s->size * sizeof(*s->at));
	memcpy(s->slope, s->next_slope, s->size * sizeof(*s->slope));
	*value = v;
	return true;
}

static bool flat(const struct solver *s)
{
	size_t j;

	for (j = 0; j < s->size; j++)
		if (!(fabs(s->slope[j]) <= SMALL * (double)s->p.n))
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
	ok = ok && bt_size_mul(s->p.n, s->p.classes, &cells);
	s->proba = ok ? bt_array(cells, sizeof(double)) : NULL;
	s->loss = bt_array(s->p.n, sizeof(double));
	return s->proba != NULL && s->loss != NULL
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
	free(s->proba);
	free(s->loss);
}

int bt_softmax_regression(const struct bt_softmax_regression *p, float *w,
                          float *b, struct bt_error *err)
{
	struct solver s = {.p = *p};
	int r = open(&s, err), i;
	double value;
	size_t k, j;

	if (r == BT_OK) {
		value = evaluate(&s, s.at, s.slope);
		for (i = 0; i < STEPS && !flat(&s); i++) {
			aim(&s);
			if (!step(&s, &value))
				break;
		}
		for (k = 0; k < p->classes; k++) {
			for (j = 0; j < p->cols; j++)
				w[k * p->cols + j] =
				    (float)s.at[k * (p->cols + 1) + j];
			b[k] = (float)s.at[k * (p->cols + 1) + p->cols];
		}
	}
	clear(&s);
	return r;
}
