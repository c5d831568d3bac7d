/* SPDX-License-Identifier: MIT */
/* How many records each split takes, which both forms of its result need. */
#ifndef BT_RECORDSET_SPLIT_INT_H
#define BT_RECORDSET_SPLIT_INT_H

#include <stdint.h>

#include "recordset/random_state_int.h"
#include "recordset/split.h"

/* What rounding down took from a class. */
struct bt_split_rest {
	double rest;
	uint32_t class;
};

/* Records by class when a part is split off, and memory for that. The arrays
 * have an element for each class that is there. */
struct bt_split_counts {
	uint32_t classes;
	uint32_t *class; /* those that are there, in order */
	uint32_t *count; /* records of each of these */
	uint32_t *first; /* of them in the training part */
	uint32_t *second, *pick;
	struct bt_split_rest *rest;
};

/* Returns 0 or BT_ENOMEM; what there is is to be cleared even then. */
int bt_split_counts_init(struct bt_split_counts *c,
                         uint32_t classes) BT_MUST_USE;
void bt_split_counts_clear(struct bt_split_counts *c);

/* Sets first of the n records that counts has, of which tests are split off. */
void bt_split_apportion(struct bt_mt19937 *t, struct bt_split_counts *c,
                        uint32_t n, uint32_t tests);

/* How many of the n records of parts 0 .. k part k gets; *of, of all there
 * ever were, for the error: the parts before it must not come out empty. */
int bt_split_tests(const struct bt_split *p, int k, uint32_t n, uint32_t of,
                   uint32_t *tests, struct bt_error *err) BT_MUST_USE;

#endif
