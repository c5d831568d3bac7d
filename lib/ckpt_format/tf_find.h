/* SPDX-License-Identifier: MIT */
/* Where the index of a TensorFlow checkpoint is. */
#ifndef BT_CKPT_FORMAT_TF_FIND_H
#define BT_CKPT_FORMAT_TF_FIND_H

#include "base/err.h"

/* Where path is the NAME, NAME.meta or NAME.data-0000I-of-0000N of a TensorFlow
 * checkpoint, "NAME.index"; else NULL. free() it. */
char *bt_tf_find_index(const char *path) BT_MUST_USE;

/* The index that a directory of TensorFlow checkpoints holds, *path NULL where
 * it has none: bert_model.ckpt, variables/variables of a SavedModel, the one
 * that its file "checkpoint" names, or the only one. */
int bt_tf_find_in(const char *dir, char **path,
                  struct bt_error *err) BT_MUST_USE;

#endif
