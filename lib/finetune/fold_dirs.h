/* SPDX-License-Identifier: MIT */
/* The models that a program was given, as directories. */
#ifndef BT_FINETUNE_FOLD_DIRS_H
#define BT_FINETUNE_FOLD_DIRS_H

#include "base/err.h"
#include "base/opt.h"

struct bt_fold_dirs {
	char *name[BT_OPT_LIST_MAX];
	int n;
};

/*
 * Puts what the hub's cache has in the place of names of models there, and
 * fold-1, fold-2 ... of each directory of cross-validation (train/kfold.h),
 * which has no model itself, in its place. Where there are adapters, dirs is to
 * be the one model that they change, whatever they name, and becomes the list
 * of them. The names live in f, which is zero. BT_EARG where there are too many
 * models, BT_EFORMAT where a directory is not that of an adapter.
 */
int bt_fold_dirs_expand(struct bt_opt_list *dirs,
                        const struct bt_opt_list *adapters,
                        struct bt_fold_dirs *f,
                        struct bt_error *err) BT_MUST_USE;

/* Whether the directory has the model of a fold. */
bool bt_fold_dirs_there(const char *dir);

void bt_fold_dirs_clear(struct bt_fold_dirs *f);

#endif
