/* SPDX-License-Identifier: MIT */
#include "task/arrange.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/philox.h"
#include "base/set.h"
#include "task/field.h"
#include "task/folds.h"

/* Numbers the values of the feature: group[i] for record i. */
static int number(const struct bt_arrange *a, struct bt_store *store,
                  struct bt_set *values, uint32_t *group, struct bt_error *err)
{
	struct bt_span value;
	const void *data;
	size_t i, len, k;
	int r;

	for (i = 0; i < bt_store_count(store); i++) {
		r = bt_store_get(store, i, &data, &len, err);
		if (r == BT_OK)
			r = bt_field_find(data, len, a->stratify, &value, err);
		if (r == 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "record %zu of those to be split "
			                    "has no feature '%s'",
			                    i + 1, a->stratify);
		if (r < 0)
			return r;
		if (bt_set_add(values, value, &k) != BT_OK)
			return bt_error_nomem(err, "splitting");
		group[i] = (uint32_t)k;
	}
	return BT_OK;
}

static int choose(struct bt_arrange *a, struct bt_store *store,
                  struct bt_error *err)
{
	uint32_t n = (uint32_t)bt_store_count(store), *group = NULL;
	struct bt_set *values = bt_set_new();
	int r = BT_OK;

	if (a->stratify != NULL)
		group = bt_array(n, sizeof(*group));
	if (values == NULL || (a->stratify != NULL && group == NULL))
		r = bt_error_nomem(err, "splitting");
	if (r == BT_OK && group != NULL)
		r = number(a, store, values, group, err);
	if (r == BT_OK && a->folds > 0)
		r = bt_folds_choose((uint32_t)a->seed, (uint32_t)a->folds, n,
		                    group, (uint32_t)bt_set_count(values),
		                    a->part, err);
	else if (r == BT_OK)
		r = bt_split_choose(a->split, a->seed, n, group,
		                    (uint32_t)bt_set_count(values), a->part,
		                    err);
	free(group);
	bt_set_free(values);
	return r;
}

int bt_arrange_make(struct bt_arrange *a, struct bt_store *store,
                    struct bt_error *err)
{
	size_t n = bt_store_count(store), i;
	bool parts = a->split != NULL || a->folds > 0;

	if (n > UINT32_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "%zu records are too many to arrange", n);
	a->order = bt_array(n, sizeof(*a->order));
	a->part = parts ? bt_array(n, 1) : NULL;
	if (a->order == NULL || (parts && a->part == NULL))
		return bt_error_nomem(err, "arranging records");
	if (a->shuffle)
		bt_random_order(a->seed, BT_PURPOSE_SHUFFLE, 0, a->order,
		                (uint32_t)n);
	for (i = 0; i < n && !a->shuffle; i++)
		a->order[i] = (uint32_t)i;
	return parts ? choose(a, store, err) : BT_OK;
}

void bt_arrange_clear(struct bt_arrange *a)
{
	free(a->order);
	free(a->part);
	a->order = NULL;
	a->part = NULL;
}
