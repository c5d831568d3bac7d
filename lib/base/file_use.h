/* SPDX-License-Identifier: MIT */
/*
 * Which files this process reads and which it writes, so that no output takes
 * the place of an input or of another output. Files are compared by device and
 * number, with symbolic links followed; a file that is not there yet by its
 * directory and name. Any thread may call these.
 */
#ifndef BT_BASE_FILE_USE_H
#define BT_BASE_FILE_USE_H

#include <stdbool.h>

#include "base/err.h"

/* From now on files are noted: for programs that do one job, as these would
 * refuse to write a file that an earlier job read. */
void bt_file_use_watch(void);

/* Notes that the file open as fd is read; what is not a regular file is not
 * noted. BT_EARG where an output that is open will replace it; name is for the
 * message. */
int bt_file_use_read(int fd, const char *name,
                     struct bt_error *err) BT_MUST_USE;

/* Notes that owner is going to write the file at path, no symbolic link, until
 * bt_file_use_written. BT_EARG where it was read before, or another owner
 * writes it. */
int bt_file_use_write(const void *owner, const char *path, const char *name,
                      struct bt_error *err) BT_MUST_USE;
void bt_file_use_written(const void *owner);

/* Forgets the file at path, which is about to be removed: another one may get
 * its number. */
void bt_file_use_forget(const char *path);

/* While own is true, what this thread opens to read is not noted, as the
 * checkpoint of an earlier run, which this one may replace. What the process
 * itself wrote is never noted. */
void bt_file_use_own(bool own);

#endif
