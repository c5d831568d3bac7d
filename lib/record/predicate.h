/* SPDX-License-Identifier: MIT */
/*
 * Conditions on a record's features, "FIELD=VALUE" each; all must hold. A
 * condition holds if one of the feature's values is VALUE: byte strings as
 * text, numbers as numbers. "FIELD<VALUE", or with <=, > or >=, holds if one of
 * the values, a number also where it is a byte string, is so. Any tf.Example
 * will do.
 */
#ifndef BT_RECORD_PREDICATE_H
#define BT_RECORD_PREDICATE_H

#include <stddef.h>

#include "base/err.h"

struct bt_predicate;

/* The n texts are borrowed. BT_EARG where one is no condition. */
int bt_predicate_new(const char *const *conditions, int n,
                     struct bt_predicate **where,
                     struct bt_error *err) BT_MUST_USE;
void bt_predicate_free(struct bt_predicate *w); /* takes NULL */

/* 1: all hold; 0: one does not; BT_EFORMAT where one of the feature's values
 * and VALUE is a number and the other is none, BT_ECORRUPT where the payload is
 * no tf.Example. */
int bt_predicate_holds(struct bt_predicate *w, const void *data, size_t len,
                       struct bt_error *err) BT_MUST_USE;

/* After the last record: BT_EFORMAT where there were records and none had the
 * feature of some condition. */
int bt_predicate_end(const struct bt_predicate *w,
                     struct bt_error *err) BT_MUST_USE;

#endif
