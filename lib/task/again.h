/* SPDX-License-Identifier: MIT */
/*
 * Ids that come again where each is wanted once, as in a submission. What is
 * remembered takes little memory, the rest stands in a file (task/seen.h).
 */
#ifndef BT_TASK_AGAIN_H
#define BT_TASK_AGAIN_H

#include <stdint.h>

#include "base/log.h"
#include "base/span.h"

struct bt_seen;

/* Zero has seen nothing. */
struct bt_again {
	struct bt_seen *ids;
	uint64_t n, again;   /* ids, and those that were there before */
	char first[64];      /* of these, or its beginning */
	struct bt_error why; /* no more was remembered */
};

void bt_again_clear(struct bt_again *a);

/* An id. Where memory or disk do not suffice no more are remembered: that is no
 * reason to end. */
void bt_again_add(struct bt_again *a, struct bt_span id);

/* Warns if any came again, or was not looked at. */
void bt_again_tell(const struct bt_again *a, const struct bt_log *log);

#endif
