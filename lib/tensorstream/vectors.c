/* SPDX-License-Identifier: MIT */
#include "tensorstream/vectors.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cpu/gemm.h"

void bt_vectors_clear(struct bt_vectors *v)
{
	free(v->x);
	free(v->length);
	bt_buf_clear(&v->ids);
	free(v->id_end);
	memset(v, 0, sizeof(*v));
}

void bt_vectors_reset(struct bt_vectors *v)
{
	v->before += v->n;
	v->n = 0;
	v->named = 0;
	bt_buf_reset(&v->ids);
}

/* Eight sums, so that a processor can add several at a time. */
static double dot(const float *x, const float *y, size_t n)
{
	double s[8] = {0};
	size_t i, k;

	for (i = 0; i + 8 <= n; i += 8)
		for (k = 0; k < 8; k++)
			s[k] += (double)x[i + k] * (double)y[i + k];
	for (; i < n; i++)
		s[0] += (double)x[i] * (double)y[i];
	return ((s[0] + s[1]) + (s[2] + s[3])) +
	       ((s[4] + s[5]) + (s[6] + s[7]));
}

float bt_vectors_cosine(const struct bt_vectors *a, size_t i,
                        const struct bt_vectors *b, size_t j)
{
	return (float)(dot(a->x + i * a->width, b->x + j * b->width, a->width) /
	               (a->length[i] * b->length[j]));
}

/* A sum of n products of f32 is off by n 2^-24 times the sum of their absolute
 * values, which is the product of the lengths at most; lengths and the cosine
 * are rounded, too. Twice that, to be safe. */
double bt_vectors_error(size_t width)
{
	return ((double)width + 16) * 0x1p-23;
}

/* Brings x, the next row, to a length from 0.5 to 1, unless it stays. */
static int scale(struct bt_vectors *v, float *x, struct bt_error *err)
{
	double length = sqrt(dot(x, x, v->width)), factor;
	int exponent;
	size_t i;

	if (!isfinite(length))
		return bt_error_set(err, BT_EFORMAT,
		                    "a value that is not a finite number");
	v->length[v->n] = length;
	if (v->as_they_are)
		return BT_OK;
	if (length == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "only zeros, so it has no cosine with "
		                    "another row");
	frexp(length, &exponent);
	factor = ldexp(1, -exponent);
	for (i = 0; i < v->width; i++)
		x[i] = (float)(x[i] * factor);
	v->length[v->n] = length * factor;
	return BT_OK;
}

static void add_id(struct bt_vectors *v, const struct bt_frame *f, size_t i)
{
	struct bt_span id = bt_frame_id(f, i);

	v->named += id.p != NULL;
	if (id.p != NULL)
		bt_buf_put(&v->ids, id.p, id.n);
	else
		bt_buf_decimal(&v->ids, (int64_t)(v->before + v->n));
	v->id_end[v->n] = v->ids.len;
}

struct bt_span bt_vectors_id(const struct bt_vectors *v, size_t i)
{
	size_t at = i > 0 ? v->id_end[i - 1] : 0;
	struct bt_span s = {bt_buf_at(&v->ids, at), v->id_end[i] - at};

	return s;
}

/* The tensor with the rows. */
static int find(const struct bt_vectors *v, const struct bt_frame *f,
                const struct bt_tensor **t, struct bt_error *err)
{
	size_t n = bt_frame_values(f, t), width;

	if (n != 1)
		return bt_error_hint(
		    err, n > 1 ? BT_HINT_TENSOR_SELECT : BT_HINT_NONE,
		    bt_error_set(err, BT_EFORMAT,
		                 "it holds %zu tensors beside ids, expected "
		                 "one, with a vector in each row",
		                 n));
	if (f->whole || !bt_dtype_is_real((*t)->dtype))
		return bt_error_set(err, BT_EFORMAT,
		                    "tensor '%.100s' has no rows of real "
		                    "numbers",
		                    (*t)->name);
	width = bt_frame_row_count(f, *t);
	if (f->rows > 0 && v->width > 0 && width != v->width)
		return bt_error_set(err, BT_EFORMAT,
		                    "rows of '%.100s' have %zu values, "
		                    "those read before %zu",
		                    (*t)->name, width, v->width);
	if (f->rows > 0 && (width == 0 || width > INT_MAX))
		return bt_error_set(err, BT_EFORMAT,
		                    "rows of '%.100s' have %zu values",
		                    (*t)->name, width);
	return BT_OK;
}

/* Room for the rows of a frame. */
static bool reserve(struct bt_vectors *v, size_t rows)
{
	size_t need, all;

	return bt_size_add(v->n, rows, &need) &&
	       bt_size_add(need, BT_GEMM_GROUP, &all) &&
	       bt_size_mul(all, v->width, &all) &&
	       bt_grow(&v->x, &v->x_cap, all, sizeof(*v->x)) == BT_OK &&
	       bt_grow(&v->length, &v->length_cap, need, sizeof(*v->length)) ==
	           BT_OK &&
	       bt_grow(&v->id_end, &v->id_cap, need, sizeof(*v->id_end)) ==
	           BT_OK;
}

static void take_model(struct bt_vectors *v, const char *model)
{
	if (model == NULL)
		return;
	if (v->model[0] == 0)
		snprintf(v->model, sizeof(v->model), "%s", model);
	else if (strncmp(v->model, model, sizeof(v->model) - 1) != 0)
		v->mixed = true;
}

bool bt_vectors_mixed(const struct bt_vectors *a, const struct bt_vectors *b)
{
	return a->mixed || b->mixed ||
	       (a->model[0] != 0 && b->model[0] != 0 &&
	        strcmp(a->model, b->model) != 0);
}

void bt_vectors_warn_mixed(const struct bt_log *log)
{
	bt_log_warn(log, "models-differ", BT_HINT_NONE,
	            "the embeddings are of different models, or pooled in "
	            "different ways: unless these were trained to agree, their "
	            "similarities say nothing");
}

int bt_vectors_add(struct bt_vectors *v, const struct bt_frame *f,
                   struct bt_error *err)
{
	const struct bt_tensor *t = NULL;
	struct bt_span id;
	float *x;
	size_t i;
	int r = find(v, f, &t, err);

	if (r != BT_OK || f->rows == 0)
		return r;
	take_model(v, bt_frame_note(f, BT_FRAME_MODEL));
	v->width = bt_frame_row_count(f, t);
	if (!reserve(v, f->rows))
		return bt_error_nomem(err, "reading rows");
	x = v->x + v->n * v->width;
	r = bt_tensor_to_f32(t, 0, t->count, x, err);
	for (i = 0; i < f->rows && r == BT_OK; i++, x += v->width) {
		add_id(v, f, i);
		r = scale(v, x, err);
		id = bt_frame_id(f, i);
		if (r == BT_EFORMAT && id.p != NULL)
			bt_error_prefix(err, "row %zu of '%.100s' (id '%.*s')",
			                i + 1, t->name,
			                (int)(id.n < 80 ? id.n : 80), id.p);
		else if (r == BT_EFORMAT)
			bt_error_prefix(err, "row %zu of '%.100s'", i + 1,
			                t->name);
		v->n++;
	}
	return v->ids.oom ? bt_error_nomem(err, "reading rows") : r;
}

#define PIECE 128 /* rows that are multiplied at a time */

struct bt_products {
	struct bt_pool *pool;
	struct bt_gemm *gemm;
	struct bt_gemm_weight *columns;
	size_t n_columns, width; /* of columns */
	float *y;                /* [PIECE, n_columns] of each worker */
	size_t y_cap;
	struct bt_product now;
	int *status; /* of each worker */
};

int bt_products_new(int threads, struct bt_products **res, struct bt_error *err)
{
	struct bt_products *p = bt_array0(1, sizeof(*p));
	int r = bt_pool_new(threads, &p->pool, err), n;

	if (r == BT_OK) {
		n = bt_pool_threads(p->pool);
		p->status = bt_array0((size_t)n, sizeof(*p->status));
		r = bt_gemm_new(NULL, false, n, &p->gemm, err);
	}
	if (r == BT_OK)
		*res = p;
	else
		bt_products_free(p);
	return r;
}

void bt_products_free(struct bt_products *p)
{
	if (p == NULL)
		return;
	bt_gemm_weight_free(p->columns);
	bt_gemm_free(p->gemm);
	bt_pool_free(p->pool);
	free(p->y);
	free(p->status);
	free(p);
}

struct bt_pool *bt_products_pool(struct bt_products *p)
{
	return p->pool;
}

static void multiply(void *arg, int piece, int worker)
{
	struct bt_products *p = arg;
	size_t first = (size_t)piece * PIECE, n = p->now.rows - first;
	struct bt_gemm_block b = {.rows = n < PIECE ? n : PIECE,
	                          .x = p->now.x + first * p->width};
	float *y = p->y + (size_t)worker * PIECE * p->n_columns;
	int c, r = BT_OK;

	b.y = y;
	for (c = 0; c < bt_gemm_chunks(p->columns, BT_GEMM_FORWARD); c++)
		r = r != BT_OK ? r
		               : bt_gemm_run(p->columns, BT_GEMM_FORWARD, c, &b,
		                             worker);
	if (r != BT_OK)
		p->status[worker] = r;
	else
		p->now.fn(p->now.arg, first, b.rows, y);
}

/* Makes a place for the columns, unless the last ones had its size. */
static int prepare(struct bt_products *p, const struct bt_product *a,
                   struct bt_error *err)
{
	size_t workers = (size_t)bt_pool_threads(p->pool), n;
	int r;

	if (a->n_columns == p->n_columns && a->width == p->width)
		return BT_OK;
	bt_gemm_weight_free(p->columns);
	p->columns = NULL;
	p->n_columns = 0;
	if (!bt_size_mul(workers * PIECE, a->n_columns, &n) ||
	    bt_grow(&p->y, &p->y_cap, n, sizeof(*p->y)) != BT_OK)
		return bt_error_nomem(err, "comparing rows");
	r = bt_gemm_weight_new(p->gemm, (int)a->n_columns, (int)a->width, false,
	                       &p->columns, err);
	if (r != BT_OK)
		return r;
	p->n_columns = a->n_columns;
	p->width = a->width;
	return BT_OK;
}

int bt_products_run(struct bt_products *p, const struct bt_product *a,
                    struct bt_error *err)
{
	int c, r = prepare(p, a, err);

	if (r != BT_OK)
		return r;
	for (c = 0; c < bt_gemm_chunks(p->columns, BT_GEMM_FORWARD); c++)
		if (bt_gemm_pack(p->columns, BT_GEMM_FORWARD, c, a->columns,
		                 0) != BT_OK)
			return bt_error_nomem(err, "comparing rows");
	p->now = *a;
	bt_pool_run(p->pool, multiply, p, (int)((a->rows + PIECE - 1) / PIECE));
	for (c = 0; c < bt_pool_threads(p->pool); c++)
		if (p->status[c] != BT_OK)
			return bt_error_nomem(err, "comparing rows");
	return BT_OK;
}
