/* SPDX-License-Identifier: MIT */
/*
 * Int8 products for arm64, written once. The file that includes this names in
 * TABLE its table of kernels, and says how 4 columns' sums are kept:
 *
 *   struct sums      the sums of 4 columns, all zeros to begin with
 *   dot(s, x, w)     adds to s the products of w, 4 bytes of each of 4 columns,
 *                    with x, 4 bytes of a row, repeated
 *   total(s)         the 4 sums
 */
#include "cpu/int8_int.h"
#include "cpu/kernels.h"

/* A tile of TILE rows by 16 columns keeps TILE * 4 sums. */
#define TILE 4

static uint16_t largest(const uint16_t *x, size_t n)
{
	uint16x8_t max = vdupq_n_u16(0), mask = vdupq_n_u16(0x7fff);
	uint16_t m;
	size_t i;

	for (i = 0; i + 8 <= n; i += 8)
		max = vmaxq_u16(max, vandq_u16(vld1q_u16(x + i), mask));
	m = vmaxvq_u16(max);
	for (; i < n; i++)
		m = (x[i] & 0x7fff) > m ? x[i] & 0x7fff : m;
	return m;
}

VEC int16x4_t quantise_4(vf x, vf factor)
{
	return vmovn_s32(vcvtnq_s32_f32(vmulq_f32(x, factor)));
}

static void quantise_row(const uint16_t *x, size_t k, vf factor, int8_t *to)
{
	size_t i, tail = k % 4;
	int16x4_t q;

	for (i = 0; i + 4 <= k; i += 4) {
		q = quantise_4(v_load_bf16(x + i), factor);
		/* room behind the row: bt_int8_ld */
		vst1_s8(to + i, vmovn_s16(vcombine_s16(q, q)));
	}
	if (tail > 0) {
		q = quantise_4(v_loadn_bf16(x + i, tail), factor);
		vst1_s8(to + i, vmovn_s16(vcombine_s16(q, q)));
	}
}

static void quantise(const uint16_t *x, size_t rows, size_t k, void *q,
                     float *scale)
{
	int8_t *to = q;
	size_t r;
	float f;

	for (r = 0; r < rows; r++, x += k, to += bt_int8_ld(k)) {
		f = bt_int8_factor(bt_bf16_to_f32(largest(x, k)), &scale[r]);
		if (f == 0)
			memset(to, 0, bt_round_up(k, 4));
		else
			quantise_row(x, k, v_set1(f), to);
	}
}

/* Columns c .. c + n - 1 of one row, n <= 4. */
VEC void finish(const struct bt_int8_product *p, int32x4_t sum, size_t r,
                size_t c, size_t n)
{
	size_t at = r * p->y_ld + c;
	vf y, s;

	s = v_mul(v_set1(p->x_scale[r]), v_loadn(p->w->scale + c, n));
	y = v_mul(vcvtq_f32_s32(sum), s);
	if (p->bias != NULL)
		y = v_add(y, v_loadn(p->bias + c, n));
	if (p->y_bf16) {
		v_storen_bf16((uint16_t *)p->y + at, y, n);
		return;
	}
	if (p->add)
		y = v_add(v_loadn((float *)p->y + at, n), y);
	v_storen((float *)p->y + at, y, n);
}

/* Rows r .. of which `rows` are real, of TILE; columns c .. c + 15. */
static void tile(const struct bt_int8_product *p, size_t r, size_t c,
                 size_t rows)
{
	size_t ld = bt_int8_ld(p->k), groups = bt_round_up(p->k, 4) / 4, g, n;
	const int8_t *x = (const int8_t *)p->x + r * ld;
	const int8_t *w = p->w->q + c * groups * 4;
	struct sums sum[TILE][4] = {0};
	int32_t four;
	int8x16_t v, a[4];
	int i, j;

	for (g = 0; g < groups; g++, w += 64) {
		for (j = 0; j < 4; j++)
			a[j] = vld1q_s8(w + 16 * j);
		for (i = 0; i < TILE; i++) {
			memcpy(&four, x + (size_t)i * ld + g * 4, 4);
			v = vreinterpretq_s8_s32(vdupq_n_s32(four));
			for (j = 0; j < 4; j++)
				dot(&sum[i][j], v, a[j]);
		}
	}
	for (i = 0; (size_t)i < rows; i++)
		for (j = 0; j < 4 && c + 4 * (size_t)j < p->n; j++) {
			n = p->n - c - 4 * (size_t)j;
			finish(p, total(&sum[i][j]), r + (size_t)i,
			       c + 4 * (size_t)j, n < 4 ? n : 4);
		}
}

/* Columns outside: their weights stay in the cache for all rows. */
static void product(const struct bt_int8_product *p)
{
	size_t r, c;

	for (c = 0; c < p->n; c += 16)
		for (r = 0; r < p->rows; r += TILE)
			tile(p, r, c, p->rows - r < TILE ? p->rows - r : TILE);
}

const struct bt_int8_kernels TABLE = {
    .element = 1,
    .quantise = quantise,
    .product = product,
};
