/* SPDX-License-Identifier: MIT */
/* Template: what pack_int.h needs, in vectors. */
#ifndef BT_CPU_SIMD_PACK_INT_H
#define BT_CPU_SIMD_PACK_INT_H

#include "cpu/simd_rows_int.h"

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

	for (j = 0; j < 16; j += VL)
		for (i = 0; i < 16; i += VL)
			u_transpose(src + j * step + i, step,
			            out + i * width + j, width, true);
}

static void pack_end(void)
{
	u_stream_end();
}

#include "cpu/pack_int.h"

#endif
