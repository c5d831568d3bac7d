/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* What bert-train says when memory will not do. */
#include "test.h"

#include <string.h>

#include "train/memory_plan.h"

#define GB ((size_t)1 << 30)

TEST(refusals)
{
	struct bt_memory_plan n = {.texts = 64, .tokens = 8192};
	struct bt_train_opts o = {0};
	struct bt_error err = {0};

	n.total = 6 * GB;
	n.held = 1 * GB;
	n.engine.activations = 3 * GB;
	n.available = 5 * GB;
	assert_ok(bt_memory_plan_check(&n, &o, &err));
	n.available--;
	assert_err(bt_memory_plan_check(&n, &o, &err), BT_ENOMEM,
	           "needs 5120 MB of memory and only 5120 MB are available; "
	           "3072 MB of it depend on the largest batch (64 texts, 8192 "
	           "tokens)");
	n.available = 2 * GB;
	bt_error_clear(&err);
	assert_int_equal(bt_memory_plan_check(&n, &o, &err), BT_ENOMEM);
	assert_int_equal(err.hint, BT_HINT_BATCH_SMALLER_OR_CHECKPOINT);
	o.recompute = true;
	bt_error_clear(&err);
	assert_int_equal(bt_memory_plan_check(&n, &o, &err), BT_ENOMEM);
	assert_int_equal(err.hint, BT_HINT_BATCH_SMALLER);
	bt_error_clear(&err);
	n.available--;
	assert_err(bt_memory_plan_check(&n, &o, &err), BT_ENOMEM,
	           "smaller model");
	n.available = UINT64_MAX;
	assert_ok(bt_memory_plan_check(&n, &o, &err));
}
