/* SPDX-License-Identifier: MIT */
#include "cpu/kernels.h"

#include "cpu/kernels_int.h"
#include "op/ops.h"

struct bt_dropout bt_dropout_make(float probability, uint64_t seed,
                                  uint32_t step, uint32_t stream, uint32_t row0)
{
	uint32_t threshold = bt_dropout_threshold(probability);

	return (struct bt_dropout){
	    threshold, bt_dropout_scale(threshold), seed, step, stream, row0};
}

/* What simd_relative_int.h lays out. */
static size_t rel_scratch(size_t q_rows, size_t n, size_t dp)
{
	size_t tile = BT_ATTEND_TILE, np = bt_relative_room(q_rows, n);

	return 6 * np * dp + 2 * tile * (bt_round_up(n + tile, 16) + 16) +
	       2 * bt_round_up(n, 16) * (bt_round_up(q_rows + tile, 16) + 16);
}

size_t bt_attend_scratch(size_t q_rows, size_t n, size_t d, bool relative_bias)
{
	/* pairs of columns, in whole vectors */
	size_t np = bt_round_up(n, 16), dp = bt_round_up(d, 32);
	size_t tile = BT_ATTEND_TILE;
	size_t keys = bt_attend_keys(n, relative_bias);
	/* what the backward pass takes, which is more */
	size_t simd = 5 * np * dp + 3 * bt_attend_queries(q_rows) * dp +
	              3 * tile * keys + bt_attend_masks(n, keys);
	size_t ref = bt_drop_room(q_rows * n) + 2 * n * d + 2 * n + d;

	return (simd > ref ? simd : ref) +
	       (relative_bias ? rel_scratch(q_rows, n, bt_round_up(d, 16)) : 0);
}

struct bt_pack bt_product_layout(const struct bt_kernels *kernels, size_t k,
                                 size_t n)
{
	return (struct bt_pack){.k = k,
	                        .n = n,
	                        .n_block = kernels->panel,
	                        .k_stride = 16 * kernels->panel,
	                        .n_stride =
	                            bt_round_up(k, 16) * kernels->panel};
}

size_t bt_product_floats(const struct bt_pack *layout)
{
	return (layout->n + layout->n_block - 1) / layout->n_block *
	       layout->n_stride;
}

const struct bt_kernels *bt_kernels_for(enum bt_isa isa)
{
	(void)isa;
#if defined(__x86_64__)
	if (isa >= BT_ISA_AMX)
		return &bt_kernels_amx;
	if (isa >= BT_ISA_AVX512BF16)
		return &bt_kernels_avx512bf16;
	if (isa >= BT_ISA_AVX512)
		return &bt_kernels_avx512;
	if (isa >= BT_ISA_AVX2)
		return &bt_kernels_avx2;
#elif defined(__aarch64__)
	if (isa >= BT_ISA_NEON)
		return &bt_kernels_neon;
#endif
	return &bt_kernels_ref;
}
