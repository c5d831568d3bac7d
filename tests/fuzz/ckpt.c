/* SPDX-License-Identifier: MIT */
/* Any bytes as a checkpoint. */
#include "fuzz.h"

#include "ckpt/show.h"

static void use(const struct bt_ckpt *c, struct bt_pool *pool)
{
	struct bt_tensor_stats *s;
	struct bt_buf b = BT_BUF_INIT;
	struct bt_view v;

	if (bt_view_init(&v, c, NULL, NULL) != BT_OK)
		return;
	s = calloc(v.n + 1, sizeof(*s));
	if (s != NULL && bt_stats(v.t, v.n, pool, s, NULL) == BT_OK) {
		bt_show_list(&b, &v, s);
		bt_show_list_json(&b, &v, s);
		bt_show_check(&b, &v, s, false);
	}
	bt_buf_clear(&b);
	bt_view_clear(&v);
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
		bt_ckpt_close(c);
	}
	return 0;
}
