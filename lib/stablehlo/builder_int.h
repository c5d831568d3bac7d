/* SPDX-License-Identifier: MIT */
/* What the files of the builder share. */
#ifndef BT_STABLEHLO_BUILDER_INT_H
#define BT_STABLEHLO_BUILDER_INT_H

#include "stablehlo/builder.h"

/* False after a failure; all n values must be there. */
bool bt_hlo_usable(struct bt_hlo *b, const char *op, const int *x, int n);

/* Fails: op does not go with the shapes of these values. */
int bt_hlo_misfit(struct bt_hlo *b, const char *op, const int *x, int n);

/* A line: its beginning, up to the operands, and its end, the types. What
 * stands between is the caller's. */
int bt_hlo_begin(struct bt_hlo *b, const char *op, const int *x, int n,
                 const struct bt_hlo_shape *result);
void bt_hlo_end(struct bt_hlo *b, const int *x, int n, int y);

/* All of it; properties may be NULL. op without a dialect is one of stablehlo.
 */
int bt_hlo_op(struct bt_hlo *b, const char *op, const char *properties,
              const int *x, int n, const struct bt_hlo_shape *result);

void bt_hlo_put_array(struct bt_buf *out, const int64_t *v, int n);

#endif
