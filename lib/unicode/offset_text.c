/* SPDX-License-Identifier: MIT */
#include "unicode/offset_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int bt_offset_text_room(struct bt_offset_text *out, size_t more)
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

void bt_offset_text_clear(struct bt_offset_text *out)
{
	free(out->text);
	free(out->src);
	memset(out, 0, sizeof(*out));
}
