/* SPDX-License-Identifier: MIT */
/* What the entries for checkpoints share. */
#ifndef FUZZ_LIST_H
#define FUZZ_LIST_H

#include "fuzz.h"

#include "ckpt/inspect.h"

/* Lists the tensors in both forms. */
static inline void fuzz_list(const struct bt_ckpt *c)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_inspect_view v;

	if (bt_inspect_view_init(&v, c, NULL, NULL) != BT_OK)
		return;
	bt_inspect_list(&b, &v, NULL);
	bt_inspect_list_json(&b, &v, NULL);
	FUZZ_CHECK(!b.oom);
	bt_buf_clear(&b);
	bt_inspect_view_clear(&v);
}

/* Finds each tensor and takes its bytes and its numbers. */
static inline void fuzz_values(const struct bt_ckpt *c)
{
	const struct bt_tensor *t;
	size_t i, k, n;
	double v[64];

	for (i = 0; i < bt_ckpt_count(c); i++) {
		t = bt_ckpt_tensor(c, i);
		FUZZ_CHECK(bt_ckpt_find(c, t->name) == t);
		if (t->data != NULL)
			fuzz_read(t->data, t->bytes);
		for (k = 0; k < t->count && k < 100000; k += n) {
			n = t->count - k < 64 ? t->count - k : 64;
			if (bt_dtype_is_real(t->dtype))
				FUZZ_CHECK(bt_tensor_to_f64(t, k, n, v, NULL) ==
				           BT_OK);
		}
	}
}

#endif
