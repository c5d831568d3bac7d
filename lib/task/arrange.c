/* SPDX-License-Identifier: MIT */
#include "task/arrange.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/philox.h"
#include "task/classes.h"
#include "task/folds.h"

static int choose(struct bt_arrange *a, struct bt_store *store,
                  struct bt_error *err)
{
	uint32_t n = (uint32_t)bt_store_count(store), *class = NULL,
	         classes = 0;
	uint32_t seed = (uint32_t)a->seed;
	int r = BT_OK;

	if (a->stratify != NULL) {
		class = bt_array(n, sizeof(*class));
		if (class == NULL)
			return bt_error_nomem(err, "splitting");
		r = bt_classes_number(store, a->stratify, a->split != NULL,
		                      class, &classes, err);
	}
	if (r == BT_OK && a->split != NULL)
		r = bt_split_choose(a->split, seed, n, class, classes, a->part,
		                    a->order, err);
	else if (r == BT_OK)
		r = bt_folds_choose(seed, (uint32_t)a->folds, n, class, classes,
		                    a->part, err);
	free(class);
	return r;
}

int bt_arrange_make(struct bt_arrange *a, struct bt_store *store,
                    struct bt_error *err)
{
	size_t n = bt_store_count(store), i;
	bool parts = a->split != NULL || a->folds > 0;
	int r;

	if (n > UINT32_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "%zu records are too many to arrange", n);
	a->order = bt_array(n, sizeof(*a->order));
	a->part = parts ? bt_array(n, 1) : NULL;
	if (a->order == NULL || (parts && a->part == NULL))
		return bt_error_nomem(err, "arranging records");
	if (parts) {
		r = choose(a, store, err);
		if (r != BT_OK)
			return r;
	}
	if (a->shuffle && a->split == NULL)
		bt_random_order(a->seed, BT_PURPOSE_SHUFFLE, 0, a->order,
		                (uint32_t)n);
	for (i = 0; i < n && !a->shuffle; i++)
		a->order[i] = (uint32_t)i;
	return BT_OK;
}

void bt_arrange_clear(struct bt_arrange *a)
{
	free(a->order);
	free(a->part);
	a->order = NULL;
	a->part = NULL;
}
