/* SPDX-License-Identifier: MIT */
/* The values of a feature over records, numbered. */
#ifndef BT_TASK_CLASSES_H
#define BT_TASK_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "task/store.h"

/*
 * class[i] is set for every record i of the store, *n is how many there are.
 * They are numbered as they first appear or, where sorted, in ascending order:
 * as numbers where all are numbers, written as text or not, else byte by byte.
 * BT_EFORMAT where a record lacks the feature.
 */
int bt_classes_number(struct bt_store *store, const char *field, bool sorted,
                      uint32_t *class, uint32_t *n,
                      struct bt_error *err) BT_MUST_USE;

#endif
