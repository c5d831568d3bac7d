/* SPDX-License-Identifier: MIT */
/* Bytes that came with records, in reports: they may be anything. What is no
 * UTF-8 becomes U+FFFD. */
#ifndef BT_FORMAT_ESCAPE_H
#define BT_FORMAT_ESCAPE_H

#include <jansson.h>

#include "base/buf.h"
#include "base/span.h"

/* Appends s on one line, control characters as \t, \n, \r or \x1b; where it has
 * more than `most` bytes, unless that is 0, the first of them and "...". */
void bt_escape_line(struct bt_buf *out, struct bt_span s, size_t most);

/* A JSON string; NULL when out of memory. */
json_t *bt_escape_json(struct bt_span s);

#endif
