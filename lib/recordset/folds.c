/* SPDX-License-Identifier: MIT */
#include "recordset/folds.h"

#include <stdlib.h>

#include "base/mem.h"
#include "recordset/random_state_int.h"

/* One permutation, cut into blocks, the first n mod folds one longer. Each
 * place gets its fold, and the permutation is turned back. */
static int plain(struct bt_mt19937 *t, uint32_t folds, uint32_t n,
                 struct bt_bitpack *fold)
{
	uint32_t i, k, at = 0;

	for (k = 0; k < folds; k++)
		for (i = 0; i < n / folds + (k < n % folds); i++)
			bt_bitpack_set(fold, at++, k);
	return bt_random_state_unshuffle(t, fold, 0, n);
}

/*
 * Records sorted by class are dealt to the folds in turn; that says how many of
 * a class each fold gets. Which ones is shuffled for each class by itself.
 * counts: one for each class; sorted: memory for n folds.
 */
static void stratified(struct bt_mt19937 *t, uint32_t folds, uint32_t n,
                       const struct bt_bitpack *class, uint32_t classes,
                       uint32_t *counts, struct bt_bitpack *sorted,
                       struct bt_bitpack *fold)
{
	uint32_t c, k, at = 0, start = 0, size;
	uint64_t i;

	for (c = 0; c < classes; c++) {
		size = counts[c];
		at = start;
		/* fold k gets the places k, k + folds, ... of start .. */
		for (k = 0; k < folds; k++)
			for (i = start + (k + folds - start % folds) % folds;
			     i < (uint64_t)start + size; i += folds)
				bt_bitpack_set(sorted, at++, k);
		bt_random_state_shuffle_packed(t, sorted, start, size);
		counts[c] = start;
		start += size;
	}
	for (i = 0; i < n; i++)
		bt_bitpack_set(
		    fold, i,
		    bt_bitpack_get(sorted, counts[bt_bitpack_get(class, i)]++));
}

/* Whether there are enough of some class for all folds. */
static int enough(uint32_t folds, uint32_t n, const struct bt_bitpack *class,
                  uint32_t *counts, struct bt_error *err)
{
	uint32_t most = class != NULL ? 0 : n, i;

	for (i = 0; i < n && class != NULL; i++)
		if (++counts[bt_bitpack_get(class, i)] > most)
			most = counts[bt_bitpack_get(class, i)];
	if (most >= folds)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT, "%u folds need as many records%s",
	                    folds, class != NULL ? " of some value" : "");
}

int bt_folds_choose(uint32_t seed, uint32_t folds, uint32_t n,
                    const struct bt_bitpack *class, uint32_t classes,
                    struct bt_bitpack *fold, uint32_t *rare,
                    struct bt_error *err)
{
	uint32_t *counts = bt_array0(classes, sizeof(*counts)), i;
	struct bt_bitpack sorted = BT_BITPACK_INIT;
	struct bt_mt19937 t;
	int r = BT_OK;

	if (counts == NULL || bt_bitpack_init(fold, n, folds - 1) != BT_OK ||
	    (class != NULL && bt_bitpack_init(&sorted, n, folds - 1) != BT_OK))
		r = bt_error_nomem(err, "making folds");
	if (r == BT_OK)
		r = enough(folds, n, class, counts, err);
	*rare = 0;
	for (i = 0; r == BT_OK && i < classes; i++)
		*rare += counts[i] < folds;
	bt_mt19937_init(&t, seed);
	if (r == BT_OK && class != NULL)
		stratified(&t, folds, n, class, classes, counts, &sorted, fold);
	else if (r == BT_OK && plain(&t, folds, n, fold) != BT_OK)
		r = bt_error_nomem(err, "making folds");
	bt_bitpack_clear(&sorted);
	free(counts);
	return r;
}
