/* SPDX-License-Identifier: MIT */
#ifndef BT_TRAIN_CARD_INT_H
#define BT_TRAIN_CARD_INT_H

#include "train/job.h"

/*
 * Writes README.md into the directory of a finished run: a model card as
 * Hugging Face's hub reads it. A file of that name is kept, with a warning,
 * unless this run wrote it before it was resumed and nobody changed it since.
 * Equal runs have equal cards, so neither time nor speed is in it: the history
 * has them.
 */
int bt_card_write(const struct bt_job *j, const struct bt_train_result *res,
                  struct bt_error *err) BT_MUST_USE;

#endif
