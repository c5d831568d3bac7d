/* SPDX-License-Identifier: MIT */
/*
 * Kernels of int8 products, one table for each instruction set. All of them
 * give the same bits: sums are exact, and what is done in floats is done in the
 * same order everywhere.
 *
 * A row x of inputs (bf16) is quantised by itself: scale = max|x| / 127, and
 * q = x / scale rounded to even, in -127 .. 127. A row with a NaN or an
 * infinity gets the scale NaN, so that its outputs are NaN.
 *
 * A weight [n, k] likewise, each output's row by itself. It is packed in groups
 * of 4 along k and 16 of outputs, both filled up with zeros: [n / 16][k /
 * 4][16][4].
 *
 * y[r][c] = (float) sum * (x_scale[r] * w_scale[c]) + bias[c]
 */
#ifndef BT_CPU_INT8_INT_H
#define BT_CPU_INT8_INT_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* Outputs of a packed weight come in multiples of this. */
#define BT_INT8_COLUMNS ((size_t)32)

/* Rows that a kernel may read of quantised inputs: multiples of this, 6, 12
 * and 32.
 */
#define BT_INT8_ROWS ((size_t)96)

/* The longest sum whose largest value, 255 * 127 * k, is an int32. */
#define BT_INT8_DEPTH_MAX 65536

struct bt_int8_weight {
	int8_t *q;       /* packed */
	int32_t *offset; /* [n] 128 times the sum of each row */
	float *scale;    /* [n] */
};

struct bt_int8_product {
	size_t rows, n, k;
	const void *x; /* quantised; rows filled up to BT_INT8_ROWS */
	const float *x_scale;
	const struct bt_int8_weight *w;
	const float *bias; /* [n] or NULL */
	void *y;           /* [rows, n] of rows y_ld apart */
	size_t y_ld;
	bool y_bf16; /* bf16, else f32 */
	bool add;    /* y += (f32) */
};

struct bt_int8_kernels {
	size_t element; /* bytes of a quantised input */

	/* rows of k bf16 to rows of bt_int8_ld(k) quantised ones */
	void (*quantise)(const uint16_t *x, size_t rows, size_t k, void *q,
	                 float *scale);
	void (*product)(const struct bt_int8_product *p);
};

/* From row to row of quantised inputs, in elements: an odd number of lines of
 * the cache, lest the rows of a block share its sets. */
static inline size_t bt_int8_ld(size_t k)
{
	return bt_round_up(k, 128) + 64;
}

/* Bytes of a packed weight's numbers. */
static inline size_t bt_int8_packed(size_t n, size_t k)
{
	return bt_round_up(n, BT_INT8_COLUMNS) * bt_round_up(k, 4);
}

/* Quantises and packs rows of src, k apart. */
void bt_int8_pack(const float *src, size_t n, size_t k,
                  struct bt_int8_weight *w);

/* The scale of numbers whose largest is max, and the factor that quantises
 * them. Tiny numbers, whose factor would overflow, become zeros. */
static inline float bt_int8_factor(float max, float *scale)
{
	if (max < 1e-30f) {
		*scale = 0;
		return 0;
	}
	if (!(max <= FLT_MAX)) {
		*scale = NAN;
		return 0;
	}
	*scale = max / 127;
	return 127 / max;
}

/* Rounds |x| < 2^22 to even: behind the addition, the last bit is 1. */
static inline int32_t bt_int8_round(float x)
{
	union {
		float f;
		int32_t i;
	} v = {x + 12582912.0f};

	return v.i - 0x4b400000;
}

extern const struct bt_int8_kernels bt_int8_ref;
extern const struct bt_int8_kernels bt_int8_avx2;
extern const struct bt_int8_kernels bt_int8_avx2vnni;
extern const struct bt_int8_kernels bt_int8_vnni;
extern const struct bt_int8_kernels bt_int8_amx;
extern const struct bt_int8_kernels bt_int8_neon;
extern const struct bt_int8_kernels bt_int8_dot;

/* What the kernels of AVX2 share: the largest |x| of a row of n bf16, as bf16,
 * and y of 8 columns from c on, as far as there are so many, of rows r .. r +
 * rows - 1, from their sums, rows of 8 that are aligned. */
uint16_t bt_int8_largest_256(const uint16_t *x, size_t n);
void bt_int8_finish_256(const struct bt_int8_product *p, const int32_t *sums,
                        size_t r, size_t c, size_t rows);

/* What the kernels of AVX-512 share: quantising to signed bytes, and y of 16
 * columns from c on of row r, as far as there are so many, from their sums,
 * which are aligned. */
void bt_int8_quantise_512(const uint16_t *x, size_t rows, size_t k, void *q,
                          float *scale);
void bt_int8_finish_512(const struct bt_int8_product *p, const int32_t *sums,
                        size_t r, size_t c);

#endif
