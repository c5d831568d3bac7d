/* SPDX-License-Identifier: MIT */
/* The order in which records that were kept are written, and the part of
 * each. */
#ifndef BT_RECORDSET_ORDER_H
#define BT_RECORDSET_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bitpack.h"
#include "base/err.h"
#include "recordset/split.h"
#include "recordset/strata.h"

struct bt_order {
	bool shuffle;  /* a function of the seed and the number of records;
	                * with split, scikit-learn's order of each part */
	uint64_t seed; /* below 2^32 with split or folds */
	const struct bt_split *split; /* or NULL */
	int folds;                    /* or 0; not with split */
	struct bt_strata *classes;    /* of all records, to be stratified by;
	                               * or NULL */

	/* results */
	uint32_t rare;          /* classes with fewer records than folds, or
	                         * parts of split */
	uint32_t *order;        /* record to be written i-th; NULL: record i */
	struct bt_bitpack part; /* or fold of record i; empty without either,
	                         * and where start says it */
	uint32_t start[BT_SPLIT_MAX + 1]; /* of split with shuffle: the place in
	                                   * order where each part begins */
};

/* Sets the results for n records. */
int bt_order_make(struct bt_order *a, size_t n,
                  struct bt_error *err) BT_MUST_USE;

/* The record that is written i-th, and its part (or fold). */
size_t bt_order_get(const struct bt_order *a, size_t i, int *part);

/* Frees the results. */
void bt_order_clear(struct bt_order *a);

#endif
