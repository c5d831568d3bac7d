/* SPDX-License-Identifier: MIT */
/*
 * Template, part 3a: what both passes of attention take: products of the
 * matrices of a head, how these are laid out, and which keys a query sees. A
 * head's columns are copied to f32 rows of dp = d rounded up to 16 (zeros
 * behind). Keys are transposed in panels of 16, each [dp, 16], so that those
 * that a product takes lie next to each other, however many there are.
 *
 * Where bf16 is multiplied as such, an element of a product is a pair: two
 * numbers in the 32 bits of a float that follow each other in the direction in
 * which the product adds up. Then dp is d rounded up to 32. AMX tiles multiply
 * whole tiles of such pairs, so there is memory behind the rows of each matrix
 * up to a multiple of 16.
 */
#ifndef BT_CPU_SIMD_ATTEND_PARTS_INT_H
#define BT_CPU_SIMD_ATTEND_PARTS_INT_H

#include <string.h>

#include "cpu/simd_math_int.h"

#define TILE BT_ATTEND_TILE

/* The left operand of a product by its element (i, k) at
 * p[i * row + k * col]. */
struct mat {
	const float *p;
	size_t row, col;
};

/* The right one by its element (k, j) at p[k * row + j / 16 * panel + j % 16].
 */
struct panels {
	const float *p;
	size_t row, panel;
};

/* Rows of any number of columns, ld apart. */
VEC struct panels rows_of(const float *p, size_t ld)
{
	return (struct panels){p, ld, 16};
}

/* Columns in panels that lie one after the other. */
VEC struct panels panels_of(const float *p, size_t rows)
{
	return (struct panels){p, 16, 16 * rows};
}

/* From column j on. */
VEC struct panels from_column(struct panels b, size_t j)
{
	b.p += j / 16 * b.panel + j % 16;
	return b;
}

#ifndef PAIRS
#define PAIRS 0

/* For what is compiled here, but not run. */
VEC vf v_dot_pairs(vf a, vf b, vf c)
{
	return v_fma(a, b, c);
}

VEC void v_store_pairs(float *p, vf x, vf y)
{
	v_store(p, v_add(x, y));
}

VEC void v_store_row_pairs(float *p, const uint16_t *x, const uint16_t *y,
                           size_t n)
{
	(void)x, (void)y, (void)n;
	v_store(p, v_set1(0));
}
#endif

/* Whether the products of a head are of pairs; those with relative positions
 * are not. */
VEC bool has_pairs(const struct bt_attend *a)
{
	return PAIRS && a->bf16 && a->rel_row == NULL;
}

/* mr x (nv vectors) of C = A B, or C += A B. The block of C stays in
 * registers. */
VEC void product_block(const bool pairs, const int mr, const int nv,
                       size_t depth, struct mat a, struct panels b, float *c,
                       size_t ldc, bool add)
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
			x[j] = v_load(b.p + k * b.row +
			              (size_t)(j * VL / 16) * b.panel +
			              j * VL % 16);
#pragma GCC unroll 8
		for (i = 0; i < mr; i++) {
			y = v_set1(a.p[(size_t)i * a.row + k * a.col]);
#pragma GCC unroll 2
			for (j = 0; j < nv; j++)
				acc[i][j] =
				    pairs ? v_dot_pairs(y, x[j], acc[i][j])
				          : v_fma(y, x[j], acc[i][j]);
		}
	}
#pragma GCC unroll 8
	for (i = 0; i < mr; i++)
#pragma GCC unroll 2
		for (j = 0; j < nv; j++)
			v_store(c + (size_t)i * ldc + j * VL, acc[i][j]);
}

VEC void product_rows(const bool pairs, const int nv, size_t m, size_t depth,
                      struct mat a, struct panels b, float *c, size_t ldc,
                      bool add)
{
	for (; m >= 8 && REGISTERS >= 32;
	     m -= 8, a.p += 8 * a.row, c += 8 * ldc)
		product_block(pairs, 8, nv, depth, a, b, c, ldc, add);
	for (; m >= 4; m -= 4, a.p += 4 * a.row, c += 4 * ldc)
		product_block(pairs, 4, nv, depth, a, b, c, ldc, add);
	if (m >= 2) {
		product_block(pairs, 2, nv, depth, a, b, c, ldc, add);
		m -= 2, a.p += 2 * a.row, c += 2 * ldc;
	}
	if (m > 0)
		product_block(pairs, 1, nv, depth, a, b, c, ldc, add);
}

VEC void product_of(const bool pairs, size_t m, size_t n, size_t depth,
                    struct mat a, struct panels b, float *c, size_t ldc,
                    bool add)
{
	size_t j = 0;

	for (; j + 2 * VL <= n; j += 2 * VL)
		product_rows(pairs, 2, m, depth, a, from_column(b, j), c + j,
		             ldc, add);
	for (; j < n; j += VL)
		product_rows(pairs, 1, m, depth, a, from_column(b, j), c + j,
		             ldc, add);
}

/* C[m, n] = A[m, depth] B[depth, n], or +=; n is a multiple of 16. */
static void product(size_t m, size_t n, size_t depth, struct mat a,
                    struct panels b, float *c, size_t ldc, bool add)
{
	product_of(false, m, n, depth, a, b, c, ldc, add);
}

/* What the products of a head multiply. */
enum operands { FLOATS, PAIRS_OF_BF16, TILES_OF_PAIRS };

/* The same of any operands; by tiles A must be by rows. */
static void product_any(enum operands kind, size_t m, size_t n, size_t depth,
                        struct mat a, struct panels b, float *c, size_t ldc,
                        bool add)
{
#if PAIRS
	if (kind == TILES_OF_PAIRS)
		bt_tiles_multiply(&(struct bt_tiles_product){
		    m, n, depth, a.p, b.p, a.row, b.row, b.panel, c, ldc, add});
	else if (kind == PAIRS_OF_BF16)
		product_of(true, m, n, depth, a, b, c, ldc, add);
	else
#endif
		product_of(false, m, n, depth, a, b, c, ldc, add);
	(void)kind;
}

/* Rows x [rows, n] to y [rows, n / 2], pairs along the rows; y may be x. */
static void pair_columns(const float *x, size_t rows, size_t n, float *y)
{
	size_t i;

	for (i = 0; i < rows * n; i += VL)
		v_store_bf16((uint16_t *)y + i, v_load(x + i));
}

/* Rows x [rows, n] to y [rows / 2, n], pairs of a row and the next, with zeros
 * behind to a multiple of 8 rows of y; y may be x. */
static void pair_rows(const float *x, size_t rows, size_t n, float *y)
{
	size_t i, j;

	for (i = 0; i < rows; i += 2, x += 2 * n, y += n)
		for (j = 0; j < n; j += VL)
			v_store_pairs(y + j, v_load(x + j),
			              i + 1 < rows ? v_load(x + n + j)
			                           : v_set1(0));
	memset(y, 0, (bt_round_up(rows, 16) - i) / 2 * n * sizeof(*y));
}

/* Rows x [rows, n] of pairs, which y [n, 16] holds as columns: 8 of them, or
 * all 16. */
static void pairs_by_columns(const float *x, size_t n, float *y)
{
	size_t j, i;

	for (j = 0; j < n; j += VL)
		for (i = 0; i < 16; i += VL)
			u_transpose(x + i * n + j, n, y + j * 16 + i, 16,
			            false);
}

/* What follows d elements of x in each row is the next head's, which mostly
 * comes next: the processor does not see so many streams by itself. */
VEC void ask_for_next(const void *x, size_t size, size_t d)
{
	size_t i;

	for (i = d; i < 2 * d; i += 64 / size)
		__builtin_prefetch((const char *)x + i * size);
}

/* rows x d of either type, ld apart, to f32 rows of dp. */
static void unpack(bool bf16, const void *x, size_t ld, size_t rows, size_t d,
                   size_t dp, float *y)
{
	size_t size = bf16 ? sizeof(uint16_t) : sizeof(float), r, i;

	for (r = 0; r < rows; r++) {
		ask_for_next((const char *)x + r * ld * size, size, d);
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

/* Rows n .. np-1 of x [np, dp] to zeros; then its transpose, x's element (j, i)
 * at y[i * row + j / 16 * panel + j % 16]. */
static void transpose(float *x, size_t n, size_t np, size_t dp, float *y,
                      size_t row, size_t panel)
{
	size_t i, j;

	memset(x + n * dp, 0, (np - n) * dp * sizeof(*x));
	for (j = 0; j < np; j += VL)
		for (i = 0; i < dp; i += VL)
			u_transpose(x + j * dp + i, dp,
			            y + i * row + j / 16 * panel + j % 16, row,
			            false);
}

/* Rows x [n, dp], with zeros behind to a multiple of 16, as panels. */
static void transpose_panels(float *x, size_t n, size_t dp, float *y)
{
	transpose(x, n, bt_round_up(n, 16), dp, y, 16, 16 * dp);
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

/* A head's rows of bf16. */
struct rows {
	const uint16_t *p;
	size_t ld, n;
};

VEC struct rows rows_from(const void *p, size_t ld, size_t i, size_t n)
{
	return (struct rows){(const uint16_t *)p + i * ld, ld, n};
}

/* Rows x of d numbers as pairs along the rows: y [x.n, dp / 2]. */
static void copy_pairs(struct rows x, size_t d, size_t dp, float *y)
{
	size_t r, i;

	for (r = 0; r < x.n; r++, x.p += x.ld, y += dp / 2) {
		ask_for_next(x.p, sizeof(*x.p), d);
		for (i = 0; i + 2 * VL <= d; i += 2 * VL)
			v_store(y + i / 2, v_load((const float *)(x.p + i)));
		if (i == dp)
			continue;
		memcpy(y + i / 2, x.p + i, (d - i) * sizeof(*x.p));
		memset((uint16_t *)y + d, 0, (dp - d) * sizeof(*x.p));
	}
}

/* The same as pair_rows makes of them. */
static void interleave_rows(struct rows x, size_t d, size_t dp, float *y)
{
	size_t r, i, n;

	for (r = 0; r < x.n; r += 2, x.p += 2 * x.ld, y += dp) {
		ask_for_next(x.p, sizeof(*x.p), d);
		ask_for_next(x.p + x.ld, sizeof(*x.p), d);
		for (i = 0; i < d; i += n) {
			n = d - i < 32 ? d - i : 32;
			v_store_row_pairs(y + i, x.p + i,
			                  r + 1 < x.n ? x.p + x.ld + i : NULL,
			                  n);
		}
	}
	memset(y, 0, (bt_round_up(x.n, 16) - r) / 2 * dp * sizeof(*y));
}

/* Queries or keys x, row 0 of which is of token i: turned by the rotary table,
 * if there is one, in work [x.n, dp]; then pairs along rows, y, and of rows,
 * y2, or NULL. y may be work. */
static void turned_pairs(const struct bt_attend *a, struct rows x, size_t i,
                         size_t dp, float *work, float *y, float *y2)
{
	if (a->rotary == NULL) {
		if (y2 != NULL)
			interleave_rows(x, a->d, dp, y2);
		copy_pairs(x, a->d, dp, y);
		return;
	}
	unpack(true, x.p, x.ld, x.n, a->d, dp, work);
	rotate(a, i, x.n, dp, 1, work);
	if (y2 != NULL)
		pair_rows(work, x.n, dp, y2);
	pair_columns(work, x.n, dp, y);
}

/* The keys that a tile of queries sees: first .. end-1, and the columns that
 * its scores have, whole vectors. All of them but with a window. */
struct seen {
	size_t first, end, width;
};

static struct seen keys_seen(const struct bt_attend *a, size_t i0, size_t rows)
{
	struct seen s = {0, a->n, 0};

	if (a->window != 0 && i0 > a->window)
		s.first = (i0 - a->window) / 16 * 16;
	if (a->window != 0 && a->n - i0 > rows + a->window)
		s.end = i0 + rows + a->window;
	s.width = bt_round_up(s.end - s.first, 16);
	return s;
}

/* Those of s from key j on, n at most. There may be none: then first is not
 * below end. */
static struct seen keys_of_block(struct seen s, size_t j, size_t n)
{
	if (s.first < j)
		s.first = j;
	if (s.end > j + n)
		s.end = j + n;
	if (s.first < s.end)
		s.width = bt_round_up(s.end - s.first, 16);
	return s;
}

/* Of a query's scores: those that it sees are columns from .. to-1. */
struct row {
	size_t from, to, width;
};

/* False: it sees none of s. */
static bool row_seen(const struct bt_attend *a, struct seen s, size_t i,
                     struct row *r)
{
	size_t end = i + a->window + 1;

	*r = (struct row){0, s.end - s.first, s.width};
	if (a->window == 0)
		return true;
	if (i > a->window + s.first)
		r->from = i - a->window - s.first;
	if (end < s.end)
		r->to = end > s.first ? end - s.first : 0;
	return r->from < r->to;
}

/* The scores p of a query from column j on, minus infinity where it does not
 * see. They are not stored: a vector that is loaded after a part of it was
 * stored waits. */
VEC vf row_scores(const float *p, struct row r, size_t j)
{
	static const float edges[48] = {
	    -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY,
	    -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY,
	    -INFINITY, -INFINITY, -INFINITY, -INFINITY, 0,         0,
	    0,         0,         0,         0,         0,         0,
	    0,         0,         0,         0,         0,         0,
	    0,         0,         -INFINITY, -INFINITY, -INFINITY, -INFINITY,
	    -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY,
	    -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
	vf x = v_load(p + j);
	size_t n;

	if (j < r.from) {
		n = r.from - j < 16 ? r.from - j : 16;
		x = v_add(x, v_load(edges + 16 - n));
	}
	if (j + VL > r.to) {
		n = r.to > j ? r.to - j : 0;
		x = v_add(x, v_load(edges + 32 - n));
	}
	return x;
}

/* Of a row's multipliers m of dropout those from column j on, and zeros behind.
 */
VEC vf row_mults(const float *m, struct row r, size_t j)
{
	return j + VL <= r.to ? v_load(m + j)
	       : j < r.to     ? v_loadn(m + j, r.to - j)
	                      : v_set1(0);
}

/* Dropout multipliers of query rows i0 .. i0+rows-1; returns where the first
 * one stands in m, whose whole blocks may begin before it. */
static const float *tile_mask(const struct bt_attend *a, size_t i0, size_t rows,
                              float *m)
{
	size_t first = i0 * a->n, block = first / 128;

	drop_fill(&a->drop, 0, block, first - block * 128 + rows * a->n, m);
	return m + (first - block * 128);
}

/* The same of the columns of s in row i alone, with a window; they are few. */
static const float *row_mask(const struct bt_attend *a, struct seen s, size_t i,
                             float *m)
{
	size_t first = i * a->n + s.first, block = first / 128;

	drop_fill(&a->drop, 0, block, first - block * 128 + (s.end - s.first),
	          m);
	return m + (first - block * 128);
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

#endif
