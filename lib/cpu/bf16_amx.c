/* SPDX-License-Identifier: MIT */
/*
 * Products by AMX tiles of bf16 (Intel SDM volume 2, TDPBF16PS): those of
 * linear layers and of attention, and the gradient of a weight, dW = dY' X. For
 * this both sides are laid out first, in panels of 32 columns: of dY each row
 * of a tile is an output with 32 tokens, of X it is two tokens with 16 inputs
 * in turn. What that takes at a time stays in the second cache.
 *
 * A test without such a processor defines the operations on tiles, the two
 * layouts and write_rows itself and includes this file.
 */
#if defined(__AMX_BF16__) || defined(__AMXBF16__) || defined(BT_TILES_IMITATED)
#include <string.h>

#include "base/mem.h"
#include "cpu/amx_int.h"
#include "cpu/gemm_int.h"
#include "cpu/kernels_int.h"
#ifndef BT_TILES_IMITATED
#include "cpu/vec_avx512_int.h"
#endif

#define PANEL (2 * TILE_SIDE)   /* columns, and tokens of a step */
#define STEP (PANEL * PANEL)    /* numbers of a panel's two tiles */
#define STEPS_MAX ((size_t)12)  /* in which tokens are summed up at a time */
#define PANELS_MAX ((size_t)24) /* of X at a time */

/* Lays 32 x 32 numbers, of rows ld apart, out as two tiles. */
typedef void lay_out_fn(const uint16_t *x, size_t ld, uint16_t *tiles);

#ifndef BT_TILES_IMITATED
/* Row i holds rows 2i and 2i + 1 of 16 columns, in turn. */
static void pairs(const uint16_t *x, size_t ld, uint16_t *tiles)
{
	__m512i count = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5,
	                                 4, 3, 2, 1, 0);
	__m512i first = _mm512_add_epi32(
	    _mm512_mullo_epi32(count, _mm512_set1_epi32(0x10001)),
	    _mm512_set1_epi32(0x200000));
	__m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(0x100010));
	int i;

	for (i = 0; i < 16; i++, x += 2 * ld, tiles += 32) {
		__m512i a = _mm512_loadu_si512(x);
		__m512i b = _mm512_loadu_si512(x + ld);

		_mm512_store_si512(tiles,
		                   _mm512_permutex2var_epi16(a, first, b));
		_mm512_store_si512(tiles + 512,
		                   _mm512_permutex2var_epi16(a, second, b));
	}
}

static __m128i eight(const uint16_t *x)
{
	return _mm_loadu_si128((const __m128i *)x);
}

/* 8 columns: lanes hold rows i, i + 8, i + 16 and i + 24, and are turned each
 * by itself. */
static void turn_columns(const uint16_t *x, size_t ld, uint16_t *out)
{
	__m512i a[8], b[8];
	int i, j;

	for (i = 0; i < 8; i++, x += ld) {
		a[i] = _mm512_castsi128_si512(eight(x));
		a[i] = _mm512_mask_broadcast_i32x4(a[i], 0x00f0,
		                                   eight(x + 8 * ld));
		a[i] = _mm512_mask_broadcast_i32x4(a[i], 0x0f00,
		                                   eight(x + 16 * ld));
		a[i] = _mm512_mask_broadcast_i32x4(a[i], 0xf000,
		                                   eight(x + 24 * ld));
	}
	for (i = 0; i < 8; i += 2) {
		b[i] = _mm512_unpacklo_epi16(a[i], a[i + 1]);
		b[i + 1] = _mm512_unpackhi_epi16(a[i], a[i + 1]);
	}
	for (i = 0; i < 8; i += 4)
		for (j = 0; j < 2; j++) {
			a[i + 2 * j] =
			    _mm512_unpacklo_epi32(b[i + j], b[i + 2 + j]);
			a[i + 2 * j + 1] =
			    _mm512_unpackhi_epi32(b[i + j], b[i + 2 + j]);
		}
	for (i = 0; i < 4; i++, out += 64) {
		_mm512_store_si512(out, _mm512_unpacklo_epi64(a[i], a[4 + i]));
		_mm512_store_si512(out + 32,
		                   _mm512_unpackhi_epi64(a[i], a[4 + i]));
	}
}

/* Row i holds column i. */
static void turn(const uint16_t *x, size_t ld, uint16_t *tiles)
{
	int i;

	for (i = 0; i < 4; i++)
		turn_columns(x + 8 * i, ld, tiles + 256 * i);
}
#endif

/* So many columns of the tokens of some steps, as panels behind one another;
 * what the last panel has beyond them is zeros. */
static void lay_out(lay_out_fn *fn, const uint16_t *x, size_t ld, size_t steps,
                    size_t cols, uint16_t *out)
{
	_Alignas(64) uint16_t edge[PANEL][PANEL] = {{0}};
	size_t s, c, i;

	for (s = 0; s < steps; s++, x += PANEL * ld, out += STEP) {
		for (c = 0; cols - c >= PANEL; c += PANEL)
			fn(x + c, ld, out + c / PANEL * steps * STEP);
		if (c == cols)
			continue;
		for (i = 0; i < PANEL; i++)
			memcpy(edge[i], x + i * ld + c,
			       (cols - c) * sizeof(*x));
		fn(edge[0], PANEL, out + c / PANEL * steps * STEP);
	}
}

/* A block of 32 x 32 sums in c, of rows ld apart: tiles 0 to 3; tiles 4 and 5
 * are dY's, 6 and 7 X's. The lines of the next block are asked for meanwhile.
 */
static void sum_up(const uint16_t *dy, const uint16_t *x, size_t steps,
                   float *c, size_t ld, bool add, const float *next)
{
	const size_t stride = ld * sizeof(*c);
	float *below = c + TILE_SIDE * ld;
	size_t s;

	if (add) {
		TILE_LOAD(0, c, stride);
		TILE_LOAD(1, c + TILE_SIDE, stride);
		TILE_LOAD(2, below, stride);
		TILE_LOAD(3, below + TILE_SIDE, stride);
	} else {
		TILE_ZERO(0);
		TILE_ZERO(1);
		TILE_ZERO(2);
		TILE_ZERO(3);
	}
	for (s = 0; s < steps; s++, dy += STEP, x += STEP) {
		TILE_LOAD(4, dy, 64);
		TILE_LOAD(6, x, 64);
		TILE_DOT_BF16(0, 4, 6);
		TILE_LOAD(7, x + STEP / 2, 64);
		TILE_DOT_BF16(1, 4, 7);
		TILE_LOAD(5, dy + STEP / 2, 64);
		TILE_DOT_BF16(2, 5, 6);
		TILE_DOT_BF16(3, 5, 7);
		if (s >= TILE_SIDE)
			continue;
		__builtin_prefetch(next, 1);
		__builtin_prefetch(next + TILE_SIDE, 1);
		__builtin_prefetch(next + ld, 1);
		__builtin_prefetch(next + ld + TILE_SIDE, 1);
		next += 2 * ld;
	}
	TILE_STORE(0, c, stride);
	TILE_STORE(1, c + TILE_SIDE, stride);
	TILE_STORE(2, below, stride);
	TILE_STORE(3, below + TILE_SIDE, stride);
}

/* A part of dW, of rows ld apart, from panels of both sides. */
struct part {
	const uint16_t *dy, *x;
	size_t steps;
	float *c;
	size_t rows, cols, ld;
	bool add;
};

/* A block that the part has not the whole of: beside it. */
static void edge(const struct part *p, const uint16_t *dy, const uint16_t *x,
                 size_t i, size_t j)
{
	size_t rows = p->rows - i < PANEL ? p->rows - i : PANEL, r;
	size_t cols = p->cols - j < PANEL ? p->cols - j : PANEL;
	_Alignas(64) float sums[PANEL][PANEL] = {{0}};
	float *c = p->c + i * p->ld + j;

	for (r = 0; r < rows && p->add; r++)
		memcpy(sums[r], c + r * p->ld, cols * sizeof(*c));
	sum_up(dy, x, p->steps, sums[0], PANEL, p->add, sums[0]);
	for (r = 0; r < rows; r++)
		memcpy(c + r * p->ld, sums[r], cols * sizeof(*c));
}

static void multiply(const struct part *p)
{
	size_t panel = p->steps * STEP, i, j;
	const uint16_t *dy = p->dy, *x;
	float *c;

	for (i = 0; i < p->rows; i += PANEL, dy += panel)
		for (j = 0, x = p->x; j < p->cols; j += PANEL, x += panel) {
			if (p->rows - i < PANEL || p->cols - j < PANEL) {
				edge(p, dy, x, i, j);
				continue;
			}
			c = p->c + i * p->ld + j;
			sum_up(dy, x, p->steps, c, p->ld, p->add,
			       p->cols - j >= 2 * PANEL ? c + PANEL : c);
		}
}

static size_t panels(size_t cols)
{
	return (cols + PANEL - 1) / PANEL;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t bt_gemm_tiles_scratch(const struct bt_gemm_gradient *a)
{
	size_t steps = smaller(panels(a->rows), STEPS_MAX);

	return (panels((size_t)(a->n1 - a->n0)) +
	        smaller(panels((size_t)a->k), PANELS_MAX)) *
	       steps * STEP * sizeof(uint16_t);
}

void bt_gemm_gradient_tiles(const struct bt_gemm_gradient *a, void *scratch)
{
	size_t n = (size_t)a->n, n0 = (size_t)a->n0, k = (size_t)a->k;
	size_t all = panels(a->rows);
	size_t parts = all > 0 ? (all + STEPS_MAX - 1) / STEPS_MAX : 1;
	size_t i, j, s;
	uint16_t *dy = scratch, *x;
	struct part p = {
	    .dy = dy, .rows = (size_t)a->n1 - n0, .ld = k, .add = a->add};

	TILE_CONFIG(&tile_config);
	for (i = 0; i < parts; i++, p.add = true) {
		s = all * i / parts;
		p.steps = all * (i + 1) / parts - s;
		lay_out(turn, (const uint16_t *)a->dy + s * PANEL * n + n0, n,
		        p.steps, p.rows, dy);
		p.x = x = dy + panels(p.rows) * p.steps * STEP;
		for (j = 0; j < k; j += PANELS_MAX * PANEL) {
			p.cols = smaller(k - j, PANELS_MAX * PANEL);
			p.c = a->dw + n0 * k + j;
			lay_out(pairs,
			        (const uint16_t *)a->x + s * PANEL * k + j, k,
			        p.steps, p.cols, x);
			multiply(&p);
		}
	}
	TILE_RELEASE();
}

/* Y = X W' + bias, with rows of Y so far apart. */
struct linear {
	const struct bt_gemm_block *b;
	size_t n, k, ld;
};

/* The sums of 32 rows by 32 columns, of whose rows so many are written. */
struct sums {
	_Alignas(64) float at[2][2][TILE_SIDE][TILE_SIDE];
	size_t r, c, rows, written;
};

#ifndef BT_TILES_IMITATED
/* Rows from .. end-1 of a block, as far as it has columns. */
static void write_rows(const struct linear *p, const struct sums *s,
                       size_t from, size_t end)
{
	const struct bt_gemm_block *b = p->b;
	size_t h, c, n, i, at;
	vf bias, y;
	float *out;

	for (h = 0; h < 2 && s->c + h * TILE_SIDE < p->n; h++) {
		c = s->c + h * TILE_SIDE;
		n = smaller(p->n - c, TILE_SIDE);
		bias = b->bias != NULL ? v_loadn(b->bias + c, n) : v_set1(0);
		for (i = from; i < end; i++) {
			at = (s->r + i) * p->ld + c;
			y = v_add(
			    v_load(s->at[i / TILE_SIDE][h][i % TILE_SIDE]),
			    bias);
			if (b->y_bf16) {
				v_storen_bf16((uint16_t *)b->y + at, y, n);
				continue;
			}
			out = (float *)b->y + at;
			v_storen(out, b->add ? v_add(v_loadn(out, n), y) : y,
			         n);
		}
	}
}
#endif

/* Writes n further rows, as far as there are so many. */
static void write_some(const struct linear *p, struct sums *s, size_t n)
{
	size_t end = s->rows - s->written < n ? s->rows : s->written + n;

	write_rows(p, s, s->written, end);
	s->written = end;
}

/* Adds what 32 inputs give: tiles 4 and 5 are inputs of rows ld apart, 6 and 7
 * weights. */
static inline void linear_step(const uint16_t *x, size_t ld, const uint16_t *w,
                               size_t panel, bool tall)
{
	const size_t stride = ld * sizeof(*x);

	TILE_LOAD(4, x, stride);
	TILE_LOAD(6, w, 64);
	TILE_LOAD(7, w + panel, 64);
	TILE_DOT_BF16(0, 4, 6);
	TILE_DOT_BF16(1, 4, 7);
	if (!tall)
		return;
	TILE_LOAD(5, x + TILE_SIDE * ld, stride);
	TILE_DOT_BF16(2, 5, 6);
	TILE_DOT_BF16(3, 5, 7);
}

/* The last inputs, with zeros behind them. */
static void last_step(const uint16_t *x, size_t k, size_t left,
                      const uint16_t *w, size_t panel, bool tall)
{
	_Alignas(64) uint16_t inputs[PANEL][PANEL] = {{0}};
	size_t i;

	for (i = 0; i < (tall ? PANEL : TILE_SIDE); i++)
		memcpy(inputs[i], x + i * k, left * sizeof(*x));
	linear_step(inputs[0], PANEL, w, panel, tall);
}

/* Sums up the block at row r and column c, and meanwhile writes what is left of
 * another and asks for `lines` of the weights behind, in each step. */
static void linear_block(const struct linear *p, const uint16_t *w, size_t r,
                         size_t c, size_t lines, struct sums *to,
                         struct sums *other)
{
	const size_t panel = bt_round_up(p->k, PANEL) * TILE_SIDE;
	const size_t rows = smaller(p->b->rows - r, PANEL);
	const size_t steps = panels(p->k), each = (PANEL + steps - 1) / steps;
	const uint16_t *x = (const uint16_t *)p->b->x + r * p->k;
	const uint16_t *next = w + 2 * panel + r / PANEL * steps * lines * 32;
	const void *y =
	    (const char *)p->b->y +
	    (r * p->ld + c) * (p->b->y_bf16 ? sizeof(uint16_t) : sizeof(float));
	const bool tall = rows > TILE_SIDE;
	size_t s, i;

	TILE_ZERO(0);
	TILE_ZERO(1);
	TILE_ZERO(2);
	TILE_ZERO(3);
	for (s = 0; s < steps; s++, x += PANEL, w += STEP / 2) {
		if ((s + 1) * PANEL <= p->k)
			linear_step(x, p->k, w, panel, tall);
		else
			last_step(x, p->k, p->k - s * PANEL, w, panel, tall);
		write_some(p, other, each);
		tile_want_rows(y, p->ld, p->b->y_bf16, s * each,
		               smaller((s + 1) * each, rows));
		for (i = 0; i < lines; i++, next += 32)
			__builtin_prefetch(next, 0, 2);
	}
	TILE_STORE(0, to->at[0][0], 64);
	TILE_STORE(1, to->at[0][1], 64);
	if (tall) {
		TILE_STORE(2, to->at[1][0], 64);
		TILE_STORE(3, to->at[1][1], 64);
	}
	to->r = r;
	to->c = c;
	to->rows = rows;
	to->written = 0;
}

/* Columns outside: their weights stay in the cache for all rows, and those of
 * the next come there meanwhile. */
void bt_gemm_tiles(const struct bt_gemm_block *b, const struct bt_pack *w,
                   size_t ld)
{
	const struct linear p = {b, w->n, w->k, ld};
	struct sums sums[2] = {{.rows = 0}};
	size_t blocks = panels(b->rows), lines, r, c;
	const uint16_t *panel = w->dst;
	int now = 0;

	TILE_CONFIG(&tile_config);
	for (c = 0; c < p.n; c += PANEL, panel += 2 * w->n_stride) {
		lines = p.n - c > PANEL ? (PANEL + blocks - 1) / blocks : 0;
		for (r = 0; r < b->rows; r += PANEL) {
			linear_block(&p, panel, r, c, lines, &sums[now],
			             &sums[!now]);
			now = !now;
		}
	}
	write_some(&p, &sums[!now], PANEL);
	TILE_RELEASE();
}

/* Tiles 0 to 3 are sums. A product adds up 32 numbers at a time by tiles 4 and
 * 5, or 16 by 6 and 7. */
static const struct tile_config product_config = {
    .palette = 1,
    .row_bytes = {64, 64, 64, 64, 64, 64, 32, 64},
    .rows = {16, 16, 16, 16, 16, 16, 16, 8},
};

void bt_tiles_begin(void)
{
	TILE_CONFIG(&product_config);
}

void bt_tiles_end(void)
{
	TILE_RELEASE();
}

/* Adds what elements k of the sums on give to a block that is tall, of 32 rows
 * and not 16, and wide, of 32 columns: by tiles A and B. */
#define ADD_UP(A, B)                                                           \
	do {                                                                   \
		TILE_LOAD(A, a + k, a_stride);                                 \
		TILE_LOAD(B, b + k * p->b_row, b_stride);                      \
		TILE_DOT_BF16(0, A, B);                                        \
		if (tall) {                                                    \
			TILE_LOAD(A, a + k + TILE_SIDE * p->a_row, a_stride);  \
			TILE_DOT_BF16(2, A, B);                                \
		}                                                              \
		if (!wide)                                                     \
			break;                                                 \
		TILE_LOAD(B, b + k * p->b_row + p->b_panel, b_stride);         \
		if (tall) {                                                    \
			TILE_DOT_BF16(3, A, B);                                \
			TILE_LOAD(A, a + k, a_stride);                         \
		}                                                              \
		TILE_DOT_BF16(1, A, B);                                        \
	} while (0)

/* 32 x 32 of C from row i and column j on, or the rows and columns of it that
 * there are. */
static void product_block(const struct bt_tiles_product *p, size_t i, size_t j)
{
	const bool tall = p->m - i > TILE_SIDE, wide = p->n - j > TILE_SIDE;
	const size_t a_stride = p->a_row * sizeof(float);
	const size_t b_stride = p->b_row * sizeof(float);
	const size_t c_stride = p->c_row * sizeof(float);
	const size_t depth = (p->depth + 7) / 8 * 8;
	const float *a = p->a + i * p->a_row;
	const float *b = p->b + j / TILE_SIDE * p->b_panel;
	float *c = p->c + i * p->c_row + j, *below = c + TILE_SIDE * p->c_row;
	size_t k;

	TILE_ZERO(0);
	TILE_ZERO(1);
	TILE_ZERO(2);
	TILE_ZERO(3);
	if (p->add)
		TILE_LOAD(0, c, c_stride);
	if (p->add && wide)
		TILE_LOAD(1, c + TILE_SIDE, c_stride);
	if (p->add && tall)
		TILE_LOAD(2, below, c_stride);
	if (p->add && tall && wide)
		TILE_LOAD(3, below + TILE_SIDE, c_stride);
	for (k = 0; depth - k >= TILE_SIDE; k += TILE_SIDE)
		ADD_UP(4, 5);
	if (k < depth)
		ADD_UP(6, 7);
	TILE_STORE(0, c, c_stride);
	if (wide)
		TILE_STORE(1, c + TILE_SIDE, c_stride);
	if (tall)
		TILE_STORE(2, below, c_stride);
	if (tall && wide)
		TILE_STORE(3, below + TILE_SIDE, c_stride);
}

void bt_tiles_multiply(const struct bt_tiles_product *p)
{
	size_t i, j;

	for (i = 0; i < p->m; i += 2 * TILE_SIDE)
		for (j = 0; j < p->n; j += 2 * TILE_SIDE)
			product_block(p, i, j);
}
#else
typedef int bt_no_bf16_amx; /* a translation unit must not be empty */
#endif
