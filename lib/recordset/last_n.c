/* SPDX-License-Identifier: MIT */
#include "recordset/last_n.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void bt_last_n_init(struct bt_last_n *t, uint64_t max)
{
	memset(t, 0, sizeof(*t));
	t->max = max;
}

void bt_last_n_clear(struct bt_last_n *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		bt_buf_clear(&t->ring[i]);
	free(t->ring);
	memset(t, 0, sizeof(*t));
}

int bt_last_n_put(struct bt_last_n *t, const void *data, size_t len)
{
	struct bt_buf *b;

	if (t->max == 0)
		return BT_OK;
	if (t->n < t->max) {
		if (bt_grow(&t->ring, &t->cap, t->n + 1, sizeof(*t->ring)) !=
		    BT_OK)
			return BT_ENOMEM;
		b = &t->ring[t->n++];
		memset(b, 0, sizeof(*b));
	} else {
		b = &t->ring[t->first];
		t->first = (t->first + 1) % t->n;
	}
	bt_buf_reset(b);
	bt_buf_put(b, data, len);
	return b->oom ? BT_ENOMEM : BT_OK;
}

const struct bt_buf *bt_last_n_get(const struct bt_last_n *t, size_t i)
{
	return &t->ring[(t->first + i) % t->n];
}
