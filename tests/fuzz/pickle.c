/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as the pickle of a PyTorch file whose storages are there: 64 bytes
 * each, under the keys 0 and 1. */
#include "list.h"

#include "ckpt/open.h"
#include "zipmaker.h"

static void use(const struct bt_ckpt *c)
{
	const struct bt_tensor *t;
	size_t i;

	for (i = 0; i < bt_ckpt_count(c); i++) {
		t = bt_ckpt_tensor(c, i);
		FUZZ_CHECK(t->data != NULL || t->from != NULL);
	}
	fuzz_values(c);
	FUZZ_CHECK(bt_ckpt_verify(c, NULL) == BT_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t bytes[64];
	struct zip_entry e[] = {
	    {.name = "a/data.pkl", .data = data, .n = size},
	    {.name = "a/data/0", .data = bytes, .n = sizeof(bytes)},
	    {.name = "a/data/1", .data = bytes, .n = sizeof(bytes)},
	};
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_ckpt *c;

	if (size == 0)
		return 0;
	zip_make(&b, e, 3);
	if (!b.oom &&
	    fuzz_told(bt_ckpt_open_memory("input", b.data, b.len, &c, &err),
	              &err) == BT_OK) {
		use(c);
		bt_ckpt_close(c);
	}
	bt_buf_clear(&b);
	return 0;
}
