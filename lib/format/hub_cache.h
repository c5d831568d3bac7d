/* SPDX-License-Identifier: MIT */
/*
 * Names of models and data sets on a hub, and where they lie on this machine:
 * the layout of Hugging Face's cache, which its own programs share.
 *
 *     CACHE/models--ORG--NAME/refs/main         the commit, 40 hex digits
 *     CACHE/models--ORG--NAME/snapshots/COMMIT/ links to the files
 *     CACHE/models--ORG--NAME/blobs/            the files, by their hash
 *
 * Nothing here opens a connection or writes.
 */
#ifndef BT_FORMAT_HUB_CACHE_H
#define BT_FORMAT_HUB_CACHE_H

#include <stdbool.h>

#include "base/err.h"

#define BT_HUB_MAIN "main" /* the revision where none is named */

/* Whether it has the form of a name there: "NAME" or "ORG/NAME". */
bool bt_hub_is_name(const char *name);

/* Whether it has the form of a branch, tag or commit; of a commit. */
bool bt_hub_is_revision(const char *revision);
bool bt_hub_is_commit(const char *revision);

/* The directory of the cache: $HF_HUB_CACHE, $HF_HOME/hub or
 * ~/.cache/huggingface/hub; to be freed. NULL where no variable says. */
char *bt_hub_cache_root(void) BT_MUST_USE;

/* "CACHE/models--ORG--NAME", or of a data set "CACHE/datasets--ORG--NAME"; to
 * be freed. */
char *bt_hub_cache_folder(const char *root, const char *name,
                          bool dataset) BT_MUST_USE;

/*
 * The directory that stands for what a program was given as a model: the
 * snapshot of that name in the cache if nothing has this path and the cache has
 * the model's main revision, else path itself, which may be NULL. A string that
 * is made here lives until the process ends. For one thread.
 */
const char *bt_hub_cache_find(const char *path);

/* The name of the model whose snapshot in a cache dir is, to be freed; NULL: it
 * is none. */
char *bt_hub_cache_name(const char *dir) BT_MUST_USE;

/* Of the error that nothing has this path: attaches the hint that models are
 * fetched, if it could be the name of one. Returns code. */
int bt_hub_cache_hint(const char *path, int code, struct bt_error *err);

#endif
