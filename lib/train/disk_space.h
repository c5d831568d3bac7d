/* SPDX-License-Identifier: MIT */
/* Room on the disk for what a run writes, looked at before it is needed. */
#ifndef BT_TRAIN_DISK_SPACE_H
#define BT_TRAIN_DISK_SPACE_H

#include "train/train.h"

/* Bytes of the files of a model and of a checkpoint. */
uint64_t bt_model_file_size(const struct bt_model *m);
uint64_t bt_checkpoint_file_size(const struct bt_model *m,
                                 const struct bt_train_opts *o);

/* BT_EIO if the directory's file system has less than that free; what: "the
 * model". */
int bt_disk_space_check(const char *dir, uint64_t bytes, const char *what,
                        struct bt_error *err) BT_MUST_USE;

/* The same for all that the run of so many steps into o->out, which is there,
 * has to hold at a time: each file is replaced by one that is complete. */
int bt_disk_space_check_run(const struct bt_model *m,
                            const struct bt_train_opts *o, int64_t steps,
                            struct bt_error *err) BT_MUST_USE;

#endif
