/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tensor/stats_int.h"

struct part {
	size_t row;
	size_t first; /* element */
	size_t n;
	size_t differing;
	double max, sum;    /* of |a - b|; NaN where a NaN faces a number */
	double dot, aa, bb; /* sums of products */
};

struct job {
	struct bt_tensor_diff *rows;
	struct part *parts;
	size_t n;
};

bool bt_tensor_differs(const struct bt_tensor_diff *d)
{
	return d->a == NULL || d->b == NULL || d->dtype || d->shape ||
	       d->differing != 0;
}

static void add(struct part *p, double d)
{
	p->differing++;
	p->max = d > p->max || isnan(d) ? d : p->max;
	p->sum += d;
}

/* Where two integers of 64 bits differ their doubles may not. */
static void diff_wide(struct part *p, const uint8_t *a, const uint8_t *b,
                      size_t n, bool with_sign)
{
	uint64_t x, y, flip = with_sign ? (uint64_t)1 << 63 : 0;
	size_t i;

	for (i = 0; i < n; i++) {
		memcpy(&x, a + 8 * i, sizeof(x));
		memcpy(&y, b + 8 * i, sizeof(y));
		x ^= flip; /* now in the order of unsigned numbers */
		y ^= flip;
		if (x != y)
			add(p, (double)(x > y ? x - y : y - x));
	}
}

/* n elements as they are, in buf where they are not in order in the file.
 * Blocks begin at multiples of eight elements, so at whole bytes. */
static const uint8_t *bytes_of(const struct bt_tensor *t, size_t first,
                               size_t n, void *buf)
{
	if (t->data != NULL)
		return (const uint8_t *)t->data +
		       first / 8 * bt_dtype_bits(t->dtype);
	if (bt_tensor_read(t, first, n, buf, NULL) != BT_OK)
		return NULL; /* cannot be: it is a range of the tensor */
	return buf;
}

/* Compares a block of n elements of one type; false where that has to be done
 * as numbers. Elements of less than a byte count as one where they share one.
 */
static bool diff_block(struct part *p, const struct bt_tensor *a,
                       const struct bt_tensor *b, size_t first, size_t n)
{
	uint64_t x[BT_PIECE_BLOCK], y[BT_PIECE_BLOCK];
	unsigned bits = bt_dtype_bits(a->dtype), width;
	const uint8_t *s, *t;
	size_t i;

	if (a->dtype != b->dtype)
		return false;
	s = bytes_of(a, first, n, x);
	t = bytes_of(b, first, n, y);
	if (memcmp(s, t, n * bits / 8) == 0)
		return true;
	if (a->dtype == BT_DTYPE_I64 || a->dtype == BT_DTYPE_U64) {
		diff_wide(p, s, t, n, a->dtype == BT_DTYPE_I64);
		return true;
	}
	if (bt_dtype_is_real(a->dtype))
		return false;
	width = bits < 8 ? 1 : bits / 8;
	for (i = 0; i < n * bits / 8; i += width)
		p->differing += memcmp(s + i, t + i, width) != 0;
	return true;
}

static void work(void *arg, int piece, int worker)
{
	struct job *job = arg;
	struct part *p = &job->parts[piece];
	const struct bt_tensor *a = job->rows[p->row].a;
	const struct bt_tensor *b = job->rows[p->row].b;
	double x[BT_PIECE_BLOCK], y[BT_PIECE_BLOCK];
	size_t i, k, n;

	(void)worker;
	for (i = 0; i < p->n; i += n) {
		n = p->n - i < BT_PIECE_BLOCK ? p->n - i : BT_PIECE_BLOCK;
		if (diff_block(p, a, b, p->first + i, n))
			continue;
		if (bt_tensor_to_f64(a, p->first + i, n, x, NULL) != BT_OK ||
		    bt_tensor_to_f64(b, p->first + i, n, y, NULL) != BT_OK)
			return; /* cannot be: the range and type were checked */
		for (k = 0; k < n; k++)
			if (x[k] != y[k] && !(isnan(x[k]) && isnan(y[k])))
				add(p, fabs(x[k] - y[k]));
	}
}

/* The products of a piece of tensors that differ. */
static void multiply(void *arg, int piece, int worker)
{
	struct job *job = arg;
	struct part *p = &job->parts[piece];
	const struct bt_tensor_diff *d = &job->rows[p->row];
	double x[BT_PIECE_BLOCK], y[BT_PIECE_BLOCK];
	size_t i, k, n;

	(void)worker;
	for (i = 0; i < p->n && d->differing != 0 && d->numbers; i += n) {
		n = p->n - i < BT_PIECE_BLOCK ? p->n - i : BT_PIECE_BLOCK;
		if (bt_tensor_to_f64(d->a, p->first + i, n, x, NULL) != BT_OK ||
		    bt_tensor_to_f64(d->b, p->first + i, n, y, NULL) != BT_OK)
			return; /* cannot be, as in work */
		for (k = 0; k < n; k++) {
			p->dot += x[k] * y[k];
			p->aa += x[k] * x[k];
			p->bb += y[k] * y[k];
		}
	}
}

/* The cosine of the angle between both, seen as vectors. */
static void find_cosines(struct job *job, struct bt_pool *pool)
{
	struct bt_tensor_diff *d;
	const struct part *p;
	double dot = 0, aa = 0, bb = 0;
	size_t i;

	bt_pool_run(pool, multiply, job, (int)job->n);
	for (i = 0; i < job->n; i++) {
		p = &job->parts[i];
		d = &job->rows[p->row];
		dot += p->dot;
		aa += p->aa;
		bb += p->bb;
		if (i + 1 < job->n && p[1].row == p->row)
			continue;
		if (d->differing == 0)
			d->cosine = 1;
		else if (aa > 0 && bb > 0)
			d->cosine = dot / (sqrt(aa) * sqrt(bb));
		dot = aa = bb = 0;
	}
}

static void pair(struct bt_tensor_diff *d, const struct bt_tensor *a,
                 const struct bt_tensor *b)
{
	bool real;

	*d = (struct bt_tensor_diff){.a = a, .b = b, .cosine = NAN};
	if (a == NULL || b == NULL)
		return;
	real = bt_dtype_is_real(a->dtype) && bt_dtype_is_real(b->dtype);
	d->dtype = a->dtype != b->dtype;
	d->shape =
	    a->rank != b->rank ||
	    (a->rank > 0 && memcmp(a->shape, b->shape,
	                           (size_t)a->rank * sizeof(*a->shape)) != 0);
	d->numbers = real;
	d->compared = !d->shape && (real || !d->dtype);
}

/* Walks both lists like a zip; returns the number of rows. */
static size_t pair_all(const struct bt_tensor *const *a, size_t n_a,
                       const struct bt_tensor *const *b, size_t n_b,
                       struct bt_tensor_diff *rows)
{
	size_t i = 0, j = 0, n = 0;
	int c;

	while (i < n_a || j < n_b) {
		if (i == n_a || j == n_b)
			c = i == n_a ? 1 : -1;
		else
			c = bt_ckpt_compare(a[i]->name, b[j]->name);
		pair(&rows[n++], c <= 0 ? a[i] : NULL, c >= 0 ? b[j] : NULL);
		i += c <= 0;
		j += c >= 0;
	}
	return n;
}

static struct part *cut(const struct bt_tensor_diff *rows, size_t n,
                        size_t *n_parts)
{
	struct part *parts, *p;
	size_t i, k, total = 0;

	for (i = 0; i < n; i++)
		if (rows[i].compared)
			total += bt_pieces_of(rows[i].a->count);
	parts = bt_array0(total, sizeof(*parts));
	if (parts == NULL || total > INT_MAX) {
		free(parts);
		return NULL;
	}
	p = parts;
	for (i = 0; i < n; i++) {
		if (!rows[i].compared)
			continue;
		for (k = 0; k < bt_pieces_of(rows[i].a->count); k++, p++) {
			p->row = i;
			p->first = k * BT_PIECE;
			p->n = bt_piece_size(rows[i].a->count, k);
		}
	}
	*n_parts = total;
	return parts;
}

static int compare_all(struct bt_tensor_diff *rows, size_t n,
                       struct bt_pool *pool)
{
	struct job job = {rows, NULL, 0};
	struct bt_tensor_diff *d;
	const struct part *p;
	size_t i;

	job.parts = cut(rows, n, &job.n);
	if (job.parts == NULL)
		return BT_ENOMEM;
	bt_pool_run(pool, work, &job, (int)job.n);
	for (i = 0; i < job.n; i++) {
		p = &job.parts[i];
		d = &rows[p->row];
		d->differing += p->differing;
		d->max = p->max > d->max || isnan(p->max) ? p->max : d->max;
		d->mean += p->sum;
	}
	for (i = 0; i < n; i++)
		if (rows[i].compared && rows[i].a->count != 0)
			rows[i].mean /= (double)rows[i].a->count;
	find_cosines(&job, pool);
	free(job.parts);
	return BT_OK;
}

int bt_stats_diff(const struct bt_tensor *const *a, size_t n_a,
                  const struct bt_tensor *const *b, size_t n_b,
                  struct bt_pool *pool, struct bt_tensor_diff **res,
                  size_t *n_rows, struct bt_error *err)
{
	struct bt_tensor_diff *rows = NULL;
	size_t n, i;
	int r = BT_OK;

	if (bt_size_add(n_a, n_b, &n))
		rows = bt_array(n, sizeof(*rows));
	if (rows == NULL)
		return bt_error_nomem(err, "comparing checkpoints");
	n = pair_all(a, n_a, b, n_b, rows);
	for (i = 0; r == BT_OK && i < n; i++)
		if (rows[i].compared && !(r = bt_tensor_there(rows[i].a, err)))
			r = bt_tensor_there(rows[i].b, err);
	if (r == BT_OK && compare_all(rows, n, pool) != BT_OK)
		r = bt_error_nomem(err, "comparing checkpoints");
	if (r != BT_OK) {
		free(rows);
		return r;
	}
	*res = rows;
	*n_rows = n;
	return BT_OK;
}
