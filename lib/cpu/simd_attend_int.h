/* SPDX-License-Identifier: MIT */
/*
 * Template, part 3: attention of one head of one text. The head's columns
 * are copied to f32 rows of dp = d rounded up to 16 (zeros behind), the keys
 * also transposed to dp rows of np = n rounded up to 16 (zeros behind), so that
 * both products run along contiguous rows; queries are taken in tiles of TILE
 * rows, so the score matrix never exceeds one tile. What a row of scores has
 * behind its n is a number, but means nothing and is not read in the end.
 */
#ifndef BT_CPU_SIMD_ATTEND_INT_H
#define BT_CPU_SIMD_ATTEND_INT_H

#include <string.h>

#include "cpu/simd_math_int.h"

#define TILE BT_ATTEND_TILE

/* A matrix operand by its element (i, k) at p[i * row + k * col]. */
struct mat {
	const float *p;
	size_t row, col;
};

/* mr x (nv vectors) of C = A B, or C += A B; B is [k, ...] with rows ldb
 * apart. The block of C stays in registers. */
VEC void product_block(const int mr, const int nv, size_t depth, struct mat a,
                       const float *b, size_t ldb, float *c, size_t ldc,
                       bool add)
{
	vf acc[8][2], x[2], y;
	size_t k;
	int i, j;

#pragma GCC unroll 8
	for (i = 0; i < mr; i++)
#pragma GCC unroll 2
		for (j = 0; j < nv; j++)
			acc[i][j] = add ? v_load(c + (size_t)i * ldc + j * VL)
			                : v_set1(0);
	for (k = 0; k < depth; k++) {
#pragma GCC unroll 2
		for (j = 0; j < nv; j++)
			x[j] = v_load(b + k * ldb + j * VL);
#pragma GCC unroll 8
		for (i = 0; i < mr; i++) {
			y = v_set1(a.p[(size_t)i * a.row + k * a.col]);
#pragma GCC unroll 2
			for (j = 0; j < nv; j++)
				acc[i][j] = v_fma(y, x[j], acc[i][j]);
		}
	}
#pragma GCC unroll 8
	for (i = 0; i < mr; i++)
#pragma GCC unroll 2
		for (j = 0; j < nv; j++)
			v_store(c + (size_t)i * ldc + j * VL, acc[i][j]);
}

VEC void product_rows(const int nv, size_t m, size_t depth, struct mat a,
                      const float *b, size_t ldb, float *c, size_t ldc,
                      bool add)
{
	for (; m >= 8 && REGISTERS >= 32;
	     m -= 8, a.p += 8 * a.row, c += 8 * ldc)
		product_block(8, nv, depth, a, b, ldb, c, ldc, add);
	for (; m >= 4; m -= 4, a.p += 4 * a.row, c += 4 * ldc)
		product_block(4, nv, depth, a, b, ldb, c, ldc, add);
	if (m >= 2) {
		product_block(2, nv, depth, a, b, ldb, c, ldc, add);
		m -= 2, a.p += 2 * a.row, c += 2 * ldc;
	}
	if (m > 0)
		product_block(1, nv, depth, a, b, ldb, c, ldc, add);
}

/* C[m, n] = A[m, depth] B[depth, n], or +=; n is a multiple of 16. */
static void product(size_t m, size_t n, size_t depth, struct mat a,
                    const float *b, size_t ldb, float *c, size_t ldc, bool add)
{
	size_t j = 0;

	for (; j + 2 * VL <= n; j += 2 * VL)
		product_rows(2, m, depth, a, b + j, ldb, c + j, ldc, add);
	for (; j < n; j += VL)
		product_rows(1, m, depth, a, b + j, ldb, c + j, ldc, add);
}

/* rows x d of either type, ld apart, to f32 rows of dp. What follows in each
 * row is the next head's, which mostly comes next: the processor does not see
 * so many streams by itself. */
static void unpack(bool low, const void *x, size_t ld, size_t rows, size_t d,
                   size_t dp, float *y)
{
	size_t size = low ? sizeof(uint16_t) : sizeof(float), r, i;

	for (r = 0; r < rows; r++) {
		for (i = d; i < 2 * d; i += 64 / size)
			__builtin_prefetch((const char *)x +
			                   (r * ld + i) * size);
		for (i = 0; i + VL <= d; i += VL)
			v_store(y + r * dp + i, get(low, x, r * ld + i));
		for (; i < d; i += VL)
			v_store(y + r * dp + i,
			        getn(low, x, r * ld + i, d - i));
		for (; i < dp; i += VL)
			v_store(y + r * dp + i, v_set1(0));
	}
}

/* The reverse, times a factor. */
static void pack(bool low, const float *y, size_t dp, size_t rows, size_t d,
                 float factor, void *x, size_t ld)
{
	vf f = v_set1(factor);
	size_t r, i;

	for (r = 0; r < rows; r++) {
		for (i = 0; i + VL <= d; i += VL)
			put(low, x, r * ld + i,
			    v_mul(f, v_load(y + r * dp + i)));
		if (i < d)
			putn(low, x, r * ld + i,
			     v_mul(f, v_load(y + r * dp + i)), d - i);
	}
}

/* Rows n .. np-1 of x [np, dp] to zeros; then y [dp, np] its transpose. */
static void transpose(float *x, size_t n, size_t dp, size_t np, float *y)
{
	size_t i, j;

	memset(x + n * dp, 0, (np - n) * dp * sizeof(*x));
	for (j = 0; j < np; j += VL)
		for (i = 0; i < dp; i += VL)
			u_transpose(x + j * dp + i, dp, y + i * np + j, np,
			            false);
}

/* Dropout multipliers of query rows i0 .. i0+rows-1; returns where the first
 * one stands in m, whose whole blocks may begin before it. Without dropout
 * there are none. */
static const float *tile_mask(const struct bt_attend *a, size_t i0, size_t rows,
                              float *m)
{
	size_t first = i0 * a->n, block = first / 128;

	if (a->drop.threshold == 0)
		return m;
	drop_fill(&a->drop, 0, block, first - block * 128 + rows * a->n, m);
	return m + (first - block * 128);
}

/* p = softmax of the scores p times scale, where `dead` is 0, and is minus
 * infinity elsewhere; returns the log of the sum of exponentials. */
VEC float softmax_row(float *p, const float *dead, size_t np, float scale)
{
	vf s = v_set1(scale), top = v_set1(-INFINITY), sum = v_set1(0), e;
	float max, total;
	size_t j;

	for (j = 0; j < np; j += VL) {
		e = v_fma(v_load(p + j), s, v_load(dead + j));
		v_store(p + j, e);
		top = v_max(top, e);
	}
	max = v_highest(top);
	top = v_set1(max);
	for (j = 0; j < np; j += VL) {
		/* of minus infinity it is not 0, but below 1e-37 */
		e = v_exp(v_sub(v_load(p + j), top));
		v_store(p + j, e);
		sum = v_add(sum, e);
	}
	total = v_sum(sum);
	e = v_set1(1.0f / total);
	for (j = 0; j < np; j += VL)
		v_store(p + j, v_mul(v_load(p + j), e));
	return max + logf(total);
}

/* p *= m over n elements, and zeros behind to a whole vector. */
VEC void mask_row(float *p, const float *m, size_t n)
{
	size_t j;

	for (j = 0; j + VL <= n; j += VL)
		v_store(p + j, v_mul(v_load(p + j), v_load(m + j)));
	if (j < n)
		v_store(p + j, v_mul(v_load(p + j), v_loadn(m + j, n - j)));
}

/* The scores p of query i times scale, with the bias of each distance; returns
 * what they are to be multiplied with after that, 1. */
VEC float bias_row(const struct bt_attend *a, size_t i, float *p)
{
	const float *b = a->bias - i;
	vf s = v_set1(a->scale);
	size_t j;

	for (j = 0; j + VL <= a->n; j += VL)
		v_store(p + j, v_fma(v_load(p + j), s, v_load(b + j)));
	for (; j < a->n; j++)
		p[j] = p[j] * a->scale + b[j];
	return 1;
}

/* Adds a row of gradients of scores to those of the bias. */
VEC void bias_gradient(const struct bt_attend *a, size_t i, const float *dp)
{
	float *b = a->dbias - i;
	size_t j;

	for (j = 0; j + VL <= a->n; j += VL)
		v_store(b + j, v_add(v_load(b + j), v_load(dp + j)));
	for (; j < a->n; j++)
		b[j] += dp[j];
}

static void attend(const struct bt_attend *a)
{
	size_t n = a->n, d = a->d, np = bt_round_up(n, 16);
	size_t dp = bt_round_up(d, 16), i0, rows, i;
	float *k = a->scratch, *kt = k + np * dp, *v = kt + dp * np;
	float *q = v + np * dp, *p = q + TILE * dp, *o = p + TILE * np;
	float *dead = o + TILE * dp, *m = dead + np;
	const uint16_t *q_low = a->q;
	const float *q_f32 = a->q, *mask;
	uint16_t *o_low = a->o;
	float *o_f32 = a->o, scale = a->scale;

	unpack(a->low, a->k, a->kv_ld, n, d, dp, k);
	unpack(a->low, a->v, a->kv_ld, n, d, dp, v);
	transpose(k, n, dp, np, kt);
	for (i = 0; i < np; i++)
		dead[i] = i < n ? 0 : -INFINITY;
	for (i0 = 0; i0 < a->q_rows; i0 += TILE) {
		rows = a->q_rows - i0 < TILE ? a->q_rows - i0 : TILE;
		unpack(a->low,
		       a->low ? (const void *)(q_low + i0 * a->q_ld)
		              : (const void *)(q_f32 + i0 * a->q_ld),
		       a->q_ld, rows, d, dp, q);
		product(rows, np, d, (struct mat){q, dp, 1}, kt, np, p, np,
		        false);
		mask = tile_mask(a, i0, rows, m);
		for (i = 0; i < rows; i++) {
			if (a->bias != NULL)
				scale = bias_row(a, i0 + i, p + i * np);
			a->lse[(i0 + i) * a->lse_ld] =
			    softmax_row(p + i * np, dead, np, scale);
			if (a->drop.threshold != 0)
				mask_row(p + i * np, mask + i * n, n);
		}
		product(rows, dp, n, (struct mat){p, np, 1}, v, dp, o, dp,
		        false);
		pack(a->low, o, dp, rows, d, 1.0f,
		     a->low ? (void *)(o_low + i0 * a->o_ld)
		            : (void *)(o_f32 + i0 * a->o_ld),
		     a->o_ld);
	}
}

/* p = exp(scale p - lse). */
VEC void probabilities(float *p, size_t np, float scale, float lse)
{
	vf s = v_set1(scale), l = v_set1(lse);
	size_t j;

	for (j = 0; j < np; j += VL)
		v_store(p + j, v_exp(v_sub(v_mul(v_load(p + j), s), l)));
}

/* dp (holding dO V', so zeros behind n) becomes dS = p (mask dp - dot); p
 * becomes p mask. */
VEC void score_gradients(float *p, float *dp, const float *m, size_t n,
                         size_t np, bool drop)
{
	vf sum = v_set1(0);
	size_t j;

	if (drop)
		mask_row(dp, m, n);
	for (j = 0; j < np; j += VL)
		sum = v_fma(v_load(p + j), v_load(dp + j), sum);
	sum = v_set1(v_sum(sum));
	for (j = 0; j < np; j += VL)
		v_store(dp + j,
		        v_mul(v_load(p + j), v_sub(v_load(dp + j), sum)));
	if (drop)
		mask_row(p, m, n);
}

static void attend_back(const struct bt_attend *a)
{
	size_t n = a->n, d = a->d, np = bt_round_up(n, 16);
	size_t dw = bt_round_up(d, 16), i0, rows, i, es = a->low ? 2 : 4;
	float *k = a->scratch, *kt = k + np * dw, *v = kt + dw * np;
	float *vt = v + np * dw, *dk = vt + dw * np, *dv = dk + n * dw;
	float *q = dv + n * dw, *g = q + TILE * dw, *p = g + TILE * dw;
	float *dp = p + TILE * np, *m = dp + TILE * np;
	const char *q0 = a->q, *g0 = a->dout;
	char *dq0 = a->dq;
	const float *mask;
	float scale = a->scale;

	unpack(a->low, a->k, a->kv_ld, n, d, dw, k);
	unpack(a->low, a->v, a->kv_ld, n, d, dw, v);
	transpose(k, n, dw, np, kt);
	transpose(v, n, dw, np, vt);
	for (i0 = 0; i0 < a->q_rows; i0 += TILE) {
		rows = a->q_rows - i0 < TILE ? a->q_rows - i0 : TILE;
		unpack(a->low, q0 + i0 * a->q_ld * es, a->q_ld, rows, d, dw, q);
		unpack(a->low, g0 + i0 * a->o_ld * es, a->o_ld, rows, d, dw, g);
		product(rows, np, d, (struct mat){q, dw, 1}, kt, np, p, np,
		        false);
		product(rows, np, d, (struct mat){g, dw, 1}, vt, np, dp, np,
		        false);
		mask = tile_mask(a, i0, rows, m);
		for (i = 0; i < rows; i++) {
			if (a->bias != NULL)
				scale = bias_row(a, i0 + i, p + i * np);
			probabilities(p + i * np, np, scale,
			              a->lse[(i0 + i) * a->lse_ld]);
			score_gradients(p + i * np, dp + i * np, mask + i * n,
			                n, np, a->drop.threshold != 0);
			if (a->bias != NULL)
				bias_gradient(a, i0 + i, dp + i * np);
		}
		product(n, dw, rows, (struct mat){p, 1, np}, g, dw, dv, dw,
		        i0 > 0);
		product(n, dw, rows, (struct mat){dp, 1, np}, q, dw, dk, dw,
		        i0 > 0);
		product(rows, dw, n, (struct mat){dp, np, 1}, k, dw, q, dw,
		        false);
		pack(a->low, q, dw, rows, d, a->scale, dq0 + i0 * a->q_ld * es,
		     a->q_ld);
	}
	pack(a->low, dk, dw, n, d, a->scale, a->dk, a->kv_ld);
	pack(a->low, dv, dw, n, d, 1.0f, a->dv, a->kv_ld);
}

#endif
