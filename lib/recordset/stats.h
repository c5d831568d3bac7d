/* SPDX-License-Identifier: MIT */
/*
 * What is in a stream of records: how many there are of each label or tag, how
 * long texts are in words, in bytes and, of token records, in tokens; how many
 * questions have an answer. Of windows, words and questions count once.
 */
#ifndef BT_RECORDSET_STATS_H
#define BT_RECORDSET_STATS_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct bt_recstats;

/* NULL when out of memory. */
struct bt_recstats *bt_recstats_new(void) BT_MUST_USE;
void bt_recstats_free(struct bt_recstats *s); /* takes NULL */

/* Counts a payload. BT_ECORRUPT where it is no tf.Example. */
int bt_recstats_add(struct bt_recstats *s, const void *data, size_t len,
                    struct bt_error *err) BT_MUST_USE;

/* Appends the report to out. */
int bt_recstats_report(const struct bt_recstats *s, struct bt_buf *out,
                       struct bt_error *err) BT_MUST_USE;

#endif
