/* SPDX-License-Identifier: MIT */
/* Paths as Model Garden's programs take them. */
#ifndef BT_GARDEN_FILE_PATTERNS_H
#define BT_GARDEN_FILE_PATTERNS_H

#include "base/err.h"

struct bt_file_patterns {
	char **path; /* [n], in the order of their bytes for each pattern */
	int n;
};

/*
 * The files of patterns with *, ? and [...], divided by commas; flag names the
 * flag for messages, or the key of a configuration. BT_EIO for a pattern that
 * no file matches. *p is overwritten.
 */
int bt_file_patterns_find(const char *flag, const char *patterns,
                          struct bt_file_patterns *p,
                          struct bt_error *err) BT_MUST_USE;
void bt_file_patterns_clear(struct bt_file_patterns *p);

/* The same error where there is one, and nothing else. */
int bt_file_patterns_check(const char *flag, const char *patterns,
                           struct bt_error *err) BT_MUST_USE;

/* The encoder that --hub_module_url names, a directory with a module of
 * TensorFlow Hub, in place of *init, which must be NULL then. NULL or "": none.
 * BT_EARG: it is not a directory here, or both are given. */
int bt_file_patterns_hub(const char *hub, const char **init,
                         struct bt_error *err) BT_MUST_USE;

/* Makes a directory and those that lead to it, unless they are there. */
int bt_file_patterns_make(const char *dir, struct bt_error *err) BT_MUST_USE;

#endif
