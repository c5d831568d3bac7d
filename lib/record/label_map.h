/* SPDX-License-Identifier: MIT */
/* Labels under other names: "-1=neg,0=neu,1=pos". Read-only once made. */
#ifndef BT_RECORD_LABEL_MAP_H
#define BT_RECORD_LABEL_MAP_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct bt_label_map;

/*
 * From what a user gives: pairs A=B with commas between, where the first '='
 * divides, or @FILE, a CSV file of two columns without a header (separated by
 * tabs if its name ends in .tsv). BT_EARG, or BT_EFORMAT for a file, where a
 * pair is none, a B is empty or an A stands twice.
 */
int bt_label_map_new(const char *text, struct bt_label_map **map,
                     struct bt_error *err) BT_MUST_USE;
void bt_label_map_free(struct bt_label_map *map); /* takes NULL */

/* True if the map has the label; *to is then its other name, which lives as
 * long as the map. */
bool bt_label_map_find(const struct bt_label_map *map, struct bt_span label,
                       struct bt_span *to);

/* Label i < their number, in the order given; false behind the last. */
bool bt_label_map_get(const struct bt_label_map *map, size_t i,
                      struct bt_span *from);

/* For messages: "'a', 'b', 'c'", not too many of them. */
void bt_label_map_put(const struct bt_label_map *map, struct bt_buf *b);

#endif
