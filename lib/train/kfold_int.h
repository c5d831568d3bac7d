/* SPDX-License-Identifier: MIT */
#ifndef BT_TRAIN_KFOLD_INT_H
#define BT_TRAIN_KFOLD_INT_H

#include "train/kfold.h"

/* Sets r from the metrics s [folds] of folds, and those of all. */
int bt_kfold_sum_up(struct bt_kfold_result *r,
                    const struct bt_metrics_summary *s, int folds,
                    const struct bt_metrics *all,
                    struct bt_error *err) BT_MUST_USE;

/* What decides which texts are in which fold: f; and the sums of
 * the inputs. NULL: out of memory. */
json_t *bt_kfold_division(const struct bt_fold *f, json_t *sums);

/* The same, and the result. */
json_t *bt_kfold_json(const struct bt_kfold_result *r, const struct bt_fold *f,
                      json_t *sums);

#endif
