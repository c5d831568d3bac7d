/* SPDX-License-Identifier: MIT */
/* Directories that files are to be written into. */
#ifndef BT_IO_DIRS_H
#define BT_IO_DIRS_H

#include "base/err.h"

/* Makes the directories that lead to path, not path itself: all before its last
 * '/'. Those that are there stay as they are. */
int bt_dirs_above(const char *path, struct bt_error *err) BT_MUST_USE;

#endif
