/* SPDX-License-Identifier: MIT */
/* What the files that define kernels share. */
#ifndef BT_CPU_KERNELS_INT_H
#define BT_CPU_KERNELS_INT_H

#include "base/mem.h"
#include "cpu/kernels.h"

extern const struct bt_kernels bt_kernels_ref;
extern const struct bt_kernels bt_kernels_avx2;
extern const struct bt_kernels bt_kernels_avx512;
extern const struct bt_kernels bt_kernels_avx512bf16;
extern const struct bt_kernels bt_kernels_amx;
extern const struct bt_kernels bt_kernels_neon;

/* Activations that only stand behind a pooler need no vector form. */
void bt_ref_act(enum bt_activation act, bool bf16, const void *x, void *y,
                size_t rows, size_t cols, size_t ld);
void bt_ref_act_back(enum bt_activation act, bool bf16, const void *x,
                     const void *dy, void *dx, size_t rows, size_t cols,
                     size_t ld);

void bt_ref_glu(const struct bt_glu *a, size_t row0, size_t row1,
                float *scratch);
void bt_ref_glu_back(const struct bt_glu *a, size_t row0, size_t row1,
                     float *scratch);

void bt_ref_dropout(const struct bt_dropout *d, uint32_t row, size_t n,
                    float *m);
void bt_ref_attend(const struct bt_attend *a);
void bt_ref_attend_back(const struct bt_attend *a);

static inline float bt_ref_get(const void *x, size_t i, bool bf16)
{
	return bf16 ? bt_bf16_to_f32(((const uint16_t *)x)[i])
	            : ((const float *)x)[i];
}

static inline void bt_ref_put(void *y, size_t i, bool bf16, float v)
{
	if (bf16)
		((uint16_t *)y)[i] = bt_f32_to_bf16(v);
	else
		((float *)y)[i] = v;
}

/*
 * C [m, n] = A B, or +=, where an element of A and of B is a pair of numbers in
 * bf16, the two that follow each other in the direction in which the product
 * adds up. Element (i, k) of A is a[i * a_row + k], (k, j) of B
 * b[k * b_row + j / 16 * b_panel + j % 16]; n is a multiple of 16. Whole tiles
 * are read and written: rows of A and C up to a multiple of 16 (what the last
 * ones hold means nothing), and depth up to a multiple of 8, where one side has
 * zeros and the other finite numbers. Between bt_tiles_begin and _end, which
 * give these tiles their shapes for a thread.
 */
struct bt_tiles_product {
	size_t m, n, depth;
	const float *a, *b;
	size_t a_row, b_row, b_panel;
	float *c;
	size_t c_row;
	bool add;
};

void bt_tiles_begin(void);
void bt_tiles_multiply(const struct bt_tiles_product *p);
void bt_tiles_end(void);

/* Query rows that are taken at a time. */
#define BT_ATTEND_TILE ((size_t)32)

/* Keys that they are taken with at a time, and queries whose tiles take such a
 * block one after the other: of 64 columns the block has 256 KB, of a second
 * cache that has 1 MB or 512 KB. */
#define BT_ATTEND_KEYS ((size_t)512)
#define BT_ATTEND_QUERIES ((size_t)256)

/* Keys of a block among n, with relative positions or without: those are for
 * all keys. */
static inline size_t bt_attend_keys(size_t n, bool relative)
{
	size_t np = bt_round_up(n, 16);

	return relative || np < BT_ATTEND_KEYS ? np : BT_ATTEND_KEYS;
}

static inline size_t bt_attend_queries(size_t n)
{
	size_t np = bt_round_up(n, BT_ATTEND_TILE);

	return np < BT_ATTEND_QUERIES ? np : BT_ATTEND_QUERIES;
}

/* Rows of relative positions between queries and keys, with room behind for the
 * whole vectors of the tile that ends there, of queries or of keys. */
static inline size_t bt_relative_room(size_t queries, size_t keys)
{
	size_t i = queries < BT_ATTEND_TILE ? queries : BT_ATTEND_TILE;
	size_t j = keys < BT_ATTEND_TILE ? keys : BT_ATTEND_TILE;
	size_t a = queries - i + bt_round_up(i - 1 + bt_round_up(keys, 16), 16);
	size_t b = keys - j + bt_round_up(queries + j - 1, 16);

	return bt_round_up(a > b ? a : b, 16);
}

/* Floats that the dropout multipliers of n elements take: whole blocks. */
static inline size_t bt_drop_room(size_t n)
{
	return bt_round_up(n, 128);
}

/* And those of a tile of queries among n keys of which so many are taken at a
 * time: all of them at once, or row by row; they may begin within a block. */
static inline size_t bt_attend_masks(size_t n, size_t keys)
{
	return bt_drop_room(BT_ATTEND_TILE * (n < keys ? n : keys)) + 128;
}

#endif
