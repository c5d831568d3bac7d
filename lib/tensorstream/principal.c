/* SPDX-License-Identifier: MIT */
#include "tensorstream/principal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/philox.h"

#define K 8       /* directions that are followed */
#define TILE 32   /* rows of the covariance that are summed at a time */
#define ROWS 4    /* rows that are added at a time */
#define PIECE 256 /* rows, or those of the covariance, that are multiplied */

struct work {
	const struct bt_vectors *v;
	struct bt_pool *pool;
	size_t d;       /* the width */
	double *mean;   /* [d] */
	double *spread; /* [d, d], the covariance times the rows */
	double *row;    /* [workers, ROWS, d] less the mean */
	double *q, *cq; /* [K, d]: directions, and the spread times them */
	double value[K];
	struct bt_principal *p;
};

static double dot(const double *x, const double *y, size_t n)
{
	double s[4] = {0};
	size_t i;

	for (i = 0; i + 4 <= n; i += 4) {
		s[0] += x[i] * y[i];
		s[1] += x[i + 1] * y[i + 1];
		s[2] += x[i + 2] * y[i + 2];
		s[3] += x[i + 3] * y[i + 3];
	}
	for (; i < n; i++)
		s[0] += x[i] * y[i];
	return (s[0] + s[1]) + (s[2] + s[3]);
}

/* Row r less the mean, up to column n; zeros behind the last row. */
static void centre(const struct work *w, size_t r, size_t n, double *to)
{
	const float *x = w->v->x + r * w->d;
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = r < w->v->n ? (double)x[i] - w->mean[i] : 0;
}

static void find_mean(struct work *w)
{
	const float *x = w->v->x;
	size_t r, i;

	for (r = 0; r < w->v->n; r++, x += w->d)
		for (i = 0; i < w->d; i++)
			w->mean[i] += (double)x[i];
	for (i = 0; i < w->d; i++)
		w->mean[i] /= (double)w->v->n;
}

/* Rows of the spread, left of its diagonal and the tile's end. */
static void sum_tile(void *arg, int piece, int worker)
{
	struct work *w = arg;
	size_t d = w->d, first = (size_t)piece * TILE, r, i, j;
	size_t end = d - first < TILE ? d : first + TILE;
	double *x = w->row + (size_t)worker * ROWS * d, *to;

	for (r = 0; r < w->v->n; r += ROWS) {
		for (i = 0; i < ROWS; i++)
			centre(w, r + i, end, x + i * d);
		for (i = first; i < end; i++) {
			double a = x[i], b = x[d + i], c = x[2 * d + i],
			       e = x[3 * d + i];

			to = w->spread + i * d;
			for (j = 0; j < end; j++)
				to[j] += (a * x[j] + b * x[d + j]) +
				         (c * x[2 * d + j] + e * x[3 * d + j]);
		}
	}
}

static void find_spread(struct work *w)
{
	size_t d = w->d, i, j;

	bt_pool_run(w->pool, sum_tile, w, (int)((d + TILE - 1) / TILE));
	for (i = 0; i < d; i++)
		for (j = i + 1; j < d; j++)
			w->spread[i * d + j] = w->spread[j * d + i];
}

static void multiply(void *arg, int piece, int worker)
{
	struct work *w = arg;
	size_t first = (size_t)piece * PIECE, i, k;

	(void)worker;
	for (i = first; i < w->d && i < first + PIECE; i++)
		for (k = 0; k < K; k++)
			w->cq[k * w->d + i] =
			    dot(w->spread + i * w->d, w->q + k * w->d, w->d);
}

/* Makes the directions orthogonal, each of length 1; one that adds nothing to
 * those before becomes 0. */
static void orthogonalize(struct work *w)
{
	size_t d = w->d, i, j, k;
	double *x, before, length, s;
	int twice;

	for (k = 0; k < K; k++) {
		x = w->q + k * d;
		before = sqrt(dot(x, x, d));
		for (twice = 0; twice < 2; twice++)
			for (j = 0; j < k; j++) {
				s = dot(x, w->q + j * d, d);
				for (i = 0; i < d; i++)
					x[i] -= s * w->q[j * d + i];
			}
		length = sqrt(dot(x, x, d));
		for (i = 0; i < d; i++)
			x[i] = length > 1e-14 * before ? x[i] / length : 0;
	}
}

/* Turns rows and columns p and q of a so that a[p][q] becomes 0, and the rows
 * of e along (Jacobi). */
static void turn(double a[K][K], double e[K][K], int p, int q)
{
	double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
	double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
	double c = 1 / sqrt(t * t + 1), s = t * c, x, y;
	int i;

	for (i = 0; i < K; i++) {
		x = a[i][p];
		y = a[i][q];
		a[i][p] = c * x - s * y;
		a[i][q] = s * x + c * y;
	}
	for (i = 0; i < K; i++) {
		x = a[p][i];
		y = a[q][i];
		a[p][i] = c * x - s * y;
		a[q][i] = s * x + c * y;
		x = e[p][i];
		y = e[q][i];
		e[p][i] = c * x - s * y;
		e[q][i] = s * x + c * y;
	}
}

/* Rows of e become the eigenvectors of a, the greatest value first. */
static void solve(double a[K][K], double e[K][K], double value[K])
{
	double row[K], scale = 0;
	int sweep, p, q, best;

	for (p = 0; p < K; p++) {
		scale = fmax(scale, fabs(a[p][p]));
		for (q = 0; q < K; q++)
			e[p][q] = p == q;
	}
	for (sweep = 0; sweep < 30; sweep++)
		for (p = 0; p < K; p++)
			for (q = p + 1; q < K; q++)
				if (fabs(a[p][q]) > 1e-17 * scale)
					turn(a, e, p, q);
	for (p = 0; p < K; p++)
		value[p] = a[p][p];
	for (p = 0; p < K; p++) {
		for (best = p, q = p + 1; q < K; q++)
			if (value[q] > value[best])
				best = q;
		scale = value[p];
		value[p] = value[best];
		value[best] = scale;
		memcpy(row, e[p], sizeof(row));
		memcpy(e[p], e[best], sizeof(row));
		memcpy(e[best], row, sizeof(row));
	}
}

/* Combines the K vectors of x by the rows of e. */
static void combine(const struct work *w, double e[K][K], double *x)
{
	double in[K], s;
	size_t i, j, k;

	for (i = 0; i < w->d; i++) {
		for (k = 0; k < K; k++)
			in[k] = x[k * w->d + i];
		for (k = 0; k < K; k++) {
			for (s = 0, j = 0; j < K; j++)
				s += e[k][j] * in[j];
			x[k * w->d + i] = s;
		}
	}
}

/* The best directions that are sums of those at hand; true if the first two
 * are eigenvectors. */
static bool refine(struct work *w)
{
	double a[K][K], e[K][K], far, worst = 0;
	size_t d = w->d, i, j, k;

	bt_pool_run(w->pool, multiply, w, (int)((d + PIECE - 1) / PIECE));
	for (j = 0; j < K; j++)
		for (k = 0; k <= j; k++)
			a[j][k] = a[k][j] = dot(w->q + j * d, w->cq + k * d, d);
	solve(a, e, w->value);
	combine(w, e, w->q);
	combine(w, e, w->cq);
	for (k = 0; k < 2; k++) {
		for (i = 0, far = 0; i < d; i++) {
			double off =
			    w->cq[k * d + i] - w->value[k] * w->q[k * d + i];

			far += off * off;
		}
		worst = fmax(worst, sqrt(far));
	}
	return worst <= 1e-11 * w->value[0];
}

static void find_directions(struct work *w)
{
	size_t d = w->d, i, k;
	int round;

	for (k = 0; k < K; k++)
		for (i = 0; i < d; i++)
			w->q[k * d + i] = 0x1p-63 * (double)bt_random_u64(
			                                0, BT_PURPOSE_PRINCIPAL,
			                                (uint32_t)k, i) -
			                  1;
	orthogonalize(w);
	for (round = 0; !refine(w) && round < BT_PRINCIPAL_ROUNDS; round++) {
		memcpy(w->q, w->cq, K * d * sizeof(*w->q));
		orthogonalize(w);
	}
}

/* Makes the largest component of a direction positive. */
static void fix_sign(double *x, size_t n)
{
	size_t i, best = 0;

	for (i = 1; i < n; i++)
		if (fabs(x[i]) > fabs(x[best]))
			best = i;
	if (x[best] < 0)
		for (i = 0; i < n; i++)
			x[i] = -x[i];
}

static void project(void *arg, int piece, int worker)
{
	struct work *w = arg;
	size_t first = (size_t)piece * PIECE, r;
	double *x = w->row + (size_t)worker * ROWS * w->d;

	for (r = first; r < w->v->n && r < first + PIECE; r++) {
		centre(w, r, w->d, x);
		w->p->x[r] = dot(x, w->q, w->d);
		w->p->y[r] = w->p->share[1] > 0 ? dot(x, w->q + w->d, w->d) : 0;
	}
}

static int compute(struct work *w, struct bt_error *err)
{
	double all = 0;
	size_t k;

	find_mean(w);
	find_spread(w);
	for (k = 0; k < w->d; k++)
		all += w->spread[k * w->d + k];
	if (!(all > 0))
		return bt_error_set(err, BT_EFORMAT,
		                    "the %zu rows are all equal, so there is "
		                    "no direction in which they differ",
		                    w->v->n);
	find_directions(w);
	for (k = 0; k < 2; k++) {
		fix_sign(w->q + k * w->d, w->d);
		w->p->share[k] =
		    w->value[k] > 1e-13 * all ? w->value[k] / all : 0;
	}
	bt_pool_run(w->pool, project, w, (int)((w->v->n + PIECE - 1) / PIECE));
	return BT_OK;
}

static int allocate(struct work *w, struct bt_error *err)
{
	size_t d = w->d, square, workers = (size_t)bt_pool_threads(w->pool);

	if (!bt_size_mul(d, d, &square) ||
	    !bt_size_mul(square, sizeof(double), &square))
		return bt_error_nomem(err, "comparing directions");
	w->mean = bt_array0(d, sizeof(*w->mean));
	w->spread = bt_array0(square / sizeof(double), sizeof(*w->spread));
	w->row = bt_array(d, workers * ROWS * sizeof(*w->row));
	w->q = bt_array(d, K * sizeof(*w->q));
	w->cq = bt_array(d, K * sizeof(*w->cq));
	w->p->x = bt_array(w->v->n, sizeof(*w->p->x));
	w->p->y = bt_array(w->v->n, sizeof(*w->p->y));
	return w->mean != NULL && w->spread != NULL && w->row != NULL &&
	               w->q != NULL && w->cq != NULL && w->p->x != NULL &&
	               w->p->y != NULL
	           ? BT_OK
	           : bt_error_nomem(err, "comparing directions");
}

int bt_principal_find(const struct bt_vectors *v, int threads,
                      struct bt_principal *p, struct bt_error *err)
{
	struct work w = {.v = v, .d = v->width, .p = p};
	int r;

	memset(p, 0, sizeof(*p));
	if (v->n < 2 || v->n / PIECE >= INT_MAX)
		return bt_error_set(err, BT_EFORMAT,
		                    "%zu row%s, expected two or more", v->n,
		                    v->n == 1 ? "" : "s");
	if (v->width < 2)
		return bt_error_set(err, BT_EFORMAT,
		                    "rows of one value, expected two or more");
	r = bt_pool_new(threads, &w.pool, err);
	if (r == BT_OK)
		r = allocate(&w, err);
	if (r == BT_OK)
		r = compute(&w, err);
	bt_pool_free(w.pool);
	free(w.mean);
	free(w.spread);
	free(w.row);
	free(w.q);
	free(w.cq);
	if (r != BT_OK)
		bt_principal_clear(p);
	return r;
}

void bt_principal_clear(struct bt_principal *p)
{
	free(p->x);
	free(p->y);
	memset(p, 0, sizeof(*p));
}
