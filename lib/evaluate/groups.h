/* SPDX-License-Identifier: MIT */
/* The value that each record has of a feature, numbered by first appearance. */
#ifndef BT_EVALUATE_GROUPS_H
#define BT_EVALUATE_GROUPS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/string_set.h"

/* Zero, but for the field, is none. */
struct bt_groups {
	const char *field; /* borrowed; or NULL */
	struct bt_string_set *values;
	uint32_t *of; /* of each record that was looked at */
	size_t cap;
	struct bt_buf text;
};

void bt_groups_clear(struct bt_groups *g);

/* Notes the value of record k of a block. BT_EFORMAT where it has none. */
int bt_groups_look(struct bt_groups *g, size_t k, const void *data, size_t len,
                   struct bt_error *err) BT_MUST_USE;

#endif
