/* SPDX-License-Identifier: MIT */
#ifndef BT_FINETUNE_DATASET_INT_H
#define BT_FINETUNE_DATASET_INT_H

#include "finetune/dataset.h"

/* The error of a label that is none of those known. */
int bt_dataset_unknown(struct bt_span s, const struct bt_labels *labels,
                       struct bt_error *err);

/* Adds "0" ... of that number, so that a class's number is its place, which is
 * returned, or an error. */
int bt_dataset_numbered(int64_t number, struct bt_labels *labels,
                        struct bt_error *err);

/* What is to be predicted into rec->target: the numbers, or 1 and 0 for each of
 * the labels. *label becomes 0 where the record says it. */
int bt_dataset_numbers(struct bt_token_rec *rec, enum bt_label_mode mode,
                       struct bt_labels *labels, int32_t *label,
                       struct bt_error *err) BT_MUST_USE;
int bt_dataset_set(struct bt_token_rec *rec, enum bt_label_mode mode,
                   struct bt_labels *labels, int32_t *label,
                   struct bt_error *err) BT_MUST_USE;

#endif
