/* SPDX-License-Identifier: MIT */
/* What distances between tokens add to attention's scores. */
#ifndef BT_STABLEHLO_ATTENTION_INT_H
#define BT_STABLEHLO_ATTENTION_INT_H

#include "stablehlo/emit_int.h"

/* s: [rows, heads, length, length] scores, to which come the products with
 * relative positions' keys and queries; q, k: [rows, length, heads, d]. */
int bt_hlo_add_relative(struct bt_hlo_emit *e, const struct bt_node *n, int s,
                        int q, int k);

/* ... the biases of relative_bias. */
int bt_hlo_add_bias(struct bt_hlo_emit *e, const struct bt_node *n, int s);

#endif
