/* SPDX-License-Identifier: MIT */
#ifndef BT_CKPT_FORMAT_NPY_H
#define BT_CKPT_FORMAT_NPY_H

#include "base/buf.h"
#include "ckpt_format/zip_int.h"

/* Adds the arrays of an npz file, which are its entries. */
int bt_npz_read(struct bt_ckpt *c, struct bt_zip *z,
                struct bt_error *err) BT_MUST_USE;

/* Appends the head of an array, of a type that NumPy has. */
void bt_npy_header(struct bt_buf *b, const struct bt_tensor *t);

#endif
