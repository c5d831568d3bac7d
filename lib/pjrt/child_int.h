/* SPDX-License-Identifier: MIT */
/* Work in a process of its own, which a plugin may end. */
#ifndef BT_PJRT_CHILD_INT_H
#define BT_PJRT_CHILD_INT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* What the work is done with: calls bt_pjrt_child_begun once its plugin is
 * open, and puts into out what is to come back. */
typedef int bt_pjrt_work(void *ctx, struct bt_buf *out, struct bt_error *err);

/*
 * Does the work in a process of its own. Its result and error are returned as
 * if it had been done here; *out gets what it put there. A process that ends
 * before it is done is an error, too, which quotes what the plugin said.
 * *begun: whether the work called bt_pjrt_child_begun.
 */
int bt_pjrt_child(bt_pjrt_work *work, void *ctx, struct bt_buf *out,
                  bool *begun, struct bt_error *err) BT_MUST_USE;
void bt_pjrt_child_begun(void);

/* Ends this process when the one ends that started it. */
void bt_pjrt_die_with_parent(void);

/* All of it; false where the other end is gone. */
bool bt_pjrt_write_all(int fd, const void *data, size_t n);
bool bt_pjrt_read_all(int fd, void *data, size_t n);

#endif
