/* SPDX-License-Identifier: MIT */
/* Template, last part: all the others, and the table of what they make. */
#ifndef BT_CPU_SIMD_TABLE_INT_H
#define BT_CPU_SIMD_TABLE_INT_H

#include "cpu/simd_attend_int.h"
#include "cpu/simd_math_int.h"
#include "cpu/simd_optim_int.h"
#include "cpu/simd_product_int.h"
#include "cpu/simd_rows_int.h"

/* What pack_int.h needs, in vectors. */
static void pair_bf16(const float *x, const float *y, uint32_t *out, size_t n)
{
	size_t i;

	for (i = 0; i < n; i += VL)
		u_stream(out + i, v_pair_bf16(v_load(x + i), v_load(y + i)));
}

static void transpose16(const uint32_t *src, size_t step, uint32_t *out,
                        size_t width)
{
	size_t i, j;

	for (i = 0; i < 16; i += VL)
		for (j = 0; j < 16; j += VL)
			u_transpose(src + j * step + i, step,
			            out + i * width + j, width, VL == 16);
}

static void pack_end(void)
{
	u_stream_end();
}

#include "cpu/pack_int.h"

/* The table of an instruction set, and of one with other functions for
 * attention. */
#define BT_SIMD_TABLE(name) BT_SIMD_TABLE_WITH(name, attend, attend_back)
#define BT_SIMD_TABLE_WITH(name, forward, backward)                            \
	{                                                                      \
		.isa = (name), .to_bf16 = to_bf16, .from_bf16 = from_bf16,     \
		.dropout = dropout, .embed = embed, .norm = norm,              \
		.norm_back = norm_back, .add = add, .add_back = add_back,      \
		.glu = glu, .glu_back = glu_back, .act = act,                  \
		.act_back = act_back, .column_sums = column_sums,              \
		.pack = pack_matrix, .panel = PANEL, .product = multiply,      \
		.product_at = multiply_at, .attend = forward,                  \
		.attend_back = backward, .axpy = axpy,                         \
		.sum_squares = sum_squares, .adamw = adamw,                    \
		.adamw_idle = adamw_idle, .lamb = lamb,                        \
		.lamb_apply = lamb_apply, .sgd = sgd                           \
	}

#endif
