/* SPDX-License-Identifier: MIT */
/*
 * Folds of cross-validation, equal to those that scikit-learn's KFold and
 * StratifiedKFold make with shuffle=True and random_state=seed. Its generator
 * is MT19937, hence not base/philox.h.
 */
#ifndef BT_RECORDSET_FOLDS_H
#define BT_RECORDSET_FOLDS_H

#include <stdint.h>

#include "base/bitpack.h"
#include "base/err.h"

#define BT_FOLDS_MAX 250

/*
 * fold, which is cleared by the caller, gets a number for each of the n
 * records: in which of the folds it is tested. Where class is not NULL, it is
 * the class of each record, below classes, numbered by first appearance, and
 * each class is dealt evenly. BT_EFORMAT where there are fewer records, or
 * fewer of each class, than folds; *rare gets the number of such classes.
 */
int bt_folds_choose(uint32_t seed, uint32_t folds, uint32_t n,
                    const struct bt_bitpack *class, uint32_t classes,
                    struct bt_bitpack *fold, uint32_t *rare,
                    struct bt_error *err) BT_MUST_USE;

#endif
