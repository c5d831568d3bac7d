/* SPDX-License-Identifier: MIT */
/* Not under emulation: what is measured there is the emulator */
/* Not under thread: its own memory would count */
/* Not under address: its own memory would count */
/* What is measured of the machine, and that measuring takes little. */
#include "test.h"

#include <stdlib.h>

#include "base/pool.h"
#include "base/sys.h"
#include "cpu/gemm.h"
#include "cpu/roofline.h"

/* Of the products measured. */
#define ROWS ((size_t)512)
#define SIDE ((size_t)768)
#define MOST                                                                   \
	((size_t)10 << 20) /* a weight, twice, and a block's x and y: 7.5 MB   \
	                    */

static struct bt_error err;

/* As every run has done before it measures. */
static void multiply(void)
{
	float *weight = calloc(SIDE * SIDE, sizeof(*weight));
	float *x = calloc(ROWS * SIDE, sizeof(*x));
	float *y = calloc(ROWS * SIDE, sizeof(*y));
	struct bt_gemm_block b = {.rows = ROWS, .x = x, .y = y};
	struct bt_gemm_weight *w;
	struct bt_gemm *g;
	int c;

	assert_ok(bt_gemm_new(NULL, false, 1, &g, &err));
	assert_ok(bt_gemm_weight_new(g, (int)SIDE, (int)SIDE, false, &w, &err));
	for (c = 0; c < bt_gemm_chunks(w, BT_GEMM_FORWARD); c++) {
		assert_ok(bt_gemm_pack(w, BT_GEMM_FORWARD, c, weight, 0));
		assert_ok(bt_gemm_run(w, BT_GEMM_FORWARD, c, &b, 0));
	}
	bt_gemm_weight_free(w);
	bt_gemm_free(g);
	free(weight);
	free(x);
	free(y);
}

/* What a provider takes for its products, 10 MB a thread and more on some CPUs,
 * a run has taken already. One thread: how many of several multiply at the same
 * time is chance. */
TEST(products_take_little)
{
	struct bt_pool *pool;
	size_t before;
	double flop = 0;

	assert_ok(bt_pool_new(1, &pool, &err));
	multiply();
	before = bt_peak_memory();
	assert_ok(bt_roofline_products(pool, NULL, false, &flop, &err));
	assert_true(flop > 0);
	if (bt_peak_memory() - before > MOST)
		fail_msg("%zu MB", (bt_peak_memory() - before) >> 20);
	bt_pool_free(pool);
}

TEST(share_is_told)
{
	char s[BT_SHARE_SIZE];

	assert_string_equal(bt_roofline_share(5.7e10, 1e11, s),
	                    "57 GFLOP/s (57 % of the matrix-product peak)");
	assert_string_equal(bt_roofline_share(1.01e11, 1e11, s),
	                    "101 GFLOP/s (100 % of the matrix-product peak)");
	assert_string_equal(bt_roofline_share(5.7e10, 0, s), "57 GFLOP/s");
}
