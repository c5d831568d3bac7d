/* SPDX-License-Identifier: MIT */
/*
 * Template: products of f32, as struct bt_multiply says. After Van Zee and van
 * de Geijn, "BLIS" (2015): a tile of C keeps its sums in registers, the panel
 * of B that it needs stays in the first cache, the block of A in the second. An
 * element's sum is the same chain of additions in whatever tile it is.
 */
#ifndef BT_CPU_SIMD_PRODUCT_INT_H
#define BT_CPU_SIMD_PRODUCT_INT_H

#include "cpu/kernels_int.h"

/* Rows of a tile, and its vectors of columns: 12 sums of 16 registers, or 24 of
 * 32. Panels are as wide as pack_int.h is fast. */
#if VL == 16
#define TILE_ROWS 8
#define TILE_VECTORS 3
#else
#define TILE_ROWS 6
#define TILE_VECTORS (16 / VL)
#endif
#define PANEL ((size_t)TILE_VECTORS * VL)

/* Rows of A, and elements of a sum, at a time. */
#define BLOCK_ROWS ((size_t)96)
#define BLOCK_DEPTH BT_PRODUCT_DEPTH

/*
 * Sanitizers would take five to ten times as long for these loops, and watch
 * none that a library multiplies with. AddressSanitizer looks at what a block
 * reads and writes once, before it; that no tile goes beyond is tested with
 * guard pages.
 */
#ifdef __clang__
#define UNWATCHED                                                              \
	__attribute__((                                                        \
	    no_sanitize("thread", "address", "undefined", "coverage")))
#else
#define UNWATCHED __attribute__((no_sanitize("thread", "address", "undefined")))
#endif

/* n columns of a row of C. */
UNWATCHED VEC void tile_row(float *c, const vf sum[TILE_VECTORS],
                            const float *bias, bool add, size_t n)
{
	size_t v, m;
	vf y;

	for (v = 0; v < TILE_VECTORS; v++, c += VL) {
		if (v * VL >= n)
			return;
		m = n - v * VL;
		y = sum[v];
		if (add)
			y = v_add(m >= VL ? v_load(c) : v_loadn(c, m), y);
		if (bias != NULL)
			y = v_add(y, m >= VL ? v_load(bias + v * VL)
			                     : v_loadn(bias + v * VL, m));
		if (m >= VL)
			v_store(c, y);
		else
			v_storen(c, y, m);
	}
}

/* What a block of A, or its packed tiles, and a panel of B add to C. */
struct multiply_block {
	size_t rows, n, depth;
	const float *a;
	size_t a_row;
	const float *b;
	float *c;
	size_t c_row;
	bool add;
	const float *bias; /* or NULL */
};

/* R rows of it. Element (i, k) of A is a[i * row + k * step]. */
UNWATCHED VEC void tile(const struct multiply_block *p, const float *a,
                        size_t row, size_t step, float *c, const int R)
{
	vf sum[TILE_ROWS][TILE_VECTORS], w[TILE_VECTORS], x;
	const float *b = p->b;
	size_t k;
	int i, v;

	for (i = 0; i < R; i++)
		for (v = 0; v < TILE_VECTORS; v++)
			sum[i][v] = v_set1(0);
	for (k = p->depth; k > 0; k--, a += step, b += PANEL) {
		for (v = 0; v < TILE_VECTORS; v++)
			w[v] = v_load(b + v * VL);
		for (i = 0; i < R; i++) {
			x = v_set1(a[(size_t)i * row]);
			for (v = 0; v < TILE_VECTORS; v++)
				sum[i][v] = v_fma(x, w[v], sum[i][v]);
		}
	}
	for (i = 0; i < R; i++, c += p->c_row)
		tile_row(c, sum[i], p->bias, p->add, p->n);
}

UNWATCHED VEC void tile_of(size_t rows, const struct multiply_block *p,
                           const float *a, size_t row, size_t step, float *c)
{
	switch (rows) {
	case 1:
		tile(p, a, row, step, c, 1);
		break;
	case 2:
		tile(p, a, row, step, c, 2);
		break;
	case 3:
		tile(p, a, row, step, c, 3);
		break;
	case 4:
		tile(p, a, row, step, c, 4);
		break;
	case 5:
		tile(p, a, row, step, c, 5);
		break;
#if TILE_ROWS > 6
	case 6:
		tile(p, a, row, step, c, 6);
		break;
	case 7:
		tile(p, a, row, step, c, 7);
		break;
#endif
	default:
		tile(p, a, row, step, c, TILE_ROWS);
	}
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCH_ADDRESSES
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WATCH_ADDRESSES
#endif

#ifdef WATCH_ADDRESSES
void __asan_loadN(const void *p, size_t n);
void __asan_storeN(void *p, size_t n);

static void watch(const struct multiply_block *p)
{
	size_t i;

	__asan_loadN(p->b, p->depth * PANEL * sizeof(*p->b));
	if (p->bias != NULL)
		__asan_loadN(p->bias, p->n * sizeof(*p->bias));
	for (i = 0; i < p->rows; i++)
		__asan_storeN(p->c + i * p->c_row, p->n * sizeof(*p->c));
}

static void watch_rows(const struct multiply_block *p)
{
	size_t i;

	watch(p);
	for (i = 0; i < p->rows; i++)
		__asan_loadN(p->a + i * p->a_row, p->depth * sizeof(*p->a));
}

static void watch_tiles(const struct multiply_block *p)
{
	watch(p);
	__asan_loadN(p->a, (p->rows + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS *
	                       p->depth * sizeof(*p->a));
}
#else
#define watch_rows(p) ((void)0)
#define watch_tiles(p) ((void)0)
#endif

/* A row by row. Two rows alone would wait for their sums: the last ones are
 * shared between two tiles. */
UNWATCHED static void block_of_rows(const struct multiply_block *p)
{
	size_t i = 0, left, rows;

	for (; i < p->rows; i += rows) {
		left = p->rows - i;
		rows = left < TILE_ROWS ? left : TILE_ROWS;
		if (left > TILE_ROWS && left < TILE_ROWS + 3)
			rows = 4;
		tile_of(rows, p, p->a + i * p->a_row, p->a_row, 1,
		        p->c + i * p->c_row);
	}
}

/* A packed in tiles. */
UNWATCHED static void block_of_tiles(const struct multiply_block *p)
{
	size_t i, left;

	for (i = 0; i < p->rows; i += TILE_ROWS) {
		left = p->rows - i;
		tile_of(left, p, p->a + i * p->depth, 1, TILE_ROWS,
		        p->c + i * p->c_row);
	}
}

VEC size_t at_most(size_t n, size_t most)
{
	return n < most ? n : most;
}

static void multiply(const struct bt_multiply *p)
{
	size_t blocks = (p->k + BLOCK_DEPTH - 1) / BLOCK_DEPTH, q, k0, i, j;
	size_t b_panel = bt_round_up(p->k, 16) * PANEL;
	struct multiply_block t = {.a_row = p->a_row, .c_row = p->c_row};

	for (q = 0; q < blocks; q++) {
		k0 = p->k * q / blocks;
		t.depth = p->k * (q + 1) / blocks - k0;
		t.add = p->add || q > 0;
		for (i = 0; i < p->m; i += BLOCK_ROWS) {
			t.rows = at_most(p->m - i, BLOCK_ROWS);
			t.a = p->a + i * p->a_row + k0;
			for (j = 0; j < p->n; j += PANEL) {
				t.n = at_most(p->n - j, PANEL);
				t.b = p->b + j / PANEL * b_panel + k0 * PANEL;
				t.c = p->c + i * p->c_row + j;
				if (p->bias != NULL && q + 1 == blocks)
					t.bias = p->bias + j;
				watch_rows(&t);
				block_of_rows(&t);
			}
		}
	}
}

/* Columns of A, from its rows a_row apart, as rows of tiles. */
static void pack_tiles(const float *a, size_t a_row, size_t depth, size_t n,
                       float *out)
{
	size_t i, k;

	for (i = 0; i < n; i += TILE_ROWS)
		for (k = 0; k < depth; k++, out += TILE_ROWS)
			if (n - i >= TILE_ROWS)
				memcpy(out, a + k * a_row + i,
				       TILE_ROWS * sizeof(*out));
			else
				memcpy(out, a + k * a_row + i,
				       (n - i) * sizeof(*out));
}

static void pack_panels(const float *b, size_t b_row, size_t depth, size_t n,
                        float *out)
{
	size_t j, k;

	for (j = 0; j < n; j += PANEL)
		for (k = 0; k < depth; k++, out += PANEL)
			if (n - j >= PANEL)
				memcpy(out, b + k * b_row + j,
				       PANEL * sizeof(*out));
			else
				memcpy(out, b + k * b_row + j,
				       (n - j) * sizeof(*out));
}

/* A block of packed tiles by one of packed panels, of n columns. */
static void tiles_by_panels(const struct multiply_block *p, const float *b,
                            size_t n)
{
	struct multiply_block t = *p;
	size_t i, j;

	for (i = 0; i < p->rows; i += BLOCK_ROWS) {
		t.rows = at_most(p->rows - i, BLOCK_ROWS);
		t.a = p->a + i * p->depth;
		for (j = 0; j < n; j += PANEL) {
			t.n = at_most(n - j, PANEL);
			t.b = b + j * p->depth;
			t.c = p->c + i * p->c_row + j;
			watch_tiles(&t);
			block_of_tiles(&t);
		}
	}
}

static void multiply_at(const struct bt_multiply *p)
{
	size_t blocks = (p->k + BLOCK_DEPTH - 1) / BLOCK_DEPTH, q, k0, i, j, n;
	float *a = p->scratch, *b = a + BT_PRODUCT_ROWS * BLOCK_DEPTH;
	struct multiply_block t = {.a = a, .c_row = p->c_row};

	for (q = 0; q < blocks; q++) {
		k0 = p->k * q / blocks;
		t.depth = p->k * (q + 1) / blocks - k0;
		t.add = p->add || q > 0;
		for (i = 0; i < p->m; i += BT_PRODUCT_ROWS) {
			t.rows = at_most(p->m - i, BT_PRODUCT_ROWS);
			pack_tiles(p->a + k0 * p->a_row + i, p->a_row, t.depth,
			           t.rows, a);
			for (j = 0; j < p->n; j += BT_PRODUCT_COLUMNS) {
				n = at_most(p->n - j, BT_PRODUCT_COLUMNS);
				pack_panels(p->b + k0 * p->b_row + j, p->b_row,
				            t.depth, n, b);
				t.c = p->c + i * p->c_row + j;
				tiles_by_panels(&t, b, n);
			}
		}
	}
}

#endif
