/* SPDX-License-Identifier: MIT */
/* What attention's files share: its backward pass, and what distances between
 * tokens add to its scores. */
#ifndef BT_STABLEHLO_ATTENTION_INT_H
#define BT_STABLEHLO_ATTENTION_INT_H

#include "stablehlo/emit_int.h"

/* What scores are multiplied by. */
double bt_hlo_score_scale(const struct bt_attention_args *a);

/* x: [rows, length, heads, d], its halves rotated by the tokens' places, or
 * back. */
int bt_hlo_rotate(struct bt_hlo_emit *e, const struct bt_node *n, int x,
                  bool back);

/* The forward pass, which saves queries, keys, values and probabilities. */
void bt_hlo_attention(struct bt_hlo_emit *e, int node);

/* s: [rows, heads, length, length] scores, to which come the products with
 * relative positions' keys and queries; q, k: [rows, length, heads, d]. */
int bt_hlo_add_relative(struct bt_hlo_emit *e, const struct bt_node *n, int s,
                        int q, int k);

/* ... the biases of relative_bias. */
int bt_hlo_add_bias(struct bt_hlo_emit *e, const struct bt_node *n, int s);

/* The same backwards, of ds by the scores: gives the gradients by relative
 * positions and adds to *dq and *dk, [rows, length, heads, d]; by the biases.
 */
void bt_hlo_relative_back(struct bt_hlo_emit *e, const struct bt_node *n,
                          int ds, int q, int k, int *dq, int *dk);
void bt_hlo_bias_back(struct bt_hlo_emit *e, const struct bt_node *n, int ds);

#endif
