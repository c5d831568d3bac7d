/* SPDX-License-Identifier: MIT */
/*
 * Template: lays a matrix out in blocks, as struct bt_pack says. A file that
 * includes it has to_bf16 and
 *   pair_bf16(x, y, out, n)             out[i] = bf16 of x[i], y[i] above it
 *   transpose16(src, step, out, width)  out[i * width + j] = src[j * step + i]
 * for i, j below 16; n is a multiple of 16, out is aligned.
 *   pack_end()                          after the last of them
 */
#ifndef BT_CPU_PACK_INT_H
#define BT_CPU_PACK_INT_H

#include <string.h>

#include "cpu/kernels.h"

#define PACK_K ((size_t)16) /* rows of a block, or pairs of rows */

/* Element (k, n) of the source; 0 outside. */
static inline float pack_at(const struct bt_pack *a, size_t k, size_t n)
{
	return k < a->k && n < a->n ? a->src[k * a->k_step + n * a->n_step] : 0;
}

/* A block at the edge, or of a width that is no multiple of 16. */
static void pack_edge(const struct bt_pack *a, size_t k0, size_t n0, void *dst)
{
	uint32_t *out = dst;
	float *plain = dst;
	size_t i, j;

	for (i = 0; i < PACK_K; i++)
		for (j = 0; j < a->n_block; j++, out++, plain++) {
			if (a->bf16)
				*out = bt_f32_to_bf16(
				           pack_at(a, k0 + 2 * i, n0 + j)) |
				       (uint32_t)bt_f32_to_bf16(
				           pack_at(a, k0 + 2 * i + 1, n0 + j))
				           << 16;
			else
				*plain = pack_at(a, k0 + i, n0 + j);
		}
}

/* 16 columns of a bf16 block whose source runs along k. */
static void pack_bf16_along_k(const float *src, size_t step, uint32_t *out,
                              size_t width)
{
	uint32_t tile[16 * PACK_K];
	size_t j;

	for (j = 0; j < 16; j++)
		to_bf16(src + j * step, (uint16_t *)(tile + j * PACK_K),
		        2 * PACK_K);
	transpose16(tile, PACK_K, out, width);
}

static void pack_bf16_along_n(const float *src, size_t step, uint32_t *out,
                              size_t width)
{
	size_t i;

	for (i = 0; i < PACK_K; i++)
		pair_bf16(src + 2 * i * step, src + (2 * i + 1) * step,
		          out + i * width, width);
}

static void pack_f32(const struct bt_pack *a, const float *src, float *out)
{
	size_t i, j;

	if (a->n_step == 1)
		for (i = 0; i < PACK_K; i++, out += a->n_block)
			for (j = 0; j < a->n_block; j += 16)
				memcpy(out + j, src + i * a->k_step + j,
				       16 * sizeof(*out));
	else
		transpose16((const uint32_t *)src, a->n_step, (uint32_t *)out,
		            a->n_block);
}

/* The block at (k0, n0), or 16 columns of it where the source runs along k. */
static void pack_block(const struct bt_pack *a, size_t k0, size_t n0, void *dst)
{
	const float *src = a->src + k0 * a->k_step + n0 * a->n_step;

	if (!a->bf16)
		pack_f32(a, src, dst);
	else if (a->n_step == 1)
		pack_bf16_along_n(src, a->k_step, dst, a->n_block);
	else
		pack_bf16_along_k(src, a->n_step, dst, a->n_block);
}

static void *pack_address(const struct bt_pack *a, size_t k0, size_t n0)
{
	size_t rows = a->bf16 ? 2 * PACK_K : PACK_K;

	return (char *)a->dst +
	       (a->bf16 ? sizeof(uint16_t) : sizeof(float)) *
	           (k0 / rows * a->k_stride + n0 / a->n_block * a->n_stride);
}

/* The source is read in the direction that it runs in: blocks k0 .. k1-1,
 * columns n0 .. n1-1 are whole. */
static void pack_whole(const struct bt_pack *a, size_t k1, size_t n1)
{
	size_t rows = a->bf16 ? 2 * PACK_K : PACK_K, k, n, j;

	for (k = 0; k < k1 && a->n_step == 1; k += rows)
		for (n = 0; n < n1; n += a->n_block)
			pack_block(a, k, n, pack_address(a, k, n));
	for (n = 0; n < n1 && a->n_step != 1; n += a->n_block)
		for (j = 0; j < a->n_block; j += 16)
			for (k = 0; k < k1; k += rows)
				pack_block(a, k, n + j,
				           (float *)pack_address(a, k, n) + j);
}

static void pack_matrix(const struct bt_pack *a)
{
	size_t rows = a->bf16 ? 2 * PACK_K : PACK_K, k, n;
	size_t k1 = a->n_block % 16 == 0 ? a->k / rows * rows : 0;
	size_t n1 = a->n / a->n_block * a->n_block;

	pack_whole(a, k1, n1);
	for (n = 0; n < a->n; n += a->n_block)
		for (k = n < n1 ? k1 : 0; k < a->k; k += rows)
			pack_edge(a, k, n, pack_address(a, k, n));
	pack_end();
}

#endif
