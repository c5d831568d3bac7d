/* SPDX-License-Identifier: MIT */
/* The teacher of a distillation: a model whose predictions of the training
 * records another one is to learn. */
#ifndef BT_TRAIN_TEACHER_H
#define BT_TRAIN_TEACHER_H

#include "finetune/dataset.h"

/* Rows of what a teacher wants of the examples: one for each or, where tokens
 * are classified, for each token. */
size_t bt_teacher_rows(const struct bt_dataset *d);

/*
 * Reads a file of predictions for the task (evaluate/prediction_file.h):
 * probabilities, logits or numbers of the labels l, in any order. *res
 * [bt_teacher_rows][l->n], to be freed, has a row for each example, found by
 * its id: probabilities at the temperature t, or numbers. Of an example with
 * words, each token that training learns from has that of its word, in which a
 * further token has the probability of B-TYPE at I-TYPE (bt_dataset_inside),
 * and other tokens have 0. Other rows are passed over. *crc is of the bytes.
 */
int bt_teacher_read(const char *path, const struct bt_task *task,
                    const struct bt_labels *l, const struct bt_dataset *d,
                    double t, float **res, uint32_t *crc,
                    struct bt_error *err) BT_MUST_USE;

#endif
