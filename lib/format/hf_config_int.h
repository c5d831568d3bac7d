/* SPDX-License-Identifier: MIT */
#ifndef BT_FORMAT_HF_CONFIG_INT_H
#define BT_FORMAT_HF_CONFIG_INT_H

#include <jansson.h>

#include "base/err.h"

/* Gives a configuration that a model's own code reads the keys of transformers;
 * leaves any other as it is. */
int bt_hf_config_of_own_code(json_t *o, struct bt_error *err) BT_MUST_USE;

#endif
