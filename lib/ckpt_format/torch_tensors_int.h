/* SPDX-License-Identifier: MIT */
/* From a pickle to tensors, for the two kinds of file that PyTorch writes. */
#ifndef BT_CKPT_FORMAT_TORCH_TENSORS_INT_H
#define BT_CKPT_FORMAT_TORCH_TENSORS_INT_H

#include "ckpt_format/pickle_int.h"

/* Finds the bytes of a storage. */
struct bt_torch_source {
	int (*find)(void *ctx, const struct bt_pk_storage *s,
	            const uint8_t **data, size_t *size, struct bt_error *err);
	void *ctx;
};

/*
 * Adds the tensors that the pickle holds to c. What a dictionary holds is named
 * by its keys, what stands deeper by a path with dots. Of a training checkpoint
 * that keeps the model under state_dict, model_state_dict, model or module that
 * part is all that is taken, under the names in it.
 */
int bt_torch_add(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                 const struct bt_pickle *k, const struct bt_torch_source *s,
                 struct bt_error *err) BT_MUST_USE;

/* Bytes of the elements of a storage; false where they overflow. */
bool bt_torch_bytes(const struct bt_pk_storage *s, size_t *bytes);

#endif
