/* SPDX-License-Identifier: MIT */
/* A fold of examples in memory. */
#ifndef BT_TRAIN_FOLD_H
#define BT_TRAIN_FOLD_H

#include "base/log.h"
#include "finetune/dataset.h"
#include "task/task.h"

struct bt_fold {
	int folds; /* 0: none */
	int fold;  /* from 0 */
	uint64_t seed;
	const char *group; /* a feature whose values stay together, or NULL */
};

/*
 * Moves the texts of the fold from d, which holds the records in their order
 * (and keeps them, with a group), to held; NULL: they are dropped. The folds
 * are those of recordset/folds.h or group_folds.h, by class where each text has
 * one; log, unless it is NULL, gets a warning of classes with fewer texts than
 * folds, with the first of these. number, unless it is NULL, gets which of the
 * texts of d each of them was, to be freed. BT_EARG where examples are no texts
 * to be told apart; BT_EFORMAT where they are too few.
 */
int bt_fold_take(const struct bt_fold *f, const struct bt_task *task,
                 struct bt_dataset *d, struct bt_dataset *held,
                 uint32_t **number, const struct bt_log *log,
                 struct bt_error *err) BT_MUST_USE;

#endif
