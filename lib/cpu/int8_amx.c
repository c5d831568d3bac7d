/* SPDX-License-Identifier: MIT */
/*
 * Int8 products by AMX tiles, both sides signed. A weight is packed as a tile
 * wants it: 16 groups of 4 along k are the 16 rows, of 64 bytes, of a tile for
 * 16 columns (Intel SDM volume 2, TDPBSSD). Quantising and what follows the
 * sums are AVX-512's, in int8_vnni.c.
 *
 * A test without such a processor defines the operations on tiles itself and
 * includes this file.
 */
#if defined(__AMX_INT8__) || defined(__AMXINT8__) || defined(BT_TILES_IMITATED)
#include <string.h>

#include "cpu/amx_int.h"
#include "cpu/int8_int.h"

#define DEPTH ((size_t)16)            /* groups of 4 in a tile */
#define GROUP ((size_t)4 * TILE_SIDE) /* bytes of a group of 16 columns */
#define TILE_BYTES (DEPTH * GROUP)

/* Tiles 0 to 3 hold the sums of 32 rows by 32 columns, 4 and 5 inputs, 6 and 7
 * weights. */
struct block {
	const int8_t *x; /* the first row's next inputs */
	size_t ld;       /* from row to row */
	const int8_t *w[2];
	bool two; /* more than 16 rows */
};

static inline void step(const struct block *b)
{
	TILE_LOAD(4, b->x, b->ld);
	TILE_LOAD(6, b->w[0], GROUP);
	TILE_LOAD(7, b->w[1], GROUP);
	TILE_DOT_INT8(0, 4, 6);
	TILE_DOT_INT8(1, 4, 7);
	if (!b->two)
		return;
	TILE_LOAD(5, b->x + TILE_SIDE * b->ld, b->ld);
	TILE_DOT_INT8(2, 5, 6);
	TILE_DOT_INT8(3, 5, 7);
}

/* The last groups, filled up with zeros: what stands behind the inputs is
 * multiplied by them. */
static void last_step(struct block *b, size_t groups)
{
	_Alignas(64) int8_t w[2][TILE_BYTES] = {{0}};

	memcpy(w[0], b->w[0], groups * GROUP);
	memcpy(w[1], b->w[1], groups * GROUP);
	b->w[0] = w[0];
	b->w[1] = w[1];
	step(b);
}

static void sum_up(struct block *b, size_t groups,
                   int32_t out[2][2][TILE_SIDE][TILE_SIDE])
{
	size_t g;

	TILE_ZERO(0);
	TILE_ZERO(1);
	TILE_ZERO(2);
	TILE_ZERO(3);
	for (g = 0; groups - g >= DEPTH; g += DEPTH) {
		step(b);
		b->x += 4 * DEPTH;
		b->w[0] += TILE_BYTES;
		b->w[1] += TILE_BYTES;
	}
	if (g < groups)
		last_step(b, groups - g);
	TILE_STORE(0, out[0][0], sizeof(out[0][0][0]));
	TILE_STORE(1, out[0][1], sizeof(out[0][0][0]));
	if (!b->two)
		return;
	TILE_STORE(2, out[1][0], sizeof(out[0][0][0]));
	TILE_STORE(3, out[1][1], sizeof(out[0][0][0]));
}

/* Rows r .. r + 31 and columns c .. c + 31, as far as there are so many. */
static void block(const struct bt_int8_product *p, size_t r, size_t c)
{
	size_t ld = bt_int8_ld(p->k), groups = bt_round_up(p->k, 4) / 4, i;
	size_t rows = p->rows - r < 2 * TILE_SIDE ? p->rows - r : 2 * TILE_SIDE;
	const int8_t *w = p->w->q + c * groups * 4;
	struct block b = {(const int8_t *)p->x + r * ld,
	                  ld,
	                  {w, w + groups * GROUP},
	                  rows > TILE_SIDE};
	_Alignas(64) int32_t out[2][2][TILE_SIDE][TILE_SIDE];

	sum_up(&b, groups, out);
	for (i = 0; i < rows; i++) {
		bt_int8_finish_512(p, out[i / TILE_SIDE][0][i % TILE_SIDE],
		                   r + i, c);
		if (p->n - c > TILE_SIDE)
			bt_int8_finish_512(p,
			                   out[i / TILE_SIDE][1][i % TILE_SIDE],
			                   r + i, c + TILE_SIDE);
	}
}

/* Columns outside: their weights stay in the cache for all rows. */
static void product(const struct bt_int8_product *p)
{
	size_t r, c;

	TILE_CONFIG(&tile_config);
	for (c = 0; c < p->n; c += BT_INT8_COLUMNS)
		for (r = 0; r < p->rows; r += 2 * TILE_SIDE)
			block(p, r, c);
	TILE_RELEASE();
}

const struct bt_int8_kernels bt_int8_amx = {
    .element = 1,
    .quantise = bt_int8_quantise_512,
    .product = product,
};
#else
typedef int bt_no_int8_amx; /* a translation unit must not be empty */
#endif
