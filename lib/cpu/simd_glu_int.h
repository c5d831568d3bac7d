/* SPDX-License-Identifier: MIT */
/*
 * Template, part 2b: sums and gates of layers with norms before their parts.
 * See simd_math_int.h and simd_rows_int.h.
 */
#ifndef BT_CPU_SIMD_GLU_INT_H
#define BT_CPU_SIMD_GLU_INT_H

#include "cpu/simd_rows_int.h"

VEC void put_both(float *y, uint16_t *bf16, size_t at, size_t n, vf v)
{
	if (y != NULL && n == VL)
		v_store(y + at, v);
	else if (y != NULL)
		v_storen(y + at, v, n);
	if (bf16 != NULL && n == VL)
		v_store_bf16(bf16 + at, v);
	else if (bf16 != NULL)
		v_storen_bf16(bf16 + at, v, n);
}

/* The next n of at most VL elements. */
VEC vf get_upto(bool bf16, const void *x, size_t at, size_t n)
{
	return n == VL ? get(bf16, x, at) : getn(bf16, x, at, n);
}

VEC void put_upto(bool bf16, void *y, size_t at, size_t n, vf v)
{
	if (n == VL)
		put(bf16, y, at, v);
	else
		putn(bf16, y, at, v, n);
}

VEC size_t lanes(size_t i, size_t end)
{
	return end - i < VL ? end - i : VL;
}

static void add(const struct bt_sum *a, size_t row0, size_t row1, float *m)
{
	size_t r, i, h = a->cols, at, n;
	vf y;

	for (r = row0; r < row1; r++) {
		drop_fill(&a->drop, (uint32_t)r, 0, h, m);
		for (i = 0; i < h; i += VL) {
			at = r * h + i;
			n = lanes(i, h);
			y = v_fma(get_upto(a->x_bf16, a->x, at, n),
			          v_load(m + i),
			          get_upto(false, a->residual, at, n));
			put_both(a->y, a->y_bf16, at, n, y);
		}
	}
}

static void add_back(const struct bt_sum *a, size_t row0, size_t row1, float *m)
{
	size_t r, i, h = a->cols, at, n;
	vf d;

	for (r = row0; r < row1; r++) {
		drop_fill(&a->drop, (uint32_t)r, 0, h, m);
		for (i = 0; i < h; i += VL) {
			at = r * h + i;
			n = lanes(i, h);
			d = get_upto(false, a->dy, at, n);
			put_upto(a->dx_bf16, a->dx, at, n,
			         v_mul(d, v_load(m + i)));
			if (a->add_residual)
				d = v_add(d,
				          get_upto(false, a->dresidual, at, n));
			put_upto(false, a->dresidual, at, n, d);
		}
	}
}

VEC void gated_rows(enum bt_activation act, const struct bt_glu *a, size_t row0,
                    size_t row1)
{
	size_t r, i, h = a->cols, n, at;
	vf x;

	for (r = row0; r < row1; r++)
		for (i = 0; i < h; i += VL) {
			n = lanes(i, h);
			at = 2 * r * h + i;
			x = act_value(
			    act, false,
			    get_upto(a->x_bf16, a->x, at + a->gate, n));
			x = v_mul(x,
			          get_upto(a->x_bf16, a->x, at + a->other, n));
			put_both(a->y, a->y_bf16, r * h + i, n, x);
		}
}

/* Activations that have no vector form are the plain kernel's. */
static void glu(const struct bt_glu *a, size_t row0, size_t row1,
                float *scratch)
{
	if (a->act == BT_ACT_GELU)
		gated_rows(BT_ACT_GELU, a, row0, row1);
	else if (a->act == BT_ACT_GELU_TANH)
		gated_rows(BT_ACT_GELU_TANH, a, row0, row1);
	else if (a->act == BT_ACT_SILU)
		gated_rows(BT_ACT_SILU, a, row0, row1);
	else
		bt_ref_glu(a, row0, row1, scratch);
}

VEC void gated_back_rows(enum bt_activation act, const struct bt_glu *a,
                         size_t row0, size_t row1)
{
	size_t r, i, h = a->cols, n, at;
	vf x, gate, dy;

	for (r = row0; r < row1; r++)
		for (i = 0; i < h; i += VL) {
			n = lanes(i, h);
			at = 2 * r * h + i;
			x = get_upto(a->x_bf16, a->x, at + a->gate, n);
			gate = get_upto(a->x_bf16, a->x, at + a->other, n);
			dy = get_upto(a->dy_bf16, a->dy, r * h + i, n);
			gate = v_mul(v_mul(gate, dy), act_slope(act, false, x));
			put_upto(a->dx_bf16, a->dx, at + a->gate, n, gate);
			dy = v_mul(dy, act_value(act, false, x));
			put_upto(a->dx_bf16, a->dx, at + a->other, n, dy);
		}
}

static void glu_back(const struct bt_glu *a, size_t row0, size_t row1,
                     float *scratch)
{
	if (a->act == BT_ACT_GELU)
		gated_back_rows(BT_ACT_GELU, a, row0, row1);
	else if (a->act == BT_ACT_GELU_TANH)
		gated_back_rows(BT_ACT_GELU_TANH, a, row0, row1);
	else if (a->act == BT_ACT_SILU)
		gated_back_rows(BT_ACT_SILU, a, row0, row1);
	else
		bt_ref_glu_back(a, row0, row1, scratch);
}

#endif
