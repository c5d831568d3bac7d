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

struct job {
	struct bt_gemm_weight *w;
	bool bf16;
	char *x, *y; /* of all threads */
	size_t each; /* bytes of a thread's part of each */
};

static void multiply(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	struct bt_gemm_block b = {.rows = ROWS, .y_bf16 = j->bf16};
	int c;

	b.x = j->x + (size_t)piece * j->each;
	b.y = j->y + (size_t)piece * j->each;
	for (c = 0; c < bt_gemm_chunks(j->w, BT_GEMM_FORWARD); c++)
		(void)!bt_gemm_run(j->w, BT_GEMM_FORWARD, c, &b, worker);
}

static void copy(void *arg, int piece, int worker)
{
	const struct job *j = arg;

	(void)worker;
	memcpy(j->y + (size_t)piece * j->each, j->x + (size_t)piece * j->each,
	       j->each);
}

/* The shortest of several rounds: others may be using the machine. */
static double shortest(struct bt_pool *pool, bt_piece_fn *fn, struct job *j)
{
	int i, n = bt_pool_threads(pool);
	double start, s, least = 1e9;

	for (i = 0; i <= ROUNDS; i++) { /* the first warms up */
		start = bt_seconds();
		bt_pool_run(pool, fn, j, n);
		s = bt_seconds() - start;
		if (i > 0 && s < least)
			least = s;
	}
	return least > 0 ? least : 1e-9;
}

static int take(struct job *j, size_t each, int threads, struct bt_error *err)
{
	j->each = each;
	j->x = aligned_alloc(BT_ALIGN, each * (size_t)threads);
	j->y = aligned_alloc(BT_ALIGN, each * (size_t)threads);
	if (j->x == NULL || j->y == NULL)
		return bt_error_nomem(err, "measuring limits");
	memset(j->x, 0, each * (size_t)threads);
	memset(j->y, 0, each * (size_t)threads);
	return BT_OK;
}

static void drop(struct job *j)
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

static void fill(struct job *j, int threads)
{
	size_t i, n = j->each / (j->bf16 ? 2 : 4);

	for (i = 0; i < n; i++)
		if (j->bf16)
			((uint16_t *)j->x)[i] = bt_f32_to_bf16(value(i));
		else
			((float *)j->x)[i] = value(i);
	for (i = 1; i < (size_t)threads; i++)
		memcpy(j->x + i * j->each, j->x, j->each);
}

static int measure_products(struct bt_pool *pool, struct bt_gemm *g,
                            struct job *j, double *flop, struct bt_error *err)
{
	int threads = bt_pool_threads(pool), c, r;
	float *src = bt_array((size_t)SIDE * SIDE, sizeof(*src));
	size_t i;

	for (i = 0; src != NULL && i < (size_t)SIDE * SIDE; i++)
		src[i] = value(i);
	r = src == NULL ? bt_error_nomem(err, "measuring limits")
	                : bt_gemm_weight_new(g, SIDE, SIDE, false, &j->w, err);
	for (c = 0; r == BT_OK && c < bt_gemm_chunks(j->w, BT_GEMM_FORWARD);
	     c++)
		r = bt_gemm_pack(j->w, BT_GEMM_FORWARD, c, src, 0);
	if (r == BT_OK)
		r = take(j, ROWS * SIDE * (j->bf16 ? 2 : 4), threads, err);
	if (r == BT_OK)
		fill(j, threads);
	if (r == BT_OK)
		*flop = 2.0 * ROWS * SIDE * SIDE * threads /
		        shortest(pool, multiply, j);
	drop(j);
	bt_gemm_weight_free(j->w);
	free(src);
	return r;
}

int bt_roofline_products(struct bt_pool *pool, const char *gemm, bool bf16,
                         double *flop, struct bt_error *err)
{
	struct job j = {.bf16 = bf16};
	struct bt_gemm *g;
	int r = bt_gemm_new(gemm, bf16, bt_pool_threads(pool), &g, err);

	if (r != BT_OK)
		return r;
	r = measure_products(pool, g, &j, flop, err);
	bt_gemm_free(g);
	return r;
}

/* Bytes a second, read and written, copying memory. */
static int measure_copy(struct bt_pool *pool, double *bytes,
                        struct bt_error *err)
{
	int threads = bt_pool_threads(pool);
	struct job j = {0};
	int r = take(&j, COPY, threads, err);

	if (r == BT_OK)
		*bytes =
		    2.0 * (double)COPY * threads / shortest(pool, copy, &j);
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

int bt_roofline_log(struct bt_pool *pool, const char *gemm, bool bf16,
                    struct bt_profile *p, const struct bt_log *log,
                    struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	char *line, *next;
	int r = bt_roofline_products(pool, gemm, bf16, &p->flop_limit, err);

	if (r == BT_OK)
		r = measure_copy(pool, &p->byte_limit, err);
	if (r != BT_OK)
		return r;
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
