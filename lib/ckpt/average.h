/* SPDX-License-Identifier: MIT */
/* The mean of checkpoints of one model, tensor by tensor. */
#ifndef BT_CKPT_AVERAGE_H
#define BT_CKPT_AVERAGE_H

#include "ckpt/names.h"

/*
 * Replaces the floating-point tensors of l by their mean, as F32, with those of
 * the same names in n other checkpoints; summed in double in the order of the
 * checkpoints. BT_EFORMAT unless all have the same tensors, and whatever is not
 * floating-point is the same in all. The mean is in memory.
 */
int bt_ckpt_average(struct bt_named_list *l, const char *const *others, int n,
                    struct bt_error *err) BT_MUST_USE;

#endif
