/* SPDX-License-Identifier: MIT */
#include "tensorstream/cluster.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/philox.h"
#include "base/str.h"
#include "format/csv.h"
#include "tensorstream/vectors.h"

#define COLUMNS 64 /* of the sums that are taken at a time */

/* Cosines of equal rows are this far from 1 at most, as products of f32 come
 * out. */
#define NOISE 1e-6f

struct bt_cluster {
	struct bt_cluster_opts o;
	struct bt_products *products;
	struct bt_vectors rows, centres;
	uint32_t *label, *next; /* of each row: its centre, and the new one */
	float *near;            /* of each row: 1 - cosine with its centre */
	size_t *count;          /* rows of each centre */
	double *sum;            /* [centres, width] */
	/* for the first centres */
	struct bt_vectors trials;
	float *far;  /* [rows, trials]: 1 - cosine */
	double *row; /* a row of length 1 */
};

struct bt_cluster *bt_cluster_new(const struct bt_cluster_opts *o)
{
	struct bt_cluster *c = bt_array0(1, sizeof(*c));

	c->o = *o;
	return c;
}

void bt_cluster_free(struct bt_cluster *c)
{
	if (c == NULL)
		return;
	bt_products_free(c->products);
	bt_vectors_clear(&c->rows);
	bt_vectors_clear(&c->centres);
	bt_vectors_clear(&c->trials);
	free(c->label);
	free(c->next);
	free(c->near);
	free(c->count);
	free(c->sum);
	free(c->far);
	free(c->row);
	free(c);
}

int bt_cluster_put(struct bt_cluster *c, const struct bt_frame *f,
                   struct bt_error *err)
{
	return bt_vectors_add(&c->rows, f, err);
}

bool bt_cluster_mixed(const struct bt_cluster *c)
{
	return c->rows.mixed;
}

/* The direction of x[width] as vector i of v; false where x has none. */
static bool set_direction(struct bt_vectors *v, size_t i, const double *x)
{
	float *y = v->x + i * v->width;
	double length = 0, rounded = 0;
	size_t k;

	for (k = 0; k < v->width; k++)
		length += x[k] * x[k];
	length = sqrt(length);
	if (!(length > 1e-9))
		return false;
	for (k = 0; k < v->width; k++) {
		y[k] = (float)(x[k] / length);
		rounded += (double)y[k] * (double)y[k];
	}
	v->length[i] = sqrt(rounded);
	return true;
}

/* Row i with length 1 as vector k of v. */
static void set_row(struct bt_cluster *c, struct bt_vectors *v, size_t k,
                    size_t i)
{
	const float *x = c->rows.x + i * c->rows.width;
	size_t j;

	for (j = 0; j < c->rows.width; j++)
		c->row[j] = (double)x[j] / c->rows.length[i];
	(void)set_direction(v, k, c->row); /* a row has a direction */
}

/* The distances of rows from the trials, and how many there are. */
static void put_far(void *arg, size_t first, size_t rows, const float *y)
{
	struct bt_cluster *c = arg;
	size_t trials = c->trials.n, i, k;
	float d, inverse;

	for (i = first; i < first + rows; i++, y += trials) {
		inverse = (float)(1 / c->rows.length[i]);
		for (k = 0; k < trials; k++) {
			d = 1 - y[k] * inverse;
			c->far[i * trials + k] = d > NOISE ? d : 0;
		}
	}
}

static void put_label(void *arg, size_t first, size_t rows, const float *y)
{
	struct bt_cluster *c = arg;
	size_t n = c->centres.n, i, k, best;

	for (i = first; i < first + rows; i++, y += n) {
		for (k = 1, best = 0; k < n; k++)
			if (y[k] > y[best])
				best = k;
		c->next[i] = (uint32_t)best;
		c->near[i] = 1 - (float)(y[best] / c->rows.length[i]);
	}
}

/* All rows times vectors. */
static int multiply(struct bt_cluster *c, const struct bt_vectors *v,
                    bt_products_fn *fn, struct bt_error *err)
{
	struct bt_product p = {.x = c->rows.x,
	                       .columns = v->x,
	                       .rows = c->rows.n,
	                       .n_columns = v->n,
	                       .width = v->width,
	                       .fn = fn,
	                       .arg = c};

	return bt_products_run(c->products, &p, err);
}

/* A row, drawn with its distance from the nearest centre as weight; n where all
 * are on centres. */
static size_t draw(const struct bt_cluster *c, size_t trial)
{
	double total = 0, at = 0, drawn;
	size_t i, last = c->rows.n;

	for (i = 0; i < c->rows.n; i++)
		total += c->near[i];
	drawn = total * 0x1p-53 *
	        (double)(bt_random_u64(c->o.seed, BT_PURPOSE_CLUSTER,
	                               (uint32_t)c->centres.n, trial) >>
	                 11);
	for (i = 0; i < c->rows.n; i++) {
		if (!(c->near[i] > 0))
			continue;
		at += c->near[i];
		last = i;
		if (at > drawn)
			break;
	}
	return last;
}

/* Makes a centre of the trial that leaves the least sum of distances. */
static void take_best(struct bt_cluster *c)
{
	size_t trials = c->trials.n, width = c->rows.width, i, k, best = 0;
	double sum, least = INFINITY;
	float d;

	for (k = 0; k < trials; k++) {
		for (sum = 0, i = 0; i < c->rows.n; i++) {
			d = c->far[i * trials + k];
			sum += d < c->near[i] ? d : c->near[i];
		}
		if (sum < least) {
			least = sum;
			best = k;
		}
	}
	for (i = 0; i < c->rows.n; i++) {
		d = c->far[i * trials + best];
		c->near[i] = d < c->near[i] ? d : c->near[i];
	}
	memcpy(c->centres.x + c->centres.n * width, c->trials.x + best * width,
	       width * sizeof(float));
	c->centres.length[c->centres.n++] = c->trials.length[best];
}

/* The first centres. */
static int seed(struct bt_cluster *c, struct bt_error *err)
{
	size_t trials = c->trials.n, i, k;
	int r = BT_OK;

	for (i = 0; i < c->rows.n; i++)
		c->near[i] = 2; /* nothing is farther */
	while (c->centres.n < c->o.clusters && r == BT_OK) {
		for (k = 0; k < trials; k++) {
			i = draw(c, k);
			if (i == c->rows.n)
				return BT_OK;
			set_row(c, &c->trials, k, i);
		}
		r = multiply(c, &c->trials, put_far, err);
		if (r == BT_OK)
			take_best(c);
	}
	return r;
}

/* Gives each centre without rows the row that is farthest from its own. */
static void fill_empty(struct bt_cluster *c)
{
	size_t n = c->rows.n, i, k, far;

	memset(c->count, 0, c->centres.n * sizeof(*c->count));
	for (i = 0; i < n; i++)
		c->count[c->next[i]]++;
	for (k = 0; k < c->centres.n; k++) {
		if (c->count[k] > 0)
			continue;
		for (i = 0, far = n; i < n; i++)
			if (c->near[i] > NOISE && c->count[c->next[i]] > 1 &&
			    (far == n || c->near[i] > c->near[far]))
				far = i;
		if (far == n)
			break;
		c->count[c->next[far]]--;
		c->next[far] = (uint32_t)k;
		c->near[far] = 0;
		c->count[k] = 1;
	}
}

/* Sums of the rows of each centre, in COLUMNS columns. */
static void add_columns(void *arg, int piece, int worker)
{
	struct bt_cluster *c = arg;
	size_t width = c->rows.width, from = (size_t)piece * COLUMNS, i, j;
	size_t to = width - from < COLUMNS ? width : from + COLUMNS;
	const float *x = c->rows.x;
	double inverse, *sum;

	(void)worker;
	for (i = 0; i < c->centres.n; i++)
		for (j = from; j < to; j++)
			c->sum[i * width + j] = 0;
	for (i = 0; i < c->rows.n; i++, x += width) {
		inverse = 1 / c->rows.length[i];
		sum = c->sum + c->label[i] * width;
		for (j = from; j < to; j++)
			sum[j] += x[j] * inverse;
	}
}

/* Assigns rows and moves centres by turns. A centre without a direction stays
 * where it is. */
static int iterate(struct bt_cluster *c, struct bt_error *err)
{
	size_t width = c->rows.width, k;
	uint32_t *t;
	int round, r = BT_OK;

	for (round = 0; round < BT_CLUSTER_ROUNDS; round++) {
		r = multiply(c, &c->centres, put_label, err);
		if (r != BT_OK)
			return r;
		fill_empty(c);
		if (memcmp(c->label, c->next, c->rows.n * sizeof(*c->label)) ==
		    0)
			break;
		t = c->label;
		c->label = c->next;
		c->next = t;
		bt_pool_run(bt_products_pool(c->products), add_columns, c,
		            (int)((width + COLUMNS - 1) / COLUMNS));
		for (k = 0; k < c->centres.n; k++)
			(void)set_direction(&c->centres, k, c->sum + k * width);
	}
	return r;
}

static int write_lines(struct bt_cluster *c, struct bt_out *out,
                       struct bt_error *err)
{
	static const char header[] = "id,cluster,similarity\n";
	struct bt_buf line = BT_BUF_INIT;
	size_t i, k, numbers = 0;
	char s[32];
	int r = bt_out_write(out, header, strlen(header), err);

	memset(c->count, 0, c->centres.n * sizeof(*c->count)); /* the numbers */
	for (i = 0; i < c->rows.n && r == BT_OK; i++) {
		k = c->label[i];
		if (c->count[k] == 0)
			c->count[k] = ++numbers;
		bt_buf_reset(&line);
		bt_csv_put(&line, bt_vectors_id(&c->rows, i), ',');
		bt_format_f32(s, sizeof(s),
		              bt_vectors_cosine(&c->rows, i, &c->centres, k));
		bt_buf_printf(&line, ",%zu,%s\n", c->count[k], s);
		r = line.oom ? bt_error_nomem(err, "writing CSV")
		             : bt_out_write(out, line.data, line.len, err);
	}
	bt_buf_clear(&line);
	return r;
}

/* n vectors, to be filled. */
static bool make_vectors(struct bt_vectors *v, size_t n, size_t width)
{
	size_t all;

	v->width = width;
	return bt_size_mul(n, width, &all) &&
	       bt_grow(&v->x, &v->x_cap, all, sizeof(*v->x)) == BT_OK &&
	       bt_grow(&v->length, &v->length_cap, n, sizeof(*v->length)) ==
	           BT_OK;
}

static bool allocate(struct bt_cluster *c)
{
	size_t rows = c->rows.n, n = c->o.clusters, width = c->rows.width, all;
	size_t trials = 2 + (size_t)log((double)n);

	if (!bt_size_mul(n, width, &all) ||
	    !make_vectors(&c->centres, n, width) ||
	    !make_vectors(&c->trials, trials, width))
		return false;
	c->trials.n = trials;
	c->label = bt_array(rows, sizeof(*c->label));
	c->next = bt_array(rows, sizeof(*c->next));
	c->near = bt_array(rows, sizeof(*c->near));
	c->far = bt_array(rows, trials * sizeof(*c->far));
	c->count = bt_array(n, sizeof(*c->count));
	c->sum = bt_array(all, sizeof(*c->sum));
	c->row = bt_array(width, sizeof(*c->row));
	if (c->label == NULL || c->next == NULL || c->near == NULL ||
	    c->far == NULL || c->sum == NULL || c->row == NULL)
		return false;
	memset(c->label, 0xff, rows * sizeof(*c->label)); /* none */
	return true;
}

int bt_cluster_finish(struct bt_cluster *c, struct bt_out *out,
                      struct bt_error *err)
{
	int r;

	if (c->rows.n < c->o.clusters || c->rows.n >= UINT32_MAX)
		return bt_error_set(err, BT_EFORMAT,
		                    "%zu row%s cannot be divided into %zu "
		                    "clusters",
		                    c->rows.n, bt_plural(c->rows.n),
		                    c->o.clusters);
	if (!allocate(c))
		return bt_error_nomem(err, "clustering rows");
	if ((r = bt_products_new(c->o.threads, &c->products, err)) ||
	    (r = seed(c, err)) || (r = iterate(c, err)))
		return r;
	return write_lines(c, out, err);
}
