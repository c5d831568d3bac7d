/* SPDX-License-Identifier: MIT */
/* Paths of files in directories. */
#ifndef BT_IO_PATH_H
#define BT_IO_PATH_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Makes the directories that lead to path, not path itself: all before its last
 * '/'. Those that are there stay as they are. */
int bt_path_above(const char *path, struct bt_error *err) BT_MUST_USE;

/* Whether a directory that can be written to stands at path or could be made
 * there; above: with those that lead to it. Told before work depends on it:
 * nothing is made. */
int bt_path_could(const char *path, bool above,
                  struct bt_error *err) BT_MUST_USE;

/* "dir/name", to be freed; NULL: out of memory. */
char *bt_path_join(const char *dir, const char *name) BT_MUST_USE;

/* The path in single quotes, as messages show it; to be freed. */
char *bt_path_quoted(const char *path) BT_MUST_USE;

/* The directory that a path is, or that its file is in; to be freed. NULL: out
 * of memory. */
char *bt_path_of(const char *path) BT_MUST_USE;

/* What follows the last dot of the path's last name: "gz" of "a.b/x.csv.gz"; ""
 * where that has no dot. Borrowed. */
const char *bt_path_ending(const char *path);

/* Whether path has one of the n endings, such as ".csv", perhaps with that of a
 * compressed file behind it (.gz, .zst, .zstd, .zip); whether that is .tsv. */
bool bt_path_ends(const char *path, const char *const *ends, size_t n);
bool bt_path_is_tsv(const char *path);

/* Whether something has that path; whether it is a file, or a directory. */
bool bt_path_there(const char *path);
bool bt_path_is_file(const char *path);
bool bt_path_is_dir(const char *path);

/* Whether both are there, and are one file or directory. */
bool bt_path_same(const char *path, const char *other);

/* *e is the next entry of a directory, as readdir() gives it, or NULL behind
 * the last one. path: that of the directory, for the error. */
int bt_path_entry(DIR *dir, const char *path, const struct dirent **e,
                  struct bt_error *err) BT_MUST_USE;

/* BT_EARG if path is a pipe, standard input ("-") or a device: opened a second
 * time, it would lack what was read before. A path may lead nowhere. */
int bt_path_refuse_pipe(const char *path, struct bt_error *err) BT_MUST_USE;

/* Whether a path, below a directory, does not leave it. */
bool bt_path_is_inside(const char *path);

/* Whether path is a directory, or names one by ending in a slash. */
bool bt_path_means_dir(const char *path);

#endif
