/* SPDX-License-Identifier: MIT */
/* Inputs that were named twice, which nobody sees in the result. */
#ifndef BT_IO_DUPLICATE_PATHS_H
#define BT_IO_DUPLICATE_PATHS_H

#include "base/err.h"
#include "base/log.h"

/*
 * Warns where a file or directory stands among paths[0..n-1] more than once,
 * under one name or several: that may be meant. Standard input can be read once
 * only: BT_EARG.
 */
int bt_duplicate_paths(char *const *paths, int n, const struct bt_log *log,
                       struct bt_error *err) BT_MUST_USE;

#endif
