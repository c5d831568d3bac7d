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
