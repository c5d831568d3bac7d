/* SPDX-License-Identifier: MIT */
#ifndef BT_TASK_RECORD_INT_H
#define BT_TASK_RECORD_INT_H

#include "task/record.h"

/* Writes the features of a payload whose names no record owns; p NULL: none. It
 * was read before, so it is sound. */
void bt_record_add_others(struct bt_example_writer *w, struct bt_span payload);

#endif
