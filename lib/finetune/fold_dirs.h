/* SPDX-License-Identifier: MIT */
/* A directory of cross-validation (train/kfold.h) in place of its models. */
#ifndef BT_FINETUNE_FOLD_DIRS_H
#define BT_FINETUNE_FOLD_DIRS_H

#include "base/err.h"
#include "base/opt.h"

struct bt_fold_dirs {
	char *name[BT_OPT_LIST_MAX];
	int n;
};

/* Puts fold-1, fold-2 ... of each directory that has them, and no model itself,
 * in its place. The names live in f, which is zero. BT_EARG where these are too
 * many. */
int bt_fold_dirs_expand(struct bt_opt_list *dirs, struct bt_fold_dirs *f,
                        struct bt_error *err) BT_MUST_USE;
void bt_fold_dirs_clear(struct bt_fold_dirs *f);

#endif
