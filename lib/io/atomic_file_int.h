/* SPDX-License-Identifier: MIT */
/*
 * Where an output goes, the lower half of io/out.h: a file that appears when it
 * is complete, or something that is written to directly.
 */
#ifndef BT_IO_ATOMIC_FILE_INT_H
#define BT_IO_ATOMIC_FILE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bt_atomic_file {
	int fd;       /* to write to; -1: none */
	bool shared;  /* standard output, which stays open */
	char *target; /* path to appear under, or NULL: written directly */
	char *temp;   /* path of the unfinished file, or NULL: nameless */
	uint64_t written, begun; /* bytes; of these on their way to the disk */
};

#define BT_ATOMIC_FILE_INIT                                                    \
	{                                                                      \
		-1, false, NULL, NULL, 0, 0                                    \
	}

/* path "-" or NULL is standard output. Returns 0, or -1 with errno. The caller
 * clears p in any case. */
int bt_atomic_file_open(struct bt_atomic_file *p, const char *path);

/* That n bytes will be written to a file, at least. */
void bt_atomic_file_expect(struct bt_atomic_file *p, uint64_t n);

/* Writes all of it; 0 or an errno. Of a file that is to appear the disk is
 * kept busy meanwhile, so that little is left for bt_atomic_file_settle. */
int bt_atomic_file_write(struct bt_atomic_file *p, const uint8_t *data,
                         size_t n);

/* All that is written is on the disk and closed: the file has only to be given
 * its name. Returns 0, or -1 with errno; *what is "write" or "create". */
int bt_atomic_file_settle(struct bt_atomic_file *p, const char **what);

/* Gives a settled file its name, at once in place of an earlier one. */
int bt_atomic_file_appear(struct bt_atomic_file *p);

/* Closes, and removes what has not appeared. */
void bt_atomic_file_clear(struct bt_atomic_file *p);

#endif
