/* SPDX-License-Identifier: MIT */
/* The readers of all formats. */
#ifndef BT_CKPT_FORMAT_READERS_H
#define BT_CKPT_FORMAT_READERS_H

#include "tensor/checkpoint_reader.h"

extern const struct bt_ckpt_reader bt_safetensors_read;
extern const struct bt_ckpt_reader bt_torch_zip_read; /* also NumPy's npz */
extern const struct bt_ckpt_reader bt_torch_legacy_read;
extern const struct bt_ckpt_reader bt_npy_read;
extern const struct bt_ckpt_reader bt_gguf_read;
extern const struct bt_ckpt_reader bt_hdf5_read;
extern const struct bt_ckpt_reader bt_tf_bundle_read;

#endif
