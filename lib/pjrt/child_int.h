/* SPDX-License-Identifier: MIT */
/* Work in a process of its own, which a plugin may end. */
#ifndef BT_PJRT_CHILD_INT_H
#define BT_PJRT_CHILD_INT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/* What the work is done with: calls bt_pjrt_child_begun once its plugin is
 * open, and puts into out what is to come back. */
typedef int bt_pjrt_work(void *ctx, struct bt_buf *out, struct bt_error *err);

/* A process that does work. */
struct bt_pjrt_child {
	pid_t pid;
	int fd;            /* what it writes comes from here */
	int said;          /* a file of what its plugin prints; or -1 */
	struct bt_buf got; /* of fd so far */
};

/* Starts the work in a process of its own. */
int bt_pjrt_child_start(struct bt_pjrt_child *c, bt_pjrt_work *work, void *ctx,
                        struct bt_error *err) BT_MUST_USE;

/* Waits for what it writes and takes some of it; false at its end. */
bool bt_pjrt_child_read(struct bt_pjrt_child *c);

/*
 * Waits for its end. Its result and error are returned as if the work had been
 * done here; *out gets what it put there. A process that ends before it is done
 * is an error, too, which quotes what the plugin said; one that was killed is
 * BT_EIO, since the system does that where memory lacks. *begun: whether the
 * work called bt_pjrt_child_begun.
 */
int bt_pjrt_child_end(struct bt_pjrt_child *c, struct bt_buf *out, bool *begun,
                      struct bt_error *err) BT_MUST_USE;

/* Ends it at once, whatever it does. */
void bt_pjrt_child_kill(struct bt_pjrt_child *c);

/* The first three in one. */
int bt_pjrt_child(bt_pjrt_work *work, void *ctx, struct bt_buf *out,
                  bool *begun, struct bt_error *err) BT_MUST_USE;
void bt_pjrt_child_begun(void);

/* Ends this process when the one ends that started it, of that number. */
void bt_pjrt_die_with_parent(pid_t parent);

/* All of it; false where the other end is gone. */
bool bt_pjrt_write_all(int fd, const void *data, size_t n);
bool bt_pjrt_read_all(int fd, void *data, size_t n);

#endif
