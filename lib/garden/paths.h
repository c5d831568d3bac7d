/* SPDX-License-Identifier: MIT */
/* Paths as Model Garden's programs take them. */
#ifndef BT_GARDEN_PATHS_H
#define BT_GARDEN_PATHS_H

#include "base/err.h"

struct bt_paths {
	char **path; /* [n], in the order of their bytes for each pattern */
	int n;
};

/*
 * The files of patterns with *, ? and [...], divided by commas; flag names the
 * flag for messages. BT_EIO for a pattern that no file matches. *p is
 * overwritten.
 */
int bt_paths_find(const char *flag, const char *patterns, struct bt_paths *p,
                  struct bt_error *err) BT_MUST_USE;
void bt_paths_clear(struct bt_paths *p);

/* The encoder that --hub_module_url names, a directory with a module of
 * TensorFlow Hub, in place of *init, which must be NULL then. NULL or "": none.
 * BT_EARG: it is no directory here, or there are both. */
int bt_paths_hub(const char *hub, const char **init,
                 struct bt_error *err) BT_MUST_USE;

/* Makes a directory and those that lead to it, unless they are there. */
int bt_paths_make(const char *dir, struct bt_error *err) BT_MUST_USE;

#endif
