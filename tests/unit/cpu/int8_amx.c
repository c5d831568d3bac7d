/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* The kernel of int8 products by AMX tiles, with the tiles' operations done in
 * plain C as Intel's manual defines them (SDM volume 2: LDTILECFG, TILELOADD,
 * TDPBSSD), so that it is tested on any machine. On one that has tiles,
 * unit/cpu/int8 puts the real ones to its test. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "test.h"

#include <stdbool.h>

#include "guard.h"

#define BT_TILES_IMITATED
#define TILE_CONFIG(c) configure(c)
#define TILE_RELEASE() release()
#define TILE_ZERO(t) zero(t)
#define TILE_LOAD(t, p, stride) load(t, p, stride)
#define TILE_STORE(t, p, stride) store(t, p, stride)
#define TILE_DOT(sum, x, w) dot(sum, x, w)
#define bt_int8_finish_512 keep_sums
#define bt_int8_quantise_512 no_quantise

#define TILES 8

static struct {
	bool on;
	uint16_t row_bytes[TILES];
	uint8_t rows[TILES];
	int8_t tile[TILES][16][64];
} amx;

static void configure(const void *memory)
{
	const uint8_t *c = memory;
	int i;

	assert_int_equal(c[0], 1); /* palette */
	for (i = 1; i < 16; i++)
		assert_int_equal(c[i], 0);
	memset(&amx, 0, sizeof(amx));
	amx.on = true;
	for (i = 0; i < 16; i++) {
		if (i >= TILES) {
			assert_int_equal(c[16 + 2 * i] + c[17 + 2 * i], 0);
			assert_int_equal(c[48 + i], 0);
			continue;
		}
		memcpy(&amx.row_bytes[i], c + 16 + 2 * i, 2);
		amx.rows[i] = c[48 + i];
		assert_true(amx.row_bytes[i] <= 64 && amx.rows[i] <= 16);
	}
}

static void release(void)
{
	assert_true(amx.on);
	amx.on = false;
}

static void zero(int t)
{
	assert_true(amx.on);
	memset(amx.tile[t], 0, sizeof(amx.tile[t]));
}

static void load(int t, const void *p, size_t stride)
{
	int i;

	zero(t);
	for (i = 0; i < amx.rows[t]; i++)
		memcpy(amx.tile[t][i], (const char *)p + (size_t)i * stride,
		       amx.row_bytes[t]);
}

static void store(int t, void *p, size_t stride)
{
	int i;

	assert_true(amx.on);
	for (i = 0; i < amx.rows[t]; i++)
		memcpy((char *)p + (size_t)i * stride, amx.tile[t][i],
		       amx.row_bytes[t]);
}

static void dot(int sum, int x, int w)
{
	int m, n, k, i;
	int32_t s;

	assert_true(amx.on && amx.row_bytes[x] / 4 == amx.rows[w]);
	for (m = 0; m < amx.rows[sum]; m++)
		for (n = 0; n < amx.row_bytes[sum] / 4; n++) {
			memcpy(&s, &amx.tile[sum][m][4 * n], 4);
			for (k = 0; k < amx.row_bytes[x] / 4; k++)
				for (i = 0; i < 4; i++)
					s += amx.tile[x][m][4 * k + i] *
					     amx.tile[w][k][4 * n + i];
			memcpy(&amx.tile[sum][m][4 * n], &s, 4);
		}
}

#include "cpu/int8_amx.c"

void keep_sums(const struct bt_int8_product *p, const int32_t *sums, size_t r,
               size_t c)
{
	size_t i;

	assert_true(r < p->rows && c < p->n && (uintptr_t)sums % 64 == 0);
	for (i = 0; i < 16 && c + i < p->n; i++)
		((int32_t *)p->y)[r * p->y_ld + c + i] = sums[i];
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
static void one(size_t rows, size_t n, size_t k)
{
	size_t ld = bt_int8_ld(k), groups = (k + 3) / 4, r, c, i;
	size_t room = bt_round_up(rows, BT_INT8_ROWS);
	struct bt_int8_weight w = {0};
	struct bt_int8_product p = {rows, n,    k, NULL,  NULL, &w,
	                            NULL, NULL, n, false, false};
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
	assert_false(amx.on);
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
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tails),
	};

	return RUN(tests);
}
