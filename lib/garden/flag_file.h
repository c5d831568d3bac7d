/* SPDX-License-Identifier: MIT */
/* The files of --flagfile, as absl has them: a flag a line, between blank lines
 * and comments, which begin with # or //. */
#ifndef BT_GARDEN_FLAG_FILE_H
#define BT_GARDEN_FLAG_FILE_H

#include "base/err.h"

/* Puts what the files hold where their flag stands. The new list and its words
 * stay until the process ends. BT_EARG, BT_EIO. */
int bt_flag_file_expand(int *argc, char ***argv,
                        struct bt_error *err) BT_MUST_USE;

#endif
