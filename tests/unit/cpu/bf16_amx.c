/* SPDX-License-Identifier: MIT */
/* Not under emulation: the tiles are imitated there, in plain C */
/* Not under thread: starts no threads */
/* Products by AMX tiles of bf16, those of linear layers, of attention and the
 * gradient of a weight: on tiles imitated in plain C, and on the real ones
 * where the machine has them. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "test.h"

#include <stdio.h>

#include "base/sys.h"
#include "guard.h"
#include "tiles.h"

#define bt_gemm_tiles_scratch imitated_scratch
#define bt_gemm_gradient_tiles imitated
#define bt_gemm_tiles imitated_linear
#define bt_tiles_begin imitated_begin
#define bt_tiles_multiply imitated_product
#define bt_tiles_end imitated_end

static void pairs(const uint16_t *x, size_t ld, uint16_t *out)
{
	size_t r, c;

	for (r = 0; r < 32; r++)
		for (c = 0; c < 32; c++)
			out[c / 16 * 512 + r / 2 * 32 + c % 16 * 2 + r % 2] =
			    x[r * ld + c];
}

static void turn(const uint16_t *x, size_t ld, uint16_t *out)
{
	size_t r, c;

	for (r = 0; r < 32; r++)
		for (c = 0; c < 32; c++)
			out[c * 32 + r] = x[r * ld + c];
}

struct linear;
struct sums;
static void write_rows(const struct linear *p, const struct sums *s,
                       size_t from, size_t end);
#include "cpu/bf16_amx.c"

static void write_rows(const struct linear *p, const struct sums *s,
                       size_t from, size_t end)
{
	size_t i, c, at;
	float y;

	assert_true(from <= end && end <= s->rows && s->rows <= 32);
	for (i = from; i < end; i++)
		for (c = s->c; c < p->n && c < s->c + 32; c++) {
			at = (s->r + i) * p->ld + c;
			y = s->at[i / 16][(c - s->c) / 16][i % 16][c % 16];
			if (p->b->bias != NULL)
				y += p->b->bias[c];
			if (p->b->y_bf16)
				((uint16_t *)p->b->y)[at] = bt_f32_to_bf16(y);
			else if (p->b->add)
				((float *)p->b->y)[at] += y;
			else
				((float *)p->b->y)[at] = y;
		}
}

#undef bt_gemm_tiles
#undef bt_gemm_gradient_tiles
#undef bt_tiles_begin
#undef bt_tiles_multiply
#undef bt_tiles_end

/* The library's own. */
void bt_gemm_gradient_tiles(const struct bt_gemm_gradient *a, void *scratch);
void bt_gemm_tiles(const struct bt_gemm_block *b, const struct bt_pack *w,
                   size_t ld);
void bt_tiles_begin(void);
void bt_tiles_multiply(const struct bt_tiles_product *p);
void bt_tiles_end(void);

typedef void gradient_fn(const struct bt_gemm_gradient *a, void *scratch);

static enum bt_isa isa;

/* Those that the machine can run. */
static size_t kinds(gradient_fn *out[2])
{
	out[0] = imitated;
#if defined(__x86_64__)
	out[1] = bt_gemm_gradient_tiles;
	return isa >= BT_ISA_AMX ? 2 : 1;
#else
	return 1;
#endif
}

/* Numbers as they are in the room of so many rows, at the end of a page. */
static uint16_t *operand(size_t rows, size_t cols, bool whole, uint64_t seed)
{
	size_t room = bt_gemm_room(rows), n = rows * cols, i;
	uint16_t *p = guard_new(room * cols, sizeof(*p));
	float *f = malloc(n * sizeof(*f));

	memset(p, 0, room * cols * sizeof(*p));
	fill_random(f, n, whole ? 8 : 1, seed);
	for (i = 0; i < n; i++)
		p[i] = bt_f32_to_bf16(whole ? rintf(f[i]) : f[i]);
	free(f);
	return p;
}

/* Rows n0 .. n1 - 1, in parts of so many, with no more scratch than the first,
 * the largest, asks for. */
static void in_parts(gradient_fn *fn, struct bt_gemm_gradient a, int step)
{
	int last = a.n1;
	void *scratch = NULL;

	for (; a.n0 < last; a.n0 = a.n1) {
		a.n1 = a.n0 + step < last ? a.n0 + step : last;
		if (scratch == NULL)
			scratch = guard_new(imitated_scratch(&a), 1);
		fn(&a, scratch);
	}
	assert_false(tiles.on);
}

/* Whole numbers, whose sums are exact in any order. */
static void exact(size_t n, size_t k, size_t rows, size_t n0, size_t n1)
{
	uint16_t *dy = operand(rows, n, true, n + rows);
	uint16_t *x = operand(rows, k, true, k + rows + 1);
	gradient_fn *fn[2];
	size_t i, j, r, f, add;
	float want;

	for (f = 0; f < kinds(fn); f++) {
		float *dw = guard_new(n * k, sizeof(*dw));
		struct bt_gemm_gradient a = {.n = (int)n,
		                             .k = (int)k,
		                             .n0 = (int)n0,
		                             .n1 = (int)n1,
		                             .rows = rows,
		                             .dy = dy,
		                             .x = x,
		                             .dw = dw};

		for (i = 0; i < n * k; i++)
			dw[i] = 7;
		for (add = 0; add < 2; add++, a.add = true)
			in_parts(fn[f], a, (int)(n1 - n0));
		for (i = 0; i < n; i++)
			for (j = 0; j < k; j++) {
				want = 0;
				for (r = 0; r < rows; r++)
					want += 2 *
					        bt_bf16_to_f32(dy[r * n + i]) *
					        bt_bf16_to_f32(x[r * k + j]);
				if (i < n0 || i >= n1)
					want = 7;
				if (dw[i * k + j] != want)
					fail_msg("%zu x %zu, %zu rows, kind "
					         "%zu: (%zu, %zu)",
					         n, k, rows, f, i, j);
			}
	}
	assert_int_equal(guard_free_all(), 0);
}

TEST(tails)
{
	size_t i;

	for (i = 1; i < 68; i++) {
		exact(i, 19, 24, 0, i);
		exact(17, i, 33, 0, 17);
		exact(3, 5, i, 1, 2);
		exact(i + 9, 68 - i, 2 * i + 1, 9, i + 9);
	}
	exact(70, 70, 64, 5, 66);
	exact(64, 96, 32, 32, 64);
}

/* More tokens, and inputs, than are taken at a time. */
TEST(many)
{
	exact(40, 33, 385, 0, 40);
	exact(33, 40, 1300, 2, 31);
	exact(34, 800, 40, 0, 34);
	exact(2, 1570, 600, 0, 2);
}

/* The same bits however the gradient is cut, and of the imitated tiles as of
 * the real ones. */
TEST(cuts)
{
	static const size_t rows[] = {520, 700};
	size_t n = 100, k = 70, f, i, c;
	static const int steps[] = {100, 1, 32, 37};
	gradient_fn *fn[2];

	for (i = 0; i < 2; i++) {
		uint16_t *dy = operand(rows[i], n, false, 1);
		uint16_t *x = operand(rows[i], k, false, 2);
		float *want = guard_new(n * k, sizeof(*want));
		struct bt_gemm_gradient a = {.n = (int)n,
		                             .k = (int)k,
		                             .n1 = (int)n,
		                             .rows = rows[i],
		                             .dy = dy,
		                             .x = x,
		                             .dw = want};

		in_parts(imitated, a, (int)n);
		for (f = 0; f < kinds(fn); f++)
			for (c = fn[f] == imitated; c < 4; c++) {
				a.dw = guard_new(n * k, sizeof(*want));
				in_parts(fn[f], a, steps[c]);
				assert_memory_equal(a.dw, want,
				                    n * k * sizeof(*want));
			}
		assert_int_equal(guard_free_all(), 0);
	}
}

/* What is not a number stays so; without a row there is nothing to add. */
TEST(odd_rows)
{
	gradient_fn *fn[2];
	size_t f, i;

	for (f = 0; f < kinds(fn); f++) {
		uint16_t *dy = operand(3, 4, true, 1);
		uint16_t *x = operand(3, 5, true, 2);
		float *dw = guard_new(20, sizeof(*dw));
		struct bt_gemm_gradient a = {.n = 4,
		                             .k = 5,
		                             .n1 = 4,
		                             .rows = 3,
		                             .dy = dy,
		                             .x = x,
		                             .dw = dw};

		dy[4 + 2] = 0x7fc0; /* NaN */
		in_parts(fn[f], a, 4);
		for (i = 0; i < 20; i++)
			assert_true((i / 5 == 2) == (isnan(dw[i]) != 0));
		a.rows = 0;
		in_parts(fn[f], a, 4);
		for (i = 0; i < 20; i++)
			assert_true(dw[i] == 0);
		assert_int_equal(guard_free_all(), 0);
	}
}

/* Pairs of whole numbers, zeros from the one behind `depth` on; what `odd` rows
 * at the end hold is not a number. */
static float *pairs_of(size_t rows, size_t cols, size_t depth, bool by_rows,
                       size_t odd, uint64_t seed)
{
	float *f = malloc(2 * rows * cols * sizeof(*f));
	uint16_t *p = guard_new(rows * cols, sizeof(float));
	size_t i, r, c;
	bool zero;

	fill_random(f, 2 * rows * cols, 4, seed);
	for (i = 0; i < 2 * rows * cols; i++) {
		r = i / 2 / cols;
		c = i / 2 % cols;
		zero = (by_rows ? c : r) >= depth;
		p[i] = bt_f32_to_bf16(r + odd >= rows ? (float)NAN
		                      : zero          ? 0
		                                      : rintf(f[i]));
	}
	free(f);
	return (float *)p;
}

static float number(const float *pairs, size_t i, size_t half)
{
	return bt_bf16_to_f32(((const uint16_t *)pairs)[2 * i + half]);
}

/* B in panels of 16 columns, or by rows. */
static void attention_product(size_t m, size_t n, size_t depth, bool panels,
                              bool real)
{
	size_t rows = (m + 15) / 16 * 16, deep = (depth + 7) / 8 * 8, i, j, h;
	float *a = pairs_of(rows, deep, depth, true, rows - m, m + depth);
	float *b = panels
	               ? pairs_of(n / 16 * deep, 16, SIZE_MAX, false, 0, n + 1)
	               : pairs_of(deep, n, depth, false, 0, n + 1);
	float *c = guard_new(rows * n, sizeof(*c)), want;
	struct bt_tiles_product p = {.m = m,
	                             .n = n,
	                             .depth = depth,
	                             .a = a,
	                             .b = b,
	                             .a_row = deep,
	                             .b_row = panels ? 16 : n,
	                             .b_panel = panels ? 16 * deep : 16,
	                             .c = c,
	                             .c_row = n};

	for (i = 0; i < rows * n; i++)
		c[i] = 7; /* it does not add to this */
	for (h = 0; h < 2; h++, p.add = true) {
#if defined(__x86_64__)
		if (real) {
			bt_tiles_begin();
			bt_tiles_multiply(&p);
			bt_tiles_end();
			continue;
		}
#endif
		imitated_begin();
		imitated_product(&p);
		imitated_end();
	}
	for (i = 0; i < m * n; i++) {
		want = 0;
		for (j = 0; j < 2 * deep; j++) {
			h = panels ? (i % n / 16 * deep + j / 2) * 16 + i % 16
			           : j / 2 * n + i % n;
			want += 2 * number(a, i / n * deep + j / 2, j % 2) *
			        number(b, h, j % 2);
		}
		if (c[i] != want)
			fail_msg("%zu x %zu, depth %zu, real %d: %zu is %g, "
			         "not %g",
			         m, n, depth, real, i, (double)c[i],
			         (double)want);
	}
	assert_int_equal(guard_free_all(), 0);
}

TEST(of_attention)
{
	static const size_t rows[] = {1, 7, 16, 17, 32, 35};
	static const size_t depths[] = {1, 8, 9, 16, 21, 32};
	size_t i, j, d;
	int real, most = isa >= BT_ISA_AMX;

	for (real = 0; real <= most; real++)
		for (i = 0; i < 6; i++)
			for (j = 0; j < 3; j++)
				for (d = (i + j) % 2; d < 6; d += 2)
					attention_product(
					    rows[i], 16 + 16 * j, depths[d],
					    (i + d / 2) % 2 == 0, real);
}

static void multiply_linear(const struct bt_gemm_block *b,
                            const struct bt_pack *w, size_t ld, bool real)
{
#if defined(__x86_64__)
	if (real) {
		bt_gemm_tiles(b, w, ld);
		return;
	}
#endif
	(void)real;
	imitated_linear(b, w, ld);
	assert_false(tiles.on);
}

/* w [n, k] as bt_gemm_tiles takes it. */
static struct bt_pack packed(const uint16_t *w, size_t n, size_t k)
{
	struct bt_pack a = {.k = k, .n = n, .n_stride = (k + 31) / 32 * 512};
	size_t size = (n + 31) / 32 * 2 * a.n_stride, i, j;
	uint16_t *to = guard_new(size, sizeof(*to));

	memset(to, 0, size * sizeof(*to));
	for (i = 0; i < n; i++)
		for (j = 0; j < k; j++)
			to[i / 16 * a.n_stride + j / 32 * 512 +
			   j % 32 / 2 * 32 + i % 16 * 2 + j % 2] = w[i * k + j];
	a.dst = to;
	return a;
}

enum kind { PLAIN, BIAS, BIAS_ADDED, BF16, KINDS };

static float output(const char *y, size_t i, enum kind kind)
{
	return kind == BF16 ? bt_bf16_to_f32(((const uint16_t *)y)[i])
	                    : ((const float *)y)[i];
}

/* Whole numbers, into columns 3 on of rows that are 5 longer and hold 9s. */
static void linear_product(size_t rows, size_t n, size_t k, enum kind kind,
                           bool real)
{
	size_t ld = n + 5, element = kind == BF16 ? 2 : 4, i, c, j;
	uint16_t *x = operand(rows, k, true, rows + k);
	uint16_t *w = operand(n, k, true, n + 1);
	const struct bt_pack a = packed(w, n, k);
	float *bias = guard_new(n, sizeof(*bias)), want;
	char *y = guard_new(rows * ld, element);
	struct bt_gemm_block b = {.rows = rows,
	                          .x = x,
	                          .y = y + 3 * element,
	                          .y_bf16 = kind == BF16,
	                          .add = kind == BIAS_ADDED,
	                          .bias = kind != PLAIN ? bias : NULL};

	for (i = 0; i < n; i++)
		bias[i] = (float)(i % 7);
	for (i = 0; i < rows * ld; i++)
		if (kind == BF16)
			((uint16_t *)y)[i] = bt_f32_to_bf16(9);
		else
			((float *)y)[i] = 9;
	multiply_linear(&b, &a, ld, real);
	for (i = 0; i < rows * ld; i++) {
		c = i % ld - 3;
		want = c >= n || kind == BIAS_ADDED ? 9 : 0;
		for (j = 0; c < n && j < k; j++)
			want += bt_bf16_to_f32(x[i / ld * k + j]) *
			        bt_bf16_to_f32(w[c * k + j]);
		want += c < n && kind != PLAIN ? bias[c] : 0;
		if (kind == BF16)
			want = bt_bf16_to_f32(bt_f32_to_bf16(want));
		if (output(y, i, kind) != want)
			fail_msg("%zu rows, %zu x %zu, kind %d, real %d: %zu",
			         rows, n, k, (int)kind, real, i);
	}
	assert_int_equal(guard_free_all(), 0);
}

TEST(of_linear_layers)
{
	size_t i;
	int real, most = isa >= BT_ISA_AMX;
	enum kind kind;

	for (real = 0; real <= most; real++)
		for (kind = PLAIN; kind < KINDS; kind++) {
			for (i = 1; i < 70; i += 3) {
				linear_product(i, 33, 40, kind, real);
				linear_product(17, i, 31, kind, real);
				linear_product(33, 20, i, kind, real);
			}
			linear_product(256, 96, 64, kind, real);
			linear_product(100, 77, 1100, kind, real);
		}
}

int main(void)
{
	struct bt_error err = {0};

	if (bt_isa(&isa, &err) != BT_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	return run_listed();
}
