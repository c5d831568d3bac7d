/* SPDX-License-Identifier: MIT */
#include "task/field.h"

int bt_field_find(const void *data, size_t len, const char *name,
                  struct bt_span *value, enum bt_feature_kind *kind,
                  struct bt_error *err)
{
	struct bt_example x;
	struct bt_feature f;
	int r, found = 0;

	bt_example_open(&x, data, len);
	while ((r = bt_example_next(&x, &f, err)) == 1) {
		if (!bt_feature_is(&f, name))
			continue;
		value->p = (const char *)f.list.p;
		value->n = (size_t)(f.list.end - f.list.p);
		if (kind != NULL)
			*kind = f.kind;
		found = 1;
	}
	return r == 0 ? found : r;
}

int bt_field_text(const void *data, size_t len, const char *name,
                  struct bt_span *text, struct bt_error *err)
{
	struct bt_feature f = {0};
	struct bt_span raw;
	int r = bt_field_find(data, len, name, &raw, &f.kind, err);

	if (r != 1)
		return r;
	f.name = name;
	f.name_len = strlen(name);
	f.list.p = (const uint8_t *)raw.p;
	f.list.end = f.list.p + raw.n;
	r = bt_feature_text(&f, &text->p, &text->n, err);
	return r == BT_OK ? 1 : r;
}
