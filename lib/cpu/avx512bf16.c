/* SPDX-License-Identifier: MIT */
/* The kernels for AVX512 with instructions that round to bf16 and multiply it,
 * and those for AMX, which differ in what multiplies the pairs of attention.
 * Built with the flags of the former; empty elsewhere. */
#ifdef __AVX512BF16__
#include "cpu/vec_avx512_int.h"

#include "cpu/simd_table_int.h"

const struct bt_kernels bt_kernels_avx512bf16 =
    BT_SIMD_TABLE(BT_ISA_AVX512BF16);

static void by_tiles(const struct bt_attend *a,
                     void (*pass)(const struct bt_attend *a,
                                  enum operands kind))
{
	if (!has_pairs(a)) {
		pass(a, FLOATS);
		return;
	}
	bt_tiles_begin();
	pass(a, TILES_OF_PAIRS);
	bt_tiles_end();
}

static void attend_by_tiles(const struct bt_attend *a)
{
	by_tiles(a, attend_with);
}

static void attend_back_by_tiles(const struct bt_attend *a)
{
	by_tiles(a, attend_back_with);
}

const struct bt_kernels bt_kernels_amx =
    BT_SIMD_TABLE_WITH(BT_ISA_AMX, attend_by_tiles, attend_back_by_tiles);
#else
typedef int bt_no_avx512bf16; /* a translation unit must not be empty */
#endif
