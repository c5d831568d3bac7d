/* SPDX-License-Identifier: MIT */
/*
 * adapter_config.json, by which peft says how an adapter changes a model and
 * which one that is. Adapters are read that are low-rank changes of matrices
 * [Hu et al. 2021, "LoRA: Low-Rank Adaptation of Large Language Models"],
 * scaled as published or as in [Kalajdzievski 2023, "A Rank Stabilization
 * Scaling Factor for Fine-Tuning with LoRA"].
 */
#ifndef BT_FORMAT_ADAPTER_CONFIG_H
#define BT_FORMAT_ADAPTER_CONFIG_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"

/* What the names of an adapter's tensors begin with, and what those of the two
 * matrices of a change end in. */
#define BT_ADAPTER_PREFIX "base_model.model."
#define BT_ADAPTER_A ".lora_A.weight"
#define BT_ADAPTER_B ".lora_B.weight"

struct bt_adapter_config {
	int64_t rank; /* where rank_pattern is empty, that of each change */
	double alpha;
	bool root;        /* of the rank divides alpha */
	bool ranks;       /* differ */
	const char *base; /* name or directory of the model; or NULL */
	const char *task; /* as "SEQ_CLS"; or NULL */
	json_t *json;     /* that the texts are of */
};

/* Takes an object; name is for messages. BT_EFORMAT where the adapter changes
 * a model in another way. On BT_OK the caller clears it. */
int bt_adapter_config_parse(const char *name, json_t *object,
                            struct bt_adapter_config *c,
                            struct bt_error *err) BT_MUST_USE;
void bt_adapter_config_clear(struct bt_adapter_config *c);

/* The same of the file in a directory. */
int bt_adapter_config_load(const char *dir, struct bt_adapter_config *c,
                           struct bt_error *err) BT_MUST_USE;

/* What the product of a change's two matrices, of that rank, is multiplied by.
 */
double bt_adapter_scale(const struct bt_adapter_config *c, int64_t rank);

/* Whether a directory holds an adapter; that what was given as one does: else
 * BT_EFORMAT or, if there is nothing, BT_EIO. */
bool bt_adapter_is(const char *dir);
int bt_adapter_expect(const char *dir, struct bt_error *err) BT_MUST_USE;

/*
 * The directory of the model that the adapter in dir changes, to be freed:
 * where one was set, that; else the one that adapter_config.json names, which
 * is looked for as a path, in the hub's cache and as a path from dir.
 */
int bt_adapter_base(const char *dir, char **base,
                    struct bt_error *err) BT_MUST_USE;

/* The directory, to be freed, that has the tokenizer of a model: dir, or where
 * this holds an adapter and none, that of the base model. */
int bt_adapter_tokenizer(const char *dir, char **in,
                         struct bt_error *err) BT_MUST_USE;

/* From now on, dir stands in the place of what adapters name; NULL: no more.
 * It is borrowed. For one thread, before models are opened. */
void bt_adapter_base_set(const char *dir);

#endif
