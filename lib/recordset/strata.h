/* SPDX-License-Identifier: MIT */
/* The values of a feature over records, numbered. */
#ifndef BT_RECORDSET_STRATA_H
#define BT_RECORDSET_STRATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bitpack.h"
#include "base/err.h"

struct bt_strata;

/* field is borrowed. */
struct bt_strata *bt_strata_new(const char *field) BT_MUST_USE;
void bt_strata_free(struct bt_strata *c); /* takes NULL */

/* The next record. BT_EFORMAT where it lacks the feature. */
int bt_strata_add(struct bt_strata *c, const void *data, size_t len,
                  struct bt_error *err) BT_MUST_USE;

/*
 * After the last record: *class, borrowed, is the number of the value of each
 * record, *n how many values there are. They are numbered as they first appear
 * or, where sorted, in ascending order: as numbers where all are numbers,
 * written as text or not, else byte by byte. To be called once.
 */
int bt_strata_end(struct bt_strata *c, bool sorted,
                  const struct bt_bitpack **class, uint32_t *n,
                  struct bt_error *err) BT_MUST_USE;

#endif
