/* SPDX-License-Identifier: MIT */
/*
 * A record as one JSON object, and back to the same bytes.
 *
 * A member for each feature, in the order of the record. Byte strings are
 * strings, or {"base64": "..."} where they are not UTF-8; int64s are numbers
 * without a point or exponent, floats numbers with one (a short text that
 * reads back as the same float). One value stands by itself, several stand in a
 * list. What would be ambiguous then:
 *
 *   an empty list                  {"bytes": []}, {"float": []}, {"int64": []}
 *   floats that are not finite     {"float": "..."}, base64 of all the values
 *                                  of the list, four little-endian bytes each
 *   a feature without a list       null
 *
 * The way back gives the same bytes if numbers are packed and fields stand in
 * the usual order, as our tools and TensorFlow's write them.
 */
#ifndef BT_RECORD_RECJSON_H
#define BT_RECORD_RECJSON_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/tf_example.h"

/* Appends the object of a payload to out, without a line end. BT_EFORMAT where
 * a feature's name is not UTF-8 or holds a NUL. */
int bt_recjson_write(const void *data, size_t len, struct bt_buf *out,
                     struct bt_error *err) BT_MUST_USE;

/* Appends the member of one feature, with what bt_record_feature_find gave;
 * null where the kind is BT_FEATURE_NONE. */
int bt_recjson_member(const char *name, struct bt_span raw,
                      enum bt_feature_kind kind, struct bt_buf *out,
                      struct bt_error *err) BT_MUST_USE;

/* Makes the payload in out from an object's text, using w as scratch. */
int bt_recjson_read(const char *json, size_t len, struct bt_example_writer *w,
                    struct bt_buf *out, struct bt_error *err) BT_MUST_USE;

#endif
