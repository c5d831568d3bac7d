/* SPDX-License-Identifier: MIT */
#include "recordset/order.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/philox.h"
#include "recordset/folds.h"

/* Classes with fewer records than there are parts. */
static uint32_t count_rare(const struct bt_bitpack *class, uint32_t n,
                           uint32_t classes, uint32_t parts)
{
	uint32_t *counts = bt_array0(classes, sizeof(*counts)), i, rare = 0;

	for (i = 0; i < n; i++)
		counts[bt_bitpack_get(class, i)]++;
	for (i = 0; i < classes; i++)
		rare += counts[i] < parts;
	free(counts);
	return rare;
}

static int choose(struct bt_order *a, uint32_t n, struct bt_error *err)
{
	const struct bt_bitpack *class = NULL;
	uint32_t seed = (uint32_t)a->seed, classes = 0;
	int r = BT_OK;

	if (a->classes != NULL)
		r = bt_strata_end(a->classes, a->split != NULL, &class,
		                  &classes, err);
	a->rare = 0;
	if (r == BT_OK && a->split != NULL && class != NULL)
		a->rare = count_rare(class, n, classes, (uint32_t)a->split->n);
	if (r == BT_OK && a->split != NULL && a->shuffle)
		r = bt_split_order(a->split, seed, n, class, classes, a->order,
		                   a->start, err);
	else if (r == BT_OK && a->split != NULL)
		r = bt_split_parts(a->split, seed, n, class, classes, &a->part,
		                   err);
	else if (r == BT_OK && a->folds > 0)
		r = bt_folds_choose(seed, (uint32_t)a->folds, n, class, classes,
		                    &a->part, &a->rare, err);
	return r;
}

int bt_order_make(struct bt_order *a, size_t n, struct bt_error *err)
{
	int r;

	if (n > UINT32_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "%zu records are too many to arrange", n);
	a->order = NULL;
	a->part = (struct bt_bitpack)BT_BITPACK_INIT;
	if (a->shuffle && (a->order = bt_array(n, sizeof(*a->order))) == NULL)
		return bt_error_nomem(err, "arranging records");
	r = choose(a, (uint32_t)n, err);
	if (r == BT_OK && a->shuffle && a->split == NULL)
		bt_random_order(a->seed, BT_PURPOSE_SHUFFLE, 0, a->order,
		                (uint32_t)n);
	return r;
}

size_t bt_order_get(const struct bt_order *a, size_t i, int *part)
{
	size_t record = a->order != NULL ? a->order[i] : i;

	*part = 0;
	if (a->part.n > 0)
		*part = (int)bt_bitpack_get(&a->part, record);
	else if (a->split != NULL)
		while (i >= a->start[*part + 1])
			++*part;
	return record;
}

void bt_order_clear(struct bt_order *a)
{
	free(a->order);
	a->order = NULL;
	bt_bitpack_clear(&a->part);
}
