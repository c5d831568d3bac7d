/* SPDX-License-Identifier: MIT */
/* One feature of a payload as a run of bytes, to be compared with others. */
#ifndef BT_RECORD_FEATURE_H
#define BT_RECORD_FEATURE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "format/tf_example.h"

/* 1: *value is borrowed from the payload: the undecoded list of the feature's
 * values, *kind, unless kind is NULL, what they are; 0: it has no such
 * feature; else BT_ECORRUPT. */
int bt_record_feature_find(const void *data, size_t len, const char *name,
                           struct bt_span *value, enum bt_feature_kind *kind,
                           struct bt_error *err) BT_MUST_USE;

/* A feature of that name with what bt_record_feature_find gave; borrows both.
 */
struct bt_feature bt_record_feature(const char *name, struct bt_span raw,
                                    enum bt_feature_kind kind);

/* Appends the names of a payload's features, ", " between, for a message. */
int bt_record_feature_names(const void *data, size_t len, struct bt_buf *out,
                            struct bt_error *err) BT_MUST_USE;

/* bt_record_feature_find for a feature that is one text. BT_EFORMAT where it is
 * something else. */
int bt_record_feature_text(const void *data, size_t len, const char *name,
                           struct bt_span *text,
                           struct bt_error *err) BT_MUST_USE;

/* Appends the values of a feature as text, ", " between several; raw and kind
 * as bt_record_feature_find has them. BT_EFORMAT for more than
 * BT_RECORD_FEATURE_SHOWN. */
#define BT_RECORD_FEATURE_SHOWN 64
int bt_record_feature_show(const char *name, struct bt_span raw,
                           enum bt_feature_kind kind, struct bt_buf *out,
                           struct bt_error *err) BT_MUST_USE;

#endif
