/* SPDX-License-Identifier: MIT */
/* The kernels for AVX512. Built with that instruction set's flags; empty
 * elsewhere. */
#ifdef __AVX512F__
#include "cpu/vec_avx512_int.h"

#include "cpu/simd_table_int.h"

const struct bt_kernels bt_kernels_avx512 = BT_SIMD_TABLE(BT_ISA_AVX512);
#else
typedef int bt_no_avx512; /* a translation unit must not be empty */
#endif
