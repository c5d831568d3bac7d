/* SPDX-License-Identifier: MIT */
/* Finds plugins. */
#ifndef BT_PJRT_FIND_INT_H
#define BT_PJRT_FIND_INT_H

#include "base/err.h"

/* The name and the path of the plugin that has that name or, with a '/' in it,
 * that path; both to be freed. */
int bt_pjrt_find(const char *plugin, char **name, char **path,
                 struct bt_error *err) BT_MUST_USE;

/* What decides how a plugin is handled: "tpu", "cuda", "rocm" or "cpu", the
 * first that its name has in it, else that its file's name has; or "". */
const char *bt_pjrt_kind(const char *name, const char *path);

#endif
