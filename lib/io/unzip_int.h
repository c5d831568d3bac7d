/* SPDX-License-Identifier: MIT */
/*
 * A zip archive that holds one file: where its data are. Folders, and what
 * macOS adds (__MACOSX/), do not count.
 */
#ifndef BT_IO_UNZIP_INT_H
#define BT_IO_UNZIP_INT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct bt_unzip_file {
	bool deflate;    /* or stored as it is */
	uint64_t at;     /* of its data */
	uint64_t packed; /* bytes of it, all in the archive */
	uint64_t size;   /* and decompressed, as the archive says */
	uint32_t crc;
};

/*
 * Finds the file in the archive that fd is, from its first byte on. The name,
 * in quotes, is for messages. BT_EFORMAT where the archive holds none or
 * several, which it names, one that is encrypted or compressed by another
 * method, or where fd is a pipe; BT_ELIMIT for zip64.
 */
int bt_unzip_find(int fd, const char *name, struct bt_unzip_file *z,
                  struct bt_error *err) BT_MUST_USE;

#endif
