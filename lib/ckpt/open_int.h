/* SPDX-License-Identifier: MIT */
/* The steps of opening a checkpoint. */
#ifndef BT_CKPT_OPEN_INT_H
#define BT_CKPT_OPEN_INT_H

#include "tensor/checkpoint_reader.h"

/* Whether there is a reader for the format of f. */
bool bt_ckpt_file_known(const struct bt_ckpt_file *f);

/* Reads one file of tensors of any format into c. */
int bt_ckpt_read_file(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                      struct bt_error *err) BT_MUST_USE;

/* Reads the shards that an index file names into c. */
int bt_ckpt_read_index(struct bt_ckpt *c, const struct bt_ckpt_file *index,
                       struct bt_error *err) BT_MUST_USE;

/* The path of the weights in a model directory; free() it. */
int bt_ckpt_find_in(const char *dir, char **path,
                    struct bt_error *err) BT_MUST_USE;

/*
 * Where dir is a classifier of KerasHub, c holds the tensors of its backbone,
 * whose file or index is weights: renames them to those of a backbone and adds
 * the ones of task.weights.h5, so that all have the names of a file that holds
 * the whole.
 */
int bt_kerashub_task_read(struct bt_ckpt *c, const char *dir,
                          const char *weights,
                          struct bt_error *err) BT_MUST_USE;

#endif
