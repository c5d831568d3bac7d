/* SPDX-License-Identifier: MIT */
/* Values as text, as Python writes them, and as JSON. */
#ifndef BT_PARQUET_VALUE_TEXT_H
#define BT_PARQUET_VALUE_TEXT_H

#include <jansson.h>

#include "parquet/schema.h"

enum bt_parquet_found {
	BT_PARQUET_VALUE,
	BT_PARQUET_NULL, /* class -1: there is none */
	BT_PARQUET_NOT   /* not a number of a class, or not of its type */
};

/* Appends the text of a value that is there. */
enum bt_parquet_found bt_parquet_value_put(const struct bt_parquet_node *node,
                                           const struct bt_string_set *classes,
                                           struct bt_span value,
                                           struct bt_buf *b) BT_MUST_USE;

/* The value as JSON: whole numbers, reals and booleans as these (reals that are
 * not finite, null), all else as its text. NULL where that is not valid UTF-8,
 * or the value is not of its type. */
json_t *bt_parquet_value_json(const struct bt_parquet_node *node,
                              const struct bt_string_set *classes,
                              struct bt_span value,
                              struct bt_buf *scratch) BT_MUST_USE;

#endif
