/* SPDX-License-Identifier: MIT */
/* Not under thread: its own memory would count */
/* What is measured of the machine, and that measuring takes little. */
#include "test.h"

#include "base/pool.h"
#include "base/sys.h"
#include "cpu/roofline.h"

#define THREADS 8
#define MOST ((size_t)48 << 20) /* of memory: 3 MB a thread, and some */

static struct bt_error err;

static void products_take_little(void **state)
{
	struct bt_pool *pool;
	size_t before;
	double flop = 0;

	(void)state;
	assert_ok(bt_pool_new(THREADS, &pool, &err));
	before = bt_peak_memory();
	assert_ok(bt_roofline_products(pool, NULL, false, &flop, &err));
	assert_true(flop > 0);
	if (bt_peak_memory() - before > MOST)
		fail_msg("%zu MB", (bt_peak_memory() - before) >> 20);
	bt_pool_free(pool);
}

static void share_is_told(void **state)
{
	char s[BT_SHARE_SIZE];

	(void)state;
	assert_string_equal(bt_roofline_share(5.7e10, 1e11, s),
	                    "57 GFLOP/s (57 % of products alone)");
	assert_string_equal(bt_roofline_share(5.7e10, 0, s), "57 GFLOP/s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(products_take_little),
	    cmocka_unit_test(share_is_told),
	};

	return RUN(tests);
}
