/* SPDX-License-Identifier: MIT */
/* The gradient of a weight by tiles of bf16. */
#ifndef BT_CPU_BF16_INT_H
#define BT_CPU_BF16_INT_H

#include "cpu/gemm.h"

/* What bt_gemm_gradient says, with so many bytes of scratch that are aligned
 * to 64. The sums of an element are taken in the order of the rows, however
 * the gradient is cut. */
size_t bt_bf16_scratch(const struct bt_gemm_gradient *a);
void bt_bf16_gradient_amx(const struct bt_gemm_gradient *a, void *scratch);

/* By AVX-512: 32 x 32 numbers, of rows ld apart, as two tiles. Pairs: row i of
 * them holds rows 2i and 2i + 1 of 16 columns, in turn. Turned: it holds column
 * i. */
void bt_bf16_pairs_512(const uint16_t *x, size_t ld, uint16_t *tiles);
void bt_bf16_turn_512(const uint16_t *x, size_t ld, uint16_t *tiles);

#endif
