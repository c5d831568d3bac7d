/* SPDX-License-Identifier: MIT */
/* Template, last part: all the others, and the table of what they make. */
#ifndef BT_CPU_SIMD_TABLE_INT_H
#define BT_CPU_SIMD_TABLE_INT_H

#include "cpu/simd_attend_int.h"
#include "cpu/simd_glu_int.h"
#include "cpu/simd_math_int.h"
#include "cpu/simd_optim_int.h"
#include "cpu/simd_pack_int.h"
#include "cpu/simd_rows_int.h"

/* The table of an instruction set. */
#define BT_SIMD_TABLE(name)                                                    \
	{                                                                      \
		.isa = (name), .to_bf16 = to_bf16, .from_bf16 = from_bf16,     \
		.dropout = dropout, .embed = embed, .norm = norm,              \
		.norm_back = norm_back, .add = add, .add_back = add_back,      \
		.glu = glu, .glu_back = glu_back, .act = act,                  \
		.act_back = act_back, .column_sums = column_sums,              \
		.pack = pack_matrix, .attend = attend,                         \
		.attend_back = attend_back, .axpy = axpy,                      \
		.sum_squares = sum_squares, .adamw = adamw, .lamb = lamb,      \
		.lamb_apply = lamb_apply, .sgd = sgd                           \
	}

#endif
