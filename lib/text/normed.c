/* SPDX-License-Identifier: MIT */
#include "text/normed.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int bt_normed_room(struct bt_normed *out, size_t more)
{
	size_t cap = out->cap;
	void *p;
	int r;

	if (cap - out->n >= more && (!out->want_src || out->src != NULL))
		return BT_OK;
	r = bt_grow(&out->text, &cap, out->n + more, 1);
	if (r != BT_OK)
		return r;
	if (out->want_src || out->src != NULL) {
		p = realloc(out->src, cap * sizeof(*out->src));
		if (p == NULL)
			return BT_ENOMEM;
		out->src = p;
	}
	out->cap = cap;
	return BT_OK;
}

void bt_normed_clear(struct bt_normed *out)
{
	free(out->text);
	free(out->src);
	memset(out, 0, sizeof(*out));
}
