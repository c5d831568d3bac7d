/* SPDX-License-Identifier: MIT */
/*
 * Template, part 3: attention of one head of one sequence. The head's columns
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
static void unpack(bool bf16, const void *x, size_t ld, size_t rows, size_t d,
                   size_t dp, float *y)
{
	size_t size = bf16 ? sizeof(uint16_t) : sizeof(float), r, i;

	for (r = 0; r < rows; r++) {
		for (i = d; i < 2 * d; i += 64 / size)
			__builtin_prefetch((const char *)x +
			                   (r * ld + i) * size);
		for (i = 0; i + VL <= d; i += VL)
			v_store(y + r * dp + i, get(bf16, x, r * ld + i));
		for (; i < d; i += VL)
			v_store(y + r * dp + i,
			        getn(bf16, x, r * ld + i, d - i));
		for (; i < dp; i += VL)
			v_store(y + r * dp + i, v_set1(0));
	}
}

/* The reverse, times a factor. */
static void pack(bool bf16, const float *y, size_t dp, size_t rows, size_t d,
                 float factor, void *x, size_t ld)
{
	vf f = v_set1(factor);
	size_t r, i;

	for (r = 0; r < rows; r++) {
		for (i = 0; i + VL <= d; i += VL)
			put(bf16, x, r * ld + i,
			    v_mul(f, v_load(y + r * dp + i)));
		if (i < d)
			putn(bf16, x, r * ld + i,
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

/* Rotates a row's columns c and c + half by the angles of a row of the rotary
 * table. */
VEC void rotate_halves(const float *rotary, size_t half, float way, float *x)
{
	float *y = x + half, left;
	vf u, v, cos, sin;
	size_t c;

	for (c = 0; c + VL <= half; c += VL) {
		u = v_load(x + c);
		v = v_load(y + c);
		cos = v_load(rotary + c);
		sin = v_mul(v_load(rotary + half + c), v_set1(way));
		v_store(x + c, v_fnma(v, sin, v_mul(u, cos)));
		v_store(y + c, v_fma(u, sin, v_mul(v, cos)));
	}
	for (; c < half; c++) {
		left = x[c];
		x[c] = left * rotary[c] - way * y[c] * rotary[half + c];
		y[c] = y[c] * rotary[c] + way * left * rotary[half + c];
	}
}

/* The same of columns 2c and 2c + 1. */
VEC void rotate_neighbours(const float *rotary, size_t half, float way,
                           float *x)
{
	float left, sin;
	size_t c;

	for (c = 0; c < half; c++, x += 2) {
		left = x[0];
		sin = way * rotary[half + c];
		x[0] = left * rotary[c] - x[1] * sin;
		x[1] = x[1] * rotary[c] + left * sin;
	}
}

/* Rotates rows of x [rows, dp], the first of which is of token i; way -1:
 * back. Does nothing where there is no rotation. */
static void rotate(const struct bt_attend *a, size_t i, size_t rows, size_t dp,
                   float way, float *x)
{
	const float *rotary = a->rotary;

	if (rotary == NULL)
		return;
	rotary += i * a->d;
	for (; rows > 0; rows--, rotary += a->d, x += dp)
		if (a->neighbours)
			rotate_neighbours(rotary, a->d / 2, way, x);
		else
			rotate_halves(rotary, a->d / 2, way, x);
}

/* The keys that a tile of queries sees: first .. end-1, and the columns that
 * its scores have, whole vectors. All of them but with a window. */
struct seen {
	size_t first, end, width;
};

static struct seen keys_seen(const struct bt_attend *a, size_t i0, size_t rows,
                             size_t np)
{
	struct seen s = {0, a->n, np};

	if (a->window == 0)
		return s;
	if (i0 > a->window)
		s.first = (i0 - a->window) / 16 * 16;
	if (a->n - i0 > rows + a->window)
		s.end = i0 + rows + a->window;
	s.width = bt_round_up(s.end - s.first, 16);
	return s;
}

/* Which of the columns of s query i sees, as *from .. *to-1. */
static void row_seen(const struct bt_attend *a, struct seen s, size_t i,
                     size_t *from, size_t *to)
{
	*from = 0;
	*to = s.end - s.first;
	if (a->window == 0)
		return;
	if (i > a->window + s.first)
		*from = i - a->window - s.first;
	if (i + a->window + 1 < s.end)
		*to = i + a->window + 1 - s.first;
}

/* What is added to the scores of query i: 0, or minus infinity. */
static void fill_dead(const struct bt_attend *a, struct seen s, size_t i,
                      float *dead)
{
	size_t from, to, j;

	row_seen(a, s, i, &from, &to);
	for (j = 0; j < s.width; j++)
		dead[j] = j >= from && j < to ? 0 : -INFINITY;
}

/* Sets the probabilities p of keys that query i does not see to 0. */
static void clear_dead(const struct bt_attend *a, struct seen s, size_t i,
                       float *p)
{
	size_t from, to;

	row_seen(a, s, i, &from, &to);
	memset(p, 0, from * sizeof(*p));
	memset(p + to, 0, (s.width - to) * sizeof(*p));
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

/* The same of the columns of s in row i alone, with a window; they are few. */
static const float *row_mask(const struct bt_attend *a, struct seen s, size_t i,
                             float *m)
{
	size_t first = i * a->n + s.first, block = first / 128;

	if (a->drop.threshold == 0)
		return m;
	drop_fill(&a->drop, 0, block, first - block * 128 + (s.end - s.first),
	          m);
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
VEC float bias_row(const struct bt_attend *a, struct seen k, size_t i, float *p)
{
	const float *b = a->bias + (ptrdiff_t)(k.first - i);
	size_t j, n = k.end - k.first;
	vf s = v_set1(a->scale);

	for (j = 0; j + VL <= n; j += VL)
		v_store(p + j, v_fma(v_load(p + j), s, v_load(b + j)));
	for (; j < n; j++)
		p[j] = p[j] * a->scale + b[j];
	return 1;
}

/* Adds a row of gradients of scores to those of the bias. */
VEC void bias_gradient(const struct bt_attend *a, struct seen k, size_t i,
                       const float *dp)
{
	float *b = a->dbias + (ptrdiff_t)(k.first - i);
	size_t j, n = k.end - k.first;

	for (j = 0; j + VL <= n; j += VL)
		v_store(b + j, v_add(v_load(b + j), v_load(dp + j)));
	for (; j < n; j++)
		b[j] += dp[j];
}

#include "cpu/simd_relative_int.h"

/* Probabilities of a tile of scores p, from query i0 on, times their dropout.
 */
static void attend_rows(const struct bt_attend *a, struct seen s, size_t i0,
                        size_t rows, float *p, float *dead, float *m)
{
	const float *mask = m;
	float scale = a->scale;
	size_t i;

	if (a->window == 0)
		mask = tile_mask(a, i0, rows, m);
	fill_dead(a, s, i0, dead);
	for (i = i0; i < i0 + rows; i++, p += s.width) {
		if (a->bias != NULL)
			scale = bias_row(a, s, i, p);
		if (a->window != 0 && i > i0)
			fill_dead(a, s, i, dead);
		a->lse[i * a->lse_ld] = softmax_row(p, dead, s.width, scale);
		if (a->drop.threshold == 0)
			continue;
		if (a->window != 0)
			mask_row(p, row_mask(a, s, i, m), s.end - s.first);
		else
			mask_row(p, mask + (i - i0) * a->n, a->n);
	}
}

static void attend(const struct bt_attend *a)
{
	size_t n = a->n, d = a->d, np = bt_round_up(n, 16);
	size_t dp = bt_round_up(d, 16), i0, rows, es = a->bf16 ? 2 : 4;
	float *k = a->scratch, *kt = k + np * dp, *v = kt + dp * np;
	float *q = v + np * dp, *p = q + TILE * dp, *o = p + TILE * np;
	float *dead = o + TILE * dp, *m = dead + np;
	const char *q0 = a->q;
	struct rel rel;
	char *o0 = a->o;
	struct seen s;

	unpack(a->bf16, a->k, a->kv_ld, n, d, dp, k);
	unpack(a->bf16, a->v, a->kv_ld, n, d, dp, v);
	rotate(a, 0, n, dp, 1, k);
	transpose(k, n, dp, np, kt);
	rel_begin(a, k, dp, m + bt_drop_room(TILE * n) + 128, &rel);
	for (i0 = 0; i0 < a->q_rows; i0 += TILE) {
		rows = a->q_rows - i0 < TILE ? a->q_rows - i0 : TILE;
		s = keys_seen(a, i0, rows, np);
		unpack(a->bf16, q0 + i0 * a->q_ld * es, a->q_ld, rows, d, dp,
		       q);
		rotate(a, i0, rows, dp, 1, q);
		product(rows, s.width, d, (struct mat){q, dp, 1}, kt + s.first,
		        np, p, s.width, false);
		if (rel.n > 0)
			rel_add(a, &rel, i0, rows, q, dp, p, np);
		attend_rows(a, s, i0, rows, p, dead, m);
		product(rows, dp, s.end - s.first, (struct mat){p, s.width, 1},
		        v + s.first * dp, dp, o, dp, false);
		pack(a->bf16, o, dp, rows, d, 1.0f, o0 + i0 * a->o_ld * es,
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

/* Of a tile of scores p and of dO V' dp, from query i0 on: the probabilities
 * times their dropout, and the gradients of the scores. */
static void attend_back_rows(const struct bt_attend *a, struct seen s,
                             size_t i0, size_t rows, float *p, float *dp,
                             float *m)
{
	const float *mask = m;
	float scale = a->scale;
	size_t i, n = s.end - s.first;

	if (a->window == 0)
		mask = tile_mask(a, i0, rows, m);
	for (i = i0; i < i0 + rows; i++, p += s.width, dp += s.width) {
		if (a->bias != NULL)
			scale = bias_row(a, s, i, p);
		probabilities(p, s.width, scale, a->lse[i * a->lse_ld]);
		if (a->window != 0) {
			clear_dead(a, s, i, p);
			mask = row_mask(a, s, i, m);
		}
		score_gradients(p, dp, mask, n, s.width,
		                a->drop.threshold != 0);
		if (a->window == 0)
			mask += n;
		if (a->bias != NULL)
			bias_gradient(a, s, i, dp);
	}
}

static void attend_back(const struct bt_attend *a)
{
	size_t n = a->n, d = a->d, np = bt_round_up(n, 16), i0, rows, seen;
	size_t dw = bt_round_up(d, 16), es = a->bf16 ? 2 : 4;
	float *k = a->scratch, *kt = k + np * dw, *v = kt + dw * np;
	float *vt = v + np * dw, *dk = vt + dw * np, *dv = dk + n * dw;
	float *q = dv + n * dw, *g = q + TILE * dw, *p = g + TILE * dw;
	float *dp = p + TILE * np, *m = dp + TILE * np;
	const char *q0 = a->q, *g0 = a->dout;
	struct rel rel;
	char *dq0 = a->dq;
	struct seen s;

	unpack(a->bf16, a->k, a->kv_ld, n, d, dw, k);
	unpack(a->bf16, a->v, a->kv_ld, n, d, dw, v);
	rotate(a, 0, n, dw, 1, k);
	transpose(k, n, dw, np, kt);
	transpose(v, n, dw, np, vt);
	if (!a->resumes)
		memset(dk, 0, 2 * n * dw * sizeof(*dk));
	rel_begin(a, k, dw, m + bt_drop_room(TILE * n) + 128, &rel);
	rel_back_begin(a, &rel, dw);
	for (i0 = 0; i0 < a->q_rows; i0 += TILE) {
		rows = a->q_rows - i0 < TILE ? a->q_rows - i0 : TILE;
		s = keys_seen(a, i0, rows, np);
		seen = s.end - s.first;
		unpack(a->bf16, q0 + i0 * a->q_ld * es, a->q_ld, rows, d, dw,
		       q);
		unpack(a->bf16, g0 + i0 * a->o_ld * es, a->o_ld, rows, d, dw,
		       g);
		rotate(a, i0, rows, dw, 1, q);
		product(rows, s.width, d, (struct mat){q, dw, 1}, kt + s.first,
		        np, p, s.width, false);
		if (rel.n > 0)
			rel_add(a, &rel, i0, rows, q, dw, p, np);
		product(rows, s.width, d, (struct mat){g, dw, 1}, vt + s.first,
		        np, dp, s.width, false);
		attend_back_rows(a, s, i0, rows, p, dp, m);
		if (rel.n > 0)
			rel_back_tile(a, &rel, i0, rows, q, dw, dp, np);
		product(seen, dw, rows, (struct mat){p, 1, s.width}, g, dw,
		        dv + s.first * dw, dw, true);
		product(seen, dw, rows, (struct mat){dp, 1, s.width}, q, dw,
		        dk + s.first * dw, dw, true);
		product(rows, dw, seen, (struct mat){dp, s.width, 1},
		        k + s.first * dw, dw, q, dw, false);
		rel_back_queries(a, &rel, i0, rows, dw, q);
		rotate(a, i0, rows, dw, -1, q);
		pack(a->bf16, q, dw, rows, d, a->scale, dq0 + i0 * a->q_ld * es,
		     a->q_ld);
	}
	rel_back_end(a, &rel, k, dw, dk);
	if (a->continues)
		return;
	rotate(a, 0, n, dw, -1, dk);
	pack(a->bf16, dk, dw, n, d, a->scale, a->dk, a->kv_ld);
	pack(a->bf16, dv, dw, n, d, 1.0f, a->dv, a->kv_ld);
}

#endif
