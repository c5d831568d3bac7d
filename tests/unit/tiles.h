/* SPDX-License-Identifier: MIT */
/* Tiles, their operations done in plain C as Intel's manual defines them (SDM
 * volume 2: LDTILECFG, TILELOADD, TDPBSSD, TDPBF16PS), so that what uses them
 * is tested on any machine. A test includes this before the file that it tests.
 */
#ifndef TEST_TILES_H
#define TEST_TILES_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/half.h"
#include "test.h"

#define BT_TILES_IMITATED
#define TILE_CONFIG(c) configure(c)
#define TILE_RELEASE() release()
#define TILE_ZERO(t) zero(t)
#define TILE_LOAD(t, p, stride) load(t, p, stride)
#define TILE_STORE(t, p, stride) store(t, p, stride)
#define TILE_DOT_INT8(sum, x, w) dot_int8(sum, x, w)
#define TILE_DOT_BF16(sum, x, w) dot_bf16(sum, x, w)

#define TILES 8

static struct {
	bool on;
	uint16_t row_bytes[TILES];
	uint8_t rows[TILES];
	int8_t tile[TILES][16][64];
} tiles;

static inline void configure(const void *memory)
{
	const uint8_t *c = memory;
	int i;

	assert_int_equal(c[0], 1); /* palette */
	for (i = 1; i < 16; i++)
		assert_int_equal(c[i], 0);
	memset(&tiles, 0, sizeof(tiles));
	tiles.on = true;
	for (i = 0; i < 16; i++) {
		if (i >= TILES) {
			assert_int_equal(c[16 + 2 * i] + c[17 + 2 * i], 0);
			assert_int_equal(c[48 + i], 0);
			continue;
		}
		memcpy(&tiles.row_bytes[i], c + 16 + 2 * i, 2);
		tiles.rows[i] = c[48 + i];
		assert_true(tiles.row_bytes[i] <= 64 && tiles.rows[i] <= 16);
	}
}

static inline void release(void)
{
	assert_true(tiles.on);
	tiles.on = false;
}

static inline void zero(int t)
{
	assert_true(tiles.on);
	memset(tiles.tile[t], 0, sizeof(tiles.tile[t]));
}

static inline void load(int t, const void *p, size_t stride)
{
	int i;

	zero(t);
	for (i = 0; i < tiles.rows[t]; i++)
		memcpy(tiles.tile[t][i], (const char *)p + (size_t)i * stride,
		       tiles.row_bytes[t]);
}

static inline void store(int t, void *p, size_t stride)
{
	int i;

	assert_true(tiles.on);
	for (i = 0; i < tiles.rows[t]; i++)
		memcpy((char *)p + (size_t)i * stride, tiles.tile[t][i],
		       tiles.row_bytes[t]);
}

static inline void dot_int8(int sum, int x, int w)
{
	int m, n, k, i;
	int32_t s;

	assert_true(tiles.on && tiles.row_bytes[x] / 4 == tiles.rows[w]);
	for (m = 0; m < tiles.rows[sum]; m++)
		for (n = 0; n < tiles.row_bytes[sum] / 4; n++) {
			memcpy(&s, &tiles.tile[sum][m][4 * n], 4);
			for (k = 0; k < tiles.row_bytes[x] / 4; k++)
				for (i = 0; i < 4; i++)
					s += tiles.tile[x][m][4 * k + i] *
					     tiles.tile[w][k][4 * n + i];
			memcpy(&tiles.tile[sum][m][4 * n], &s, 4);
		}
}

static inline float flushed(float x)
{
	return fabsf(x) < FLT_MIN ? 0 : x;
}

/* The numbers of a tile, even ones of each row first. */
static inline void tile_bf16(int t, float out[16][2][16])
{
	uint16_t h;
	int r, c;

	for (r = 0; r < tiles.rows[t]; r++)
		for (c = 0; c < tiles.row_bytes[t] / 2; c++) {
			memcpy(&h, &tiles.tile[t][r][2 * c], 2);
			out[r][c % 2][c / 2] = flushed(bt_bf16_to_f32(h));
		}
}

/* Even and odd numbers of a row are summed up each by themselves first. Their
 * products are exact, so an addition rounds as a fused one. */
static inline void dot_bf16(int sum, int x, int w)
{
	int m, n, k, i, cols = tiles.row_bytes[sum] / 4;
	float s[16], part[2][16], a[16][2][16], b[16][2][16];

	assert_true(tiles.on && tiles.row_bytes[x] / 4 == tiles.rows[w]);
	tile_bf16(x, a);
	tile_bf16(w, b);
	for (m = 0; m < tiles.rows[sum]; m++) {
		memset(part, 0, sizeof(part));
		for (k = 0; k < tiles.rows[w]; k++)
			for (i = 0; i < 2; i++)
				for (n = 0; n < cols; n++)
					part[i][n] =
					    flushed(part[i][n] +
					            a[m][i][k] * b[k][i][n]);
		memcpy(s, tiles.tile[sum][m], tiles.row_bytes[sum]);
		for (n = 0; n < cols; n++)
			s[n] = flushed(flushed(s[n]) +
			               flushed(part[0][n] + part[1][n]));
		memcpy(tiles.tile[sum][m], s, tiles.row_bytes[sum]);
	}
}

#endif
