/* SPDX-License-Identifier: MIT */
/* The kernels for AVX512 with an instruction that rounds to bf16. Built with
 * these sets' flags; empty elsewhere. */
#ifdef __AVX512BF16__
#include "cpu/vec_avx512_int.h"

#include "cpu/simd_table_int.h"

const struct bt_kernels bt_kernels_avx512bf16 =
    BT_SIMD_TABLE(BT_ISA_AVX512BF16);
#else
typedef int bt_no_avx512bf16; /* a translation unit must not be empty */
#endif
