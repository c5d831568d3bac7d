/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* The kernel of int8 products by AMX tiles, on tiles imitated in plain C. On a
 * machine that has them, unit/cpu/int8 puts the real ones to its test. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "test.h"

#include "guard.h"
#include "tiles.h"

#define bt_int8_finish_512 keep_sums
#define bt_int8_quantise_512 no_quantise
#include "cpu/int8_int.h"

struct sums;
static void write_bf16(const struct bt_int8_product *p, const struct sums *s,
                       size_t from, size_t end);
#include "cpu/int8_amx.c"

void keep_sums(const struct bt_int8_product *p, const int32_t *sums, size_t r,
               size_t c)
{
	size_t i;

	assert_true(r < p->rows && c < p->n && (uintptr_t)sums % 64 == 0);
	for (i = 0; i < 16 && c + i < p->n; i++)
		((int32_t *)p->y)[r * p->y_ld + c + i] = sums[i];
}

/* All outputs are sums here, also those that stand for bf16. */
static void write_bf16(const struct bt_int8_product *p, const struct sums *s,
                       size_t from, size_t end)
{
	size_t i, h;

	assert_true(from <= end && end <= s->rows && p->n - s->c >= 32);
	for (i = from; i < end; i++)
		for (h = 0; h < 2; h++)
			keep_sums(p, s->at[i / 16][h][i % 16], s->r + i,
			          s->c + 16 * h);
}

void no_quantise(const uint16_t *x, size_t rows, size_t k, void *q,
                 float *scale)
{
	(void)x, (void)rows, (void)k, (void)q, (void)scale;
	fail_msg("called");
}

/* Random bytes, -127 to 127. */
static void fill(int8_t *p, size_t n, uint64_t seed)
{
	float *f = malloc((n + 1) * sizeof(*f));
	size_t i;

	fill_random(f, n, 127, seed);
	for (i = 0; i < n; i++)
		p[i] = (int8_t)(f[i] > 127 ? 127 : f[i] < -127 ? -127 : f[i]);
	free(f);
}

/* In buffers no larger than a kernel may read, whose unused part is not 0. */
static void typed(size_t rows, size_t n, size_t k, bool bf16)
{
	size_t ld = bt_int8_ld(k), groups = (k + 3) / 4, r, c, i;
	size_t room = bt_round_up(rows, BT_INT8_ROWS);
	struct bt_int8_weight w = {0};
	struct bt_int8_product p = {rows, n,    k, NULL, NULL, &w,
	                            NULL, NULL, n, bf16, false};
	int8_t *x = guard_new(room * ld, 1);
	int32_t *y = guard_new(rows * n, sizeof(*y)), sum;

	fill(x, room * ld, rows + k);
	w.q = guard_new(bt_int8_packed(n, k), 1);
	memset(w.q, 0, bt_int8_packed(n, k));
	for (c = 0; c < n; c++)
		for (i = 0; i < k; i++)
			w.q[(c / 16 * groups + i / 4) * 64 + c % 16 * 4 +
			    i % 4] =
			    (int8_t)((int)((c * 31 + i * 17 + k) % 255) - 127);
	p.x = x;
	p.y = y;
	bt_int8_amx.product(&p);
	assert_false(tiles.on);
	for (r = 0; r < rows; r++)
		for (c = 0; c < n; c++) {
			sum = 0;
			for (i = 0; i < k; i++)
				sum += x[r * ld + i] *
				       w.q[(c / 16 * groups + i / 4) * 64 +
				           c % 16 * 4 + i % 4];
			if (y[r * n + c] != sum)
				fail_msg("%zu x %zu x %zu: row %zu, column %zu",
				         rows, n, k, r, c);
		}
	assert_int_equal(guard_free_all(), 0);
}

static void one(size_t rows, size_t n, size_t k)
{
	typed(rows, n, k, false);
	typed(rows, n, k, true);
}

TEST(tails)
{
	size_t i;

	for (i = 1; i < 68; i++) {
		one(i, 19, 24);
		one(3, i, 64);
		one(5, 17, i);
		one(i, 68 - i, 2 * i + 1);
	}
	one(97, 40, 771);
	one(80, 96, 200);
}
