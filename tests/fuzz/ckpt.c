/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as a checkpoint. */
#include "fuzz.h"

#include "ckpt/identify.h"
#include "ckpt/inspect.h"
#include "ckpt/open.h"

static void tell(const struct bt_ckpt *c)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_ckpt_family f;

	if (bt_ckpt_family(c, "input", &f, NULL) != BT_OK)
		return;
	bt_inspect_family(&b, &f);
	bt_inspect_family_json(&b, &f);
	FUZZ_CHECK(!b.oom && b.len > 0);
	bt_ckpt_family_clear(&f);
	bt_buf_clear(&b);
}

static void use(const struct bt_ckpt *c, struct bt_pool *pool)
{
	struct bt_tensor_stats *s;
	struct bt_buf b = BT_BUF_INIT;
	struct bt_inspect_view v;

	if (bt_inspect_view_init(&v, c, NULL, NULL) != BT_OK)
		return;
	s = calloc(v.n + 1, sizeof(*s));
	if (s != NULL && bt_stats(v.t, v.n, pool, s, NULL) == BT_OK) {
		bt_inspect_list(&b, &v, s);
		bt_inspect_list_json(&b, &v, s);
		bt_inspect_check(&b, &v, s, false);
		bt_inspect_tree(&b, &v, 0);
		bt_inspect_tree_json(&b, &v, 2);
	}
	bt_buf_clear(&b);
	bt_inspect_view_clear(&v);
	free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct bt_pool *pool;
	struct bt_error err = {0};
	struct bt_ckpt *c;

	if (pool == NULL && bt_pool_new(1, &pool, &err) != BT_OK)
		return 0;
	if (fuzz_told(bt_ckpt_open_memory("input", data, size, &c, &err),
	              &err) == BT_OK) {
		use(c, pool);
		tell(c);
		bt_ckpt_close(c);
	}
	return 0;
}
