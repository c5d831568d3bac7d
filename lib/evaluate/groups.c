/* SPDX-License-Identifier: MIT */
#include "evaluate/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/feature.h"

void bt_groups_clear(struct bt_groups *g)
{
	bt_string_set_free(g->values);
	free(g->of);
	bt_buf_clear(&g->text);
	memset(g, 0, sizeof(*g));
}

int bt_groups_look(struct bt_groups *g, size_t k, const void *data, size_t len,
                   struct bt_error *err)
{
	enum bt_feature_kind kind;
	struct bt_span raw;
	size_t value;
	int r;

	if (g->values == NULL)
		g->values = bt_string_set_new();
	if (bt_grow(&g->of, &g->cap, k + 1, sizeof(*g->of)) != BT_OK)
		return bt_error_nomem(err, "grouping records");
	r = bt_record_feature_find(data, len, g->field, &raw, &kind, err);
	if (r < 0)
		return r;
	if (r == 0)
		return bt_error_set(err, BT_EFORMAT, "has no feature '%s'",
		                    g->field);
	bt_buf_reset(&g->text);
	r = bt_record_feature_show(g->field, raw, kind, &g->text, err);
	if (r != BT_OK)
		return r;
	if (g->text.oom ||
	    bt_string_set_add(
	        g->values,
	        (struct bt_span){bt_buf_at(&g->text, 0), g->text.len},
	        &value) != BT_OK ||
	    value >= UINT32_MAX)
		return bt_error_nomem(err, "grouping records");
	g->of[k] = (uint32_t)value;
	return BT_OK;
}
