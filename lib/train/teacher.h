/* SPDX-License-Identifier: MIT */
/* The teacher of a distillation: a model whose predictions of the training
 * records another one is to learn. */
#ifndef BT_TRAIN_TEACHER_H
#define BT_TRAIN_TEACHER_H

#include "finetune/dataset.h"

/*
 * Reads a file of predictions for the task (evaluate/prediction_file.h):
 * probabilities, logits or numbers of the labels l, in any order. *res
 * [d->n][l->n], to be freed, has a row for each example, found by its id:
 * probabilities at the temperature t, or numbers. Other rows are passed over.
 * *crc is of the bytes.
 */
int bt_teacher_read(const char *path, const struct bt_task *task,
                    const struct bt_labels *l, const struct bt_dataset *d,
                    double t, float **res, uint32_t *crc,
                    struct bt_error *err) BT_MUST_USE;

#endif
