/* SPDX-License-Identifier: MIT */
/* A file of texts, one on a line. */
#ifndef BT_FORMAT_LINES_H
#define BT_FORMAT_LINES_H

#include "io/in.h"

/* At the beginning: what follows is UTF-8, also where a byte order mark said
 * UTF-16. BT_EFORMAT where it is records or Parquet. */
int bt_lines_begin(struct bt_in *in, struct bt_error *err) BT_MUST_USE;

#endif
