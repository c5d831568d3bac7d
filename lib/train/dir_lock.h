/* SPDX-License-Identifier: MIT */
/* One run at a time writes into a directory. */
#ifndef BT_TRAIN_DIR_LOCK_H
#define BT_TRAIN_DIR_LOCK_H

#include "base/err.h"

/*
 * Keeps other runs out of the directory until bt_dir_lock_release or the end of
 * the process, however it ends; and removes the unfinished files that runs left
 * which were killed. *claim is then to be released. Where the file system has
 * no locks nobody is kept out.
 */
int bt_dir_lock(const char *dir, int *claim, struct bt_error *err) BT_MUST_USE;
/* The same of a directory that is made where it is not there. */
int bt_dir_lock_make(const char *dir, int *claim,
                     struct bt_error *err) BT_MUST_USE;
void bt_dir_lock_release(int claim); /* takes -1 */

#endif
