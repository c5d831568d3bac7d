/* SPDX-License-Identifier: MIT */
/* The kernels for AVX2. Built with that instruction set's flags; empty
 * elsewhere. */
#ifdef __AVX2__
#include "cpu/vec_avx2_int.h"

#include "cpu/simd_table_int.h"

const struct bt_kernels bt_kernels_avx2 = BT_SIMD_TABLE(BT_ISA_AVX2);
#else
typedef int bt_no_avx2; /* a translation unit must not be empty */
#endif
