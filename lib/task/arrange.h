/* SPDX-License-Identifier: MIT */
/* The order in which stored records are written, and the part of each. */
#ifndef BT_TASK_ARRANGE_H
#define BT_TASK_ARRANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "task/split.h"
#include "task/store.h"

struct bt_arrange {
	bool shuffle;  /* a function of the seed and the number of records;
	                * with split, scikit-learn's order of each part */
	uint64_t seed; /* below 2^32 with split or folds */
	const struct bt_split *split; /* or NULL */
	int folds;                    /* or 0; not with split */
	const char *stratify;         /* a feature, or NULL */

	uint32_t *order; /* results: record to be written i-th */
	uint8_t *part;   /* or fold of record i; NULL without either */
};

/* Sets the results. BT_EFORMAT where a record lacks the feature to stratify
 * by. */
int bt_arrange_make(struct bt_arrange *a, struct bt_store *store,
                    struct bt_error *err) BT_MUST_USE;

/* Frees the results. */
void bt_arrange_clear(struct bt_arrange *a);

#endif
