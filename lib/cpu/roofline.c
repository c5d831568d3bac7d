/* SPDX-License-Identifier: MIT */
#include "cpu/roofline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/mem.h"
#include "base/philox.h"
#include "base/sys.h"
#include "cpu/gemm.h"

#define ROWS ((size_t)512)
#define SIDE 768
#define COPY ((size_t)32 << 20) /* bytes each thread copies at a time */
#define ROUNDS 12

struct bt_roofline {
	struct bt_pool *pool;
	struct bt_gemm *gemm;
	struct bt_gemm_weight *w;
	bool bf16;
	char *x, *y;     /* of all threads */
	size_t each;     /* bytes of a thread's part of each */
	double *seconds; /* [n] of each round of products */
	size_t n, cap;
};

static void multiply(void *arg, int piece, int worker)
{
	const struct bt_roofline *j = arg;
	struct bt_gemm_block b = {.rows = ROWS, .y_bf16 = j->bf16};
	int c;

	b.x = j->x + (size_t)piece * j->each;
	b.y = j->y + (size_t)piece * j->each;
	for (c = 0; c < bt_gemm_chunks(j->w, BT_GEMM_FORWARD); c++)
		(void)!bt_gemm_run(j->w, BT_GEMM_FORWARD, c, &b, worker);
}

static int take(struct bt_roofline *j, size_t each, struct bt_error *err)
{
	size_t all = each * (size_t)bt_pool_threads(j->pool);

	j->each = each;
	j->x = aligned_alloc(BT_ALIGN, all);
	j->y = aligned_alloc(BT_ALIGN, all);
	if (j->x == NULL || j->y == NULL)
		return bt_error_nomem(err, "measuring limits");
	memset(j->x, 0, all);
	memset(j->y, 0, all);
	return BT_OK;
}

static void drop(struct bt_roofline *j)
{
	free(j->x);
	free(j->y);
	j->x = j->y = NULL;
}

/* Numbers from -1 to 1: a product of zeros needs less power, so some CPUs run
 * faster then than they do with any other. */
static float value(size_t i)
{
	uint64_t x = bt_random_u64(1, BT_PURPOSE_INIT, 0, i);

	return (float)(int32_t)(x >> 32) / 2147483648.0f;
}

static void fill(struct bt_roofline *j)
{
	size_t i, n = j->each / (j->bf16 ? 2 : 4);

	for (i = 0; i < n; i++)
		if (j->bf16)
			((uint16_t *)j->x)[i] = bt_f32_to_bf16(value(i));
		else
			((float *)j->x)[i] = value(i);
	for (i = 1; i < (size_t)bt_pool_threads(j->pool); i++)
		memcpy(j->x + i * j->each, j->x, j->each);
}

static int take_products(struct bt_roofline *j, const char *gemm,
                         struct bt_error *err)
{
	int c, r = bt_gemm_new(gemm, j->bf16, bt_pool_threads(j->pool),
	                       &j->gemm, err);
	float *src = bt_array((size_t)SIDE * SIDE, sizeof(*src));
	size_t i;

	for (i = 0; src != NULL && i < (size_t)SIDE * SIDE; i++)
		src[i] = value(i);
	if (r == BT_OK && src == NULL)
		r = bt_error_nomem(err, "measuring limits");
	if (r == BT_OK)
		r = bt_gemm_weight_new(j->gemm, SIDE, SIDE, false, &j->w, err);
	for (c = 0; r == BT_OK && c < bt_gemm_chunks(j->w, BT_GEMM_FORWARD);
	     c++)
		r = bt_gemm_pack(j->w, BT_GEMM_FORWARD, c, src, 0);
	if (r == BT_OK)
		r = take(j, ROWS * SIDE * (j->bf16 ? 2 : 4), err);
	if (r == BT_OK)
		fill(j);
	free(src);
	return r;
}

int bt_roofline_new(struct bt_pool *pool, const char *gemm, bool bf16,
                    struct bt_roofline **limits, struct bt_error *err)
{
	struct bt_roofline *j = bt_array0(1, sizeof(*j));
	int r;

	j->pool = pool;
	j->bf16 = bf16;
	r = take_products(j, gemm, err);
	*limits = r == BT_OK ? j : NULL;
	if (r != BT_OK)
		bt_roofline_free(j);
	return r;
}

void bt_roofline_free(struct bt_roofline *j)
{
	if (j == NULL)
		return;
	drop(j);
	bt_gemm_weight_free(j->w);
	bt_gemm_free(j->gemm);
	free(j->seconds);
	free(j);
}

static double round_of(struct bt_roofline *j, bt_piece_fn *fn)
{
	double start = bt_seconds();

	bt_pool_run(j->pool, fn, j, bt_pool_threads(j->pool));
	return bt_seconds() - start;
}

void bt_roofline_sample(struct bt_roofline *j)
{
	if (j == NULL ||
	    bt_grow(&j->seconds, &j->cap, j->n + 1, sizeof(*j->seconds)))
		return;
	(void)round_of(j, multiply); /* which warms up */
	j->seconds[j->n++] = round_of(j, multiply);
}

static int rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Operations a second of round i, the fastest first. */
static double rate(struct bt_roofline *j, size_t i)
{
	double flop = 2.0 * ROWS * SIDE * SIDE * bt_pool_threads(j->pool);

	while (j->n < ROUNDS)
		bt_roofline_sample(j);
	qsort(j->seconds, j->n, sizeof(*j->seconds), rising);
	return flop / (j->seconds[i] > 0 ? j->seconds[i] : 1e-9);
}

int bt_roofline_products(struct bt_pool *pool, const char *gemm, bool bf16,
                         double *flop, struct bt_error *err)
{
	struct bt_roofline *j;
	int r = bt_roofline_new(pool, gemm, bf16, &j, err);

	if (r == BT_OK)
		*flop = rate(j, 0);
	bt_roofline_free(j);
	return r;
}

static void copy(void *arg, int piece, int worker)
{
	const struct bt_roofline *j = arg;

	(void)worker;
	memcpy(j->y + (size_t)piece * j->each, j->x + (size_t)piece * j->each,
	       j->each);
}

/* Bytes a second, read and written, copying memory, at most: others may be
 * using the machine. */
static int measure_copy(struct bt_pool *pool, double *bytes,
                        struct bt_error *err)
{
	struct bt_roofline j = {.pool = pool};
	int r = take(&j, COPY, err), i;
	double s, least = 1e9;

	for (i = 0; r == BT_OK && i <= ROUNDS; i++) {
		s = round_of(&j, copy);
		if (i > 0 && s < least) /* the first warms up */
			least = s;
	}
	*bytes = 2.0 * (double)COPY * bt_pool_threads(pool) /
	         (least > 0 ? least : 1e-9);
	drop(&j);
	return r;
}

const char *bt_roofline_share(double flop, double limit,
                              char out[BT_SHARE_SIZE])
{
	if (limit > 0)
		snprintf(out, BT_SHARE_SIZE,
		         "%.0f GFLOP/s (%.0f %% of the matrix-product peak)",
		         flop / 1e9, fmin(100, 100 * flop / limit));
	else
		snprintf(out, BT_SHARE_SIZE, "%.0f GFLOP/s", flop / 1e9);
	return out;
}

int bt_roofline_log(struct bt_roofline *limits, struct bt_profile *p,
                    const struct bt_log *log, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	char *line, *next;
	int r = measure_copy(limits->pool, &p->byte_limit, err);

	if (r != BT_OK)
		return r;
	p->flop_limit = rate(limits, limits->n / 2);
	bt_profile_print(p, &b);
	for (line = b.data; line != NULL && *line != 0; line = next) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = 0;
		bt_log(log, BT_LOG_NOTE, "%s", line);
	}
	bt_buf_clear(&b);
	return BT_OK;
}
