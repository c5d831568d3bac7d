/* SPDX-License-Identifier: MIT */
/*
 * Learning from few examples of each class [Tunstall et al. 2022, "Efficient
 * Few-Shot Learning Without Prompts", SetFit]: the encoder learns which texts
 * have the same class, then the classes are fitted to its embeddings.
 */
#ifndef BT_TRAIN_FEW_SHOT_INT_H
#define BT_TRAIN_FEW_SHOT_INT_H

#include "train/job_int.h"

/* Makes the job train an encoder, on pairs of texts of one class
 * (train/batches.h). */
int bt_few_shot_begin(struct bt_job *j, struct bt_error *err) BT_MUST_USE;

/* After training: fits the classes, and puts the classifier in the place of the
 * model. Tells what it reaches, of which the accuracy is res->best. */
int bt_few_shot_end(struct bt_job *j, struct bt_train_result *res,
                    struct bt_error *err) BT_MUST_USE;

#endif
