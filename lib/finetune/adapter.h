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

/* How many characters at the beginning of a parameter's name an encoder alone
 * lacks, which is what an adapter of a model that embeds texts changes. */
size_t bt_adapter_bare(const struct bt_model *m, const char *name);

#endif
