/* SPDX-License-Identifier: MIT */
/* The tensors of a list as a source for writers, cast to another type. */
#ifndef BT_CKPT_CAST_H
#define BT_CKPT_CAST_H

#include "ckpt/names.h"
#include "ckpt_format/writer.h"

struct bt_cast;

/* Whether elements of a type are floating-point numbers. */
bool bt_cast_applies(enum bt_dtype dtype);

/* Casts the floating-point tensors of l to dtype; BT_DTYPES keeps their types.
 * l must outlive *r. */
int bt_cast_new(const struct bt_named_list *l, enum bt_dtype dtype,
                struct bt_cast **r, struct bt_error *err) BT_MUST_USE;
void bt_cast_free(struct bt_cast *r); /* takes NULL */
/* Sets source.behind, which is false at first. */
void bt_cast_behind(struct bt_cast *r, bool behind);
const struct bt_tensor_source *bt_cast_source(const struct bt_cast *r);

/* How many finite numbers became infinite so far. */
size_t bt_cast_overflows(const struct bt_cast *r);

#endif
