/* SPDX-License-Identifier: MIT */
/*
 * What a model directory says of its model and of its tokenizer, by whomever it
 * was written, in the keys of Hugging Face's files: Google's configurations of
 * BERT and of ALBERT name no type, and the presets of KerasHub have keys of
 * their own under the same file names.
 */
#ifndef BT_FORMAT_HF_CONFIG_H
#define BT_FORMAT_HF_CONFIG_H

#include <jansson.h>

#include "base/err.h"

/* Reads a configuration; the caller json_decref()s it. BT_EFORMAT where it is
 * one of KerasHub for another model than BERT. */
int bt_hf_config_load(const char *path, json_t **o,
                      struct bt_error *err) BT_MUST_USE;

/* Reads the configuration of a directory, *o NULL where it has none; its path
 * goes into *path, to be freed, where that is not NULL. */
int bt_hf_config_find(const char *dir, json_t **o, char **path,
                      struct bt_error *err) BT_MUST_USE;

/* Reads tokenizer_config.json, *o NULL where there is none. */
int bt_hf_config_tokenizer(const char *dir, json_t **o,
                           struct bt_error *err) BT_MUST_USE;

/*
 * The same of a tokenizer of KerasHub, whose tokenizer.json holds settings and
 * stands above assets/tokenizer/vocabulary.txt (BT_FILE_KERAS_VOCAB). *o NULL:
 * dir has no such tokenizer.
 */
int bt_hf_config_keras_tokenizer(const char *dir, json_t **o,
                                 struct bt_error *err) BT_MUST_USE;

/* What task.json of a preset of KerasHub says of a classifier of BERT, whose
 * last layer then stands in task.weights.h5; *o NULL where it is none. */
int bt_hf_config_keras_task(const char *dir, json_t **o,
                            struct bt_error *err) BT_MUST_USE;

/* The class that an object of Keras is of; NULL: it is none. */
const char *bt_hf_config_keras_class(const json_t *o);

#endif
