/* SPDX-License-Identifier: MIT */
/*
 * Paths that are addresses (gs://, s3://, hdfs://, http://, https://): no
 * connection is ever opened here, and the error names the program that opens
 * one.
 */
#ifndef BT_IO_REMOTE_H
#define BT_IO_REMOTE_H

#include "base/err.h"

enum bt_remote_use {
	BT_REMOTE_IN,      /* a stream to read */
	BT_REMOTE_OUT,     /* a stream to write */
	BT_REMOTE_DIR,     /* a file or directory that must lie here */
	BT_REMOTE_DIR_OUT, /* a directory to write */
	BT_REMOTE_USES
};

/* BT_EREMOTE if path is an address; BT_OK if not, or if it is NULL. */
int bt_remote_refuse(const char *path, enum bt_remote_use use,
                     struct bt_error *err) BT_MUST_USE;

#endif
