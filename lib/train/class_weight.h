/* SPDX-License-Identifier: MIT */
/* Weights in the loss: of classes, and of labels where they hold. */
#ifndef BT_TRAIN_CLASS_WEIGHT_H
#define BT_TRAIN_CLASS_WEIGHT_H

#include "base/buf.h"
#include "finetune/dataset.h"

/*
 * Multiplies the weights of the examples by those of their classes; or, where
 * res is not NULL, sets *res [l->n], to be freed, to the weights of the
 * classes, and leaves those of the examples.
 * how is "balanced": n / (classes * examples of the class), over the classes
 * that have examples; or a list with commas between: as many numbers as there
 * are labels, in their order, or LABEL=NUMBER for some, the others having 1.
 * What the weights are is appended to said, for people.
 */
int bt_class_weight(struct bt_dataset *d, const struct bt_labels *l,
                    const char *how, float **res, struct bt_buf *said,
                    struct bt_error *err) BT_MUST_USE;

/*
 * Sets *res [l->n], to be freed, to the weights of the positive term of each
 * label's loss. how is "balanced": negatives / positives of the label, 1 where
 * there are none of either; or a list as above. Said are those as well.
 */
int bt_pos_weight(const struct bt_task *task, const struct bt_dataset *d,
                  const struct bt_labels *l, const char *how, float **res,
                  struct bt_buf *said, struct bt_error *err) BT_MUST_USE;

#endif
