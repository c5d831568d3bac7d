/* SPDX-License-Identifier: MIT */
/* The files of an adapter, as peft has them, which bt_model_save writes in the
 * place of a whole model. */
#ifndef BT_FINETUNE_ADAPTER_H
#define BT_FINETUNE_ADAPTER_H

#include <jansson.h>

#include "finetune/model.h"

/* What adapter_config.json says of m, whose lora has a rank; json_decref() it.
 */
json_t *bt_adapter_config_json(const struct bt_model *m);

/* Writes adapters and head as one safetensors file, by the names that they have
 * in transformers' classes, to out, which the caller ends. */
int bt_adapter_write(struct bt_out *out, const struct bt_model *m,
                     const struct bt_ckpt_note *note,
                     struct bt_error *err) BT_MUST_USE;

#endif
