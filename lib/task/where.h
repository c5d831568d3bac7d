/* SPDX-License-Identifier: MIT */
/*
 * Conditions on a record's features, "FIELD=VALUE" each; all must hold. A
 * condition holds if one of the feature's values is VALUE: byte strings as
 * text, numbers as numbers. Any tf.Example will do.
 */
#ifndef BT_TASK_WHERE_H
#define BT_TASK_WHERE_H

#include <stddef.h>

#include "base/err.h"

struct bt_where;

/* The n texts are borrowed. BT_EARG where one is no condition. */
int bt_where_new(const char *const *conditions, int n, struct bt_where **where,
                 struct bt_error *err) BT_MUST_USE;
void bt_where_free(struct bt_where *w); /* takes NULL */

/* 1: all hold; 0: one does not; BT_EFORMAT where a feature holds numbers and
 * VALUE is none, BT_ECORRUPT where the payload is no tf.Example. */
int bt_where_holds(struct bt_where *w, const void *data, size_t len,
                   struct bt_error *err) BT_MUST_USE;

/* After the last record: BT_EFORMAT where there were records and none had the
 * feature of some condition. */
int bt_where_end(const struct bt_where *w, struct bt_error *err) BT_MUST_USE;

#endif
