/* SPDX-License-Identifier: MIT */
/* Opening a checkpoint. tensor/checkpoint.h has what can then be asked. */
#ifndef BT_CKPT_OPEN_H
#define BT_CKPT_OPEN_H

#include "tensor/checkpoint.h"

/*
 * path is a checkpoint file, the index of several (a JSON object with a
 * weight_map), the name, index or a data file of TensorFlow's, or a model
 * directory that holds, in the order in which they are looked for,
 * model.safetensors, model.safetensors.index.json, pytorch_model.bin,
 * pytorch_model.bin.index.json, tf_model.h5, tf_model.h5.index.json or a
 * checkpoint of TensorFlow (ckpt_format/tf_find.h). The data files of the
 * latter may be missing; bt_tensor_there then fails for their tensors. A
 * directory with an adapter gives the model that this changes, changed
 * (ckpt/adapter.h).
 *
 * BT_EIO: something cannot be opened. BT_EFORMAT: path is not a file or
 * directory that could hold a checkpoint, or nothing here reads its format.
 * BT_ECORRUPT, BT_ETRUNCATED, BT_ELIMIT: damaged.
 */
int bt_ckpt_open(const char *path, struct bt_ckpt **c,
                 struct bt_error *err) BT_MUST_USE;

/* The tensors of the adapter in a directory, by their own names. */
int bt_ckpt_open_adapter(const char *dir, struct bt_ckpt **c,
                         struct bt_error *err) BT_MUST_USE;

/* As bt_ckpt_open for the bytes of one file, which must outlive *c. */
int bt_ckpt_open_memory(const char *name, const void *data, size_t size,
                        struct bt_ckpt **c, struct bt_error *err) BT_MUST_USE;

#endif
