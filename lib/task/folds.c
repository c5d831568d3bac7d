/* SPDX-License-Identifier: MIT */
#include "task/folds.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "task/twister_int.h"

/* One permutation, cut into blocks, the first n mod folds one longer. */
static void plain(struct bt_twister *t, uint32_t folds, uint32_t n, uint32_t *v,
                  uint8_t *fold)
{
	uint32_t i, k, at = 0;

	for (i = 0; i < n; i++)
		v[i] = i;
	bt_twister_shuffle(t, v, n);
	for (k = 0; k < folds; k++)
		for (i = 0; i < n / folds + (k < n % folds); i++)
			fold[v[at++]] = (uint8_t)k;
}

/*
 * Records sorted by class are dealt to the folds in turn; that says how many of
 * a class each fold gets. Which ones is shuffled for each class by itself.
 * counts: groups + 1 numbers; v: n numbers.
 */
static void stratified(struct bt_twister *t, uint32_t folds, uint32_t n,
                       const uint32_t *group, uint32_t groups, uint32_t *counts,
                       uint32_t *v, uint8_t *fold)
{
	uint32_t c, i, k, at = 0, start = 0, size;

	for (c = 0; c < groups; c++) {
		size = counts[c];
		at = start;
		/* fold k gets the places k, k + folds, ... of start .. */
		for (k = 0; k < folds; k++)
			for (i = start + (k + folds - start % folds) % folds;
			     i < start + size; i += folds)
				v[at++] = k;
		bt_twister_shuffle(t, v + start, size);
		counts[c] = start;
		start += size;
	}
	for (i = 0; i < n; i++)
		fold[i] = (uint8_t)v[counts[group[i]]++];
}

int bt_folds_choose(uint32_t seed, uint32_t folds, uint32_t n,
                    const uint32_t *group, uint32_t groups, uint8_t *fold,
                    struct bt_error *err)
{
	uint32_t *v = bt_array(n, sizeof(*v)), i, most = group != NULL ? 0 : n;
	uint32_t *counts = bt_array0(groups, sizeof(*counts));
	struct bt_twister t;
	int r = BT_OK;

	if (v == NULL || counts == NULL)
		r = bt_error_nomem(err, "making folds");
	for (i = 0; i < n && group != NULL && r == BT_OK; i++)
		if (++counts[group[i]] > most)
			most = counts[group[i]];
	if (r == BT_OK && most < folds)
		r = bt_error_set(err, BT_EFORMAT,
		                 "%u folds need as many records%s", folds,
		                 group != NULL ? " of some value" : "");
	bt_twister_init(&t, seed);
	if (r == BT_OK && group == NULL)
		plain(&t, folds, n, v, fold);
	else if (r == BT_OK)
		stratified(&t, folds, n, group, groups, counts, v, fold);
	free(counts);
	free(v);
	return r;
}
