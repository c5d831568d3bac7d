/* SPDX-License-Identifier: MIT */
/* What is the same whatever the provider: how rows are padded, columns are cut,
 * a bias is added. */
#include "base/mem.h"
#include "cpu/gemm_int.h"

/* Coarser for many rows, so that few different shapes occur. */
size_t bt_gemm_room(size_t rows)
{
	if (rows <= 512)
		return bt_round_up(rows, 32);
	return bt_round_up(rows, rows <= 2048 ? 64 : 128);
}

void bt_gemm_chunk(const struct bt_gemm_weight *w, enum bt_gemm_pass pass,
                   int c, int *first, int *count)
{
	int columns = w->size[pass], n = w->chunks[pass];
	int groups = (columns + 31) / 32;
	int a = (int)((int64_t)groups * c / n) * 32;
	int b = (int)((int64_t)groups * (c + 1) / n) * 32;

	*first = a;
	*count = (b < columns ? b : columns) - a;
}

void bt_gemm_put_bias(float *y, size_t rows, size_t n, size_t ld,
                      const float *bias, bool add)
{
	size_t r, i;

	for (r = 0; r < rows; r++, y += ld)
		for (i = 0; i < n; i++)
			y[i] = bias[i] + (add ? y[i] : 0);
}
