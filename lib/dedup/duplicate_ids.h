/* SPDX-License-Identifier: MIT */
/*
 * Ids that come again where each is wanted once, as in a submission. What is
 * remembered takes little memory, the rest stands in a file
 * (dedup/string_set_disk.h).
 */
#ifndef BT_DEDUP_DUPLICATE_IDS_H
#define BT_DEDUP_DUPLICATE_IDS_H

#include <stdint.h>

#include "base/log.h"
#include "base/span.h"

struct bt_string_set_disk;

/* Zero has seen nothing. */
struct bt_duplicate_ids {
	struct bt_string_set_disk *ids;
	uint64_t n, again;   /* ids, and those that were there before */
	char first[64];      /* of these, or its beginning */
	struct bt_error why; /* no more was remembered */
};

void bt_duplicate_ids_clear(struct bt_duplicate_ids *a);

/* An id. Where memory or disk do not suffice no more are remembered: that is no
 * reason to end. */
void bt_duplicate_ids_add(struct bt_duplicate_ids *a, struct bt_span id);

/* Warns if any came again, or was not looked at. */
void bt_duplicate_ids_tell(const struct bt_duplicate_ids *a,
                           const struct bt_log *log);

#endif
