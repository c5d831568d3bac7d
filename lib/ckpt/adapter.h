/* SPDX-License-Identifier: MIT */
/* Models that are changed by an adapter (format/adapter_config.h). */
#ifndef BT_CKPT_ADAPTER_H
#define BT_CKPT_ADAPTER_H

#include "format/adapter_config.h"
#include "tensor/checkpoint.h"

/*
 * Changes *base, the checkpoint of a model, by an adapter: W (rows, columns) of
 * a layer becomes the f32 W + scale * B A, with A (rank, columns) and B (rows,
 * rank); what the adapter holds beside such pairs takes the place of the tensor
 * of that name, or is added. Layers are found by Hugging Face's names, whatever
 * the base model's format. Numbers of the base model that are not changed are
 * not read. *base is then called path; the adapter may be closed.
 *
 * BT_EFORMAT, BT_ECORRUPT: the adapter is of another model or damaged; *base is
 * closed and NULL, as after any error.
 */
int bt_adapter_merge(struct bt_ckpt **base, const struct bt_ckpt *adapter,
                     const struct bt_adapter_config *c, const char *path,
                     struct bt_error *err) BT_MUST_USE;

/*
 * bt_hf_config_find for a directory that may hold an adapter without a
 * configuration: that of the base model, its class as the adapter's task is,
 * its labels numbered unless they are as many as the outputs of the head that
 * the adapter brings.
 */
int bt_ckpt_config(const char *dir, json_t **o, char **path,
                   struct bt_error *err) BT_MUST_USE;

#endif
