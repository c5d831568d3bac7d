/* SPDX-License-Identifier: MIT */
/* The kernels for AVX512 with instructions that round to bf16 and multiply it,
 * and those for AMX, which differ in what multiplies the pairs of attention.
 * Built with the flags of the former; empty elsewhere. */
#ifdef __AVX512BF16__
#include "cpu/vec_avx512_int.h"

#include "cpu/simd_table_int.h"

const struct bt_kernels bt_kernels_avx512bf16 =
    BT_SIMD_TABLE(BT_ISA_AVX512BF16);

static void attend_by_tiles(const struct bt_attend *a)
{
	bool tiles = has_pairs(a);

	if (tiles)
		bt_tiles_begin();
	attend_with(a, tiles ? TILES_OF_PAIRS : FLOATS);
	if (tiles)
		bt_tiles_end();
}

static void attend_back_by_tiles(const struct bt_attend *a)
{
	bool tiles = has_pairs(a);

	if (tiles)
		bt_tiles_begin();
	attend_back_with(a, tiles ? TILES_OF_PAIRS : FLOATS);
	if (tiles)
		bt_tiles_end();
}

const struct bt_kernels bt_kernels_amx =
    BT_SIMD_TABLE_WITH(BT_ISA_AMX, attend_by_tiles, attend_back_by_tiles);
#else
typedef int bt_no_avx512bf16; /* a translation unit must not be empty */
#endif
