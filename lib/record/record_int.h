/* SPDX-License-Identifier: MIT */
#ifndef BT_RECORD_RECORD_INT_H
#define BT_RECORD_RECORD_INT_H

#include "record/record.h"

/* Writes the features of a payload whose names no record owns; p NULL: none. It
 * was read before, so it is sound. */
void bt_record_add_passthrough(struct bt_example_writer *w,
                               struct bt_span payload);

#endif
