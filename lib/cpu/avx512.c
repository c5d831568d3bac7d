/* SPDX-License-Identifier: MIT */
/* The kernels for AVX512. Built with that instruction set's flags; empty
 * elsewhere. */
#ifdef __AVX512F__
#include "cpu/vec_avx512_int.h"

#include "cpu/simd_attend_int.h"
#include "cpu/simd_gated_int.h"
#include "cpu/simd_math_int.h"
#include "cpu/simd_optim_int.h"
#include "cpu/simd_pack_int.h"
#include "cpu/simd_rows_int.h"

const struct bt_kernels bt_kernels_avx512 = {
    .isa = BT_ISA_AVX512,
    .to_bf16 = to_bf16,
    .from_bf16 = from_bf16,
    .dropout = dropout,
    .embed = embed,
    .norm = norm,
    .norm_back = norm_back,
    .add = add,
    .add_back = add_back,
    .gated = gated,
    .gated_back = gated_back,
    .act = act,
    .act_back = act_back,
    .column_sums = column_sums,
    .pack = pack_matrix,
    .attend = attend,
    .attend_back = attend_back,
    .axpy = axpy,
    .sum_squares = sum_squares,
    .adamw = adamw,
    .lamb = lamb,
    .lamb_apply = lamb_apply,
    .sgd = sgd,
};
#else
typedef int bt_no_avx512; /* a translation unit must not be empty */
#endif
