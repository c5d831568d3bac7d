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

#endif
