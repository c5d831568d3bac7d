/* SPDX-License-Identifier: MIT */
/*
 * Folds of which none shares a group with another, equal to scikit-learn's:
 * those of StratifiedGroupKFold with shuffle=True and random_state=seed where
 * records have classes, else those of GroupKFold, which draws nothing.
 */
#ifndef BT_RECORDSET_GROUP_FOLDS_H
#define BT_RECORDSET_GROUP_FOLDS_H

#include <stdint.h>

#include "base/bitpack.h"
#include "base/err.h"

struct bt_group_folds {
	uint32_t seed, folds, n;        /* n records */
	const struct bt_bitpack *group; /* of each, numbered in their order */
	uint32_t groups;
	const struct bt_bitpack *class; /* likewise; or NULL */
	uint32_t classes;
};

/* fold, which is cleared by the caller, gets a number for each record: in which
 * of the folds it is tested. BT_EFORMAT where there are fewer groups than
 * folds. */
int bt_group_folds_choose(const struct bt_group_folds *g,
                          struct bt_bitpack *fold,
                          struct bt_error *err) BT_MUST_USE;

#endif
