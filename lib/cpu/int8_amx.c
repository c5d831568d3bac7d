/* SPDX-License-Identifier: MIT */
/*
 * Int8 products by AMX tiles, both sides signed. A weight is packed as a tile
 * wants it: 16 groups of 4 along k are the 16 rows, of 64 bytes, of a tile for
 * 16 columns (Intel SDM volume 2, TDPBSSD). Quantising is AVX-512's, in
 * int8_vnni.c. While the tiles of a block multiply, the outputs of the block
 * before are written.
 *
 * A test without such a processor defines the operations on tiles and
 * write_bf16 itself and includes this file.
 */
#if defined(__AMX_INT8__) || defined(__AMXINT8__) || defined(BT_TILES_IMITATED)
#include <string.h>

#include "cpu/amx_int.h"
#include "cpu/int8_int.h"
#ifndef BT_TILES_IMITATED
#include "cpu/vec_avx512_int.h"
#endif

#define DEPTH ((size_t)16)            /* groups of 4 in a tile */
#define GROUP ((size_t)4 * TILE_SIDE) /* bytes of a group of 16 columns */
#define TILE_BYTES (DEPTH * GROUP)
#define SIDE (2 * TILE_SIDE) /* rows and columns of a block */

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

/* The sums of a block, of whose rows so many are written. */
struct sums {
	_Alignas(64) int32_t at[2][2][TILE_SIDE][TILE_SIDE];
	size_t r, c, rows, written;
};

#ifndef BT_TILES_IMITATED
VEC vf output(const int32_t *sums, vf x_scale, vf scale, vf bias, bool has_bias)
{
	vf y = v_mul(_mm512_cvtepi32_ps(_mm512_load_si512(sums)),
	             v_mul(x_scale, scale));

	return has_bias ? v_add(y, bias) : y;
}

/* Writes all 32 columns of rows from .. end-1 as bf16, as finish_sums of
 * int8_vnni.c does. */
static void write_bf16(const struct bt_int8_product *p, const struct sums *s,
                       size_t from, size_t end)
{
	const float *bias = p->bias, *x_scale = p->x_scale + s->r;
	uint16_t *y = (uint16_t *)p->y + (s->r + from) * p->y_ld + s->c;
	vf scale[2], add[2], x;
	size_t i, h, ld = p->y_ld;

	for (h = 0; h < 2; h++) {
		scale[h] = v_load(p->w->scale + s->c + h * TILE_SIDE);
		add[h] = bias != NULL ? v_load(bias + s->c + h * TILE_SIDE)
		                      : v_set1(0);
	}
	for (i = from; i < end; i++, y += ld) {
		x = v_set1(x_scale[i]);
		for (h = 0; h < 2; h++)
			v_store_bf16(
			    y + h * TILE_SIDE,
			    output(s->at[i / TILE_SIDE][h][i % TILE_SIDE], x,
			           scale[h], add[h], bias != NULL));
	}
}
#endif

/* Writes n further rows, as far as there are so many. */
static void write_some(const struct bt_int8_product *p, struct sums *s,
                       size_t n)
{
	size_t end = s->rows - s->written < n ? s->rows : s->written + n, i, h;

	if (p->y_bf16 && p->n - s->c >= SIDE)
		write_bf16(p, s, s->written, end);
	else
		for (i = s->written; i < end; i++)
			for (h = 0; h < 2 && h * TILE_SIDE < p->n - s->c; h++)
				bt_int8_finish_512(
				    p, s->at[i / TILE_SIDE][h][i % TILE_SIDE],
				    s->r + i, s->c + h * TILE_SIDE);
	s->written = end;
}

/* Sums up the block that begins at row r and column c, as far as there are so
 * many; in each step writes some of what is left of another and asks for so
 * many lines of the weights behind. */
static void block(const struct bt_int8_product *p, size_t r, size_t c,
                  size_t lines, struct sums *to, struct sums *other)
{
	size_t ld = bt_int8_ld(p->k), groups = bt_round_up(p->k, 4) / 4, g, s,
	       i;
	size_t rows = p->rows - r < SIDE ? p->rows - r : SIDE;
	size_t steps = (groups + DEPTH - 1) / DEPTH;
	size_t each = (SIDE + steps - 1) / steps; /* rows to write */
	const int8_t *w = p->w->q + c * groups * 4;
	const int8_t *next =
	    w + 2 * groups * GROUP + r / SIDE * steps * lines * 64;
	const void *y =
	    (const char *)p->y +
	    (r * p->y_ld + c) * (p->y_bf16 ? sizeof(uint16_t) : sizeof(float));
	struct block b = {(const int8_t *)p->x + r * ld,
	                  ld,
	                  {w, w + groups * GROUP},
	                  rows > TILE_SIDE};

	TILE_ZERO(0);
	TILE_ZERO(1);
	TILE_ZERO(2);
	TILE_ZERO(3);
	for (g = 0, s = 0; g < groups; g += DEPTH, s += each) {
		if (groups - g >= DEPTH)
			step(&b);
		else
			last_step(&b, groups - g);
		b.x += 4 * DEPTH;
		b.w[0] += TILE_BYTES;
		b.w[1] += TILE_BYTES;
		write_some(p, other, each);
		tile_want_rows(y, p->y_ld, p->y_bf16, s,
		               s + each < rows ? s + each : rows);
		for (i = 0; i < lines; i++, next += 64)
			__builtin_prefetch(next, 0, 2);
	}
	TILE_STORE(0, to->at[0][0], sizeof(to->at[0][0][0]));
	TILE_STORE(1, to->at[0][1], sizeof(to->at[0][0][0]));
	if (b.two) {
		TILE_STORE(2, to->at[1][0], sizeof(to->at[0][0][0]));
		TILE_STORE(3, to->at[1][1], sizeof(to->at[0][0][0]));
	}
	to->r = r;
	to->c = c;
	to->rows = rows;
	to->written = 0;
}

/* Columns outside: their weights stay in the cache for all rows, and those of
 * the next come there meanwhile. */
static void product(const struct bt_int8_product *p)
{
	struct sums sums[2];
	size_t blocks = (p->rows + SIDE - 1) / SIDE, lines, r, c;
	int now = 0;

	TILE_CONFIG(&tile_config);
	sums[1].r = sums[1].c = sums[1].rows = sums[1].written = 0;
	for (c = 0; c < p->n; c += SIDE) {
		lines = p->n - c > SIDE ? (SIDE + blocks - 1) / blocks : 0;
		for (r = 0; r < p->rows; r += SIDE) {
			block(p, r, c, lines, &sums[now], &sums[!now]);
			now = !now;
		}
	}
	write_some(p, &sums[!now], SIDE);
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
