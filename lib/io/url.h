/* SPDX-License-Identifier: MIT */
/*
 * Paths that are addresses (gs://, s3://, hdfs://, http://, https://): no
 * connection is ever opened here, and the error names the program that opens
 * one.
 */
#ifndef BT_IO_URL_H
#define BT_IO_URL_H

#include "base/err.h"

enum bt_url_use {
	BT_URL_IN,      /* a stream to read */
	BT_URL_OUT,     /* a stream to write */
	BT_URL_DIR,     /* a file or directory that must lie here */
	BT_URL_DIR_OUT, /* a directory to write */
	BT_URL_USES
};

/* BT_EREMOTE if path is an address; BT_OK if not, or if it is NULL. */
int bt_url_refuse(const char *path, enum bt_url_use use,
                  struct bt_error *err) BT_MUST_USE;

#endif
