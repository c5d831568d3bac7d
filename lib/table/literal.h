/* SPDX-License-Identifier: MIT */
/* Lists and objects in a field of a table, as JSON or Python writes them. */
#ifndef BT_TABLE_LITERAL_H
#define BT_TABLE_LITERAL_H

#include <jansson.h>

#include "base/span.h"

/*
 * The value that UTF-8 text holds: [[0, 4, "PER"]], {"start": 0}; of Python
 * also tuples, texts in single quotes, None and True, and NumPy's arrays, as
 * pandas prints them: {'text': array(['a'], dtype=object)}. Commas between the
 * values of a list may be missing, as NumPy prints none. NULL: it begins with
 * neither a bracket nor a brace, or is something else. The caller
 * json_decref()s it.
 */
json_t *bt_table_literal(struct bt_span v);

#endif
