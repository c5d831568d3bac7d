/* SPDX-License-Identifier: MIT */
/* The kernels for NEON. Built with that instruction set's flags; empty
 * elsewhere. */
#ifdef __aarch64__
#include "cpu/vec_neon_int.h"

#include "cpu/simd_table_int.h"

const struct bt_kernels bt_kernels_neon = BT_SIMD_TABLE(BT_ISA_NEON);
#else
typedef int bt_no_neon; /* a translation unit must not be empty */
#endif
