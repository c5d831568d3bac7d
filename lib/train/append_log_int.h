/* SPDX-License-Identifier: MIT */
/*
 * A file that a run adds to as it goes. A checkpoint remembers how long it was;
 * what a run wrote after its last checkpoint it writes again when it is
 * resumed, so then the file is cut to that length first.
 */
#ifndef BT_TRAIN_APPEND_LOG_INT_H
#define BT_TRAIN_APPEND_LOG_INT_H

#include "base/buf.h"
#include "base/log.h"
#include "io/append.h"

struct bt_append_log {
	const char *dir;       /* borrowed */
	char *name;            /* in it */
	uint64_t size;         /* bytes of the file that are the run's */
	struct bt_append *to;  /* NULL: not open yet */
	struct bt_buf pending; /* to be added */
};

/* Sees that the file, if it is there, can be written to. */
int bt_append_log_check(const struct bt_append_log *g,
                        struct bt_error *err) BT_MUST_USE;

/* Adds what is pending to the file, which is opened if it was not. */
int bt_append_log_flush(struct bt_append_log *g, const struct bt_log *log,
                        struct bt_error *err) BT_MUST_USE;

/* Returns when it is on the disk. */
int bt_append_log_sync(struct bt_append_log *g,
                       struct bt_error *err) BT_MUST_USE;

int bt_append_log_close(struct bt_append_log *g,
                        struct bt_error *err) BT_MUST_USE;

#endif
