/* SPDX-License-Identifier: MIT */
/*
 * What the files of a model directory are called: all names that are looked
 * for, in the order in which they are, in one table.
 */
#ifndef BT_FORMAT_MODEL_FILES_H
#define BT_FORMAT_MODEL_FILES_H

#include "base/err.h"

/* Those that are written, too. */
#define BT_FILE_CONFIG "config.json"
#define BT_FILE_WEIGHTS "model.safetensors"
#define BT_FILE_SHARDS "model.safetensors.index.json"
#define BT_FILE_TF_KERAS "tf_model.h5"
#define BT_FILE_TF_STEM "bert_model.ckpt"
#define BT_FILE_TOKENIZER "tokenizer.json"
#define BT_FILE_TOKENIZER_CONFIG "tokenizer_config.json"
#define BT_FILE_SPECIALS "special_tokens_map.json"
#define BT_FILE_ADDED "added_tokens.json"
#define BT_FILE_MODULES "modules.json"
#define BT_FILE_SENTENCE "sentence_bert_config.json"
#define BT_FILE_PROMPTS "config_sentence_transformers.json"
#define BT_FILE_VOCAB "vocab.txt"
#define BT_FILE_IDS "vocab.json"
#define BT_FILE_MERGES "merges.txt"
#define BT_FILE_KERAS_VOCAB "assets/tokenizer/vocabulary.txt"
#define BT_FILE_KERAS_WEIGHTS "model.weights.h5"
#define BT_FILE_KERAS_SHARDS "model.weights.json"
#define BT_FILE_KERAS_TASK "task.json"
#define BT_FILE_KERAS_HEAD "task.weights.h5"
#define BT_FILE_CALIBRATION "calibration.json"
#define BT_FILE_AGREEMENT "int8.json"
#define BT_FILE_ADAPTER_CONFIG "adapter_config.json"
#define BT_FILE_ADAPTER "adapter_model.safetensors"
#define BT_FILE_ADAPTER_OLD "adapter_model.bin" /* read in its place */

/* What a file is; some are several things. */
enum bt_file_use {
	BT_USE_CONFIG = 1,     /* the model's configuration */
	BT_USE_WEIGHTS = 2,    /* a file that has all weights, or an index */
	BT_USE_TOKENS = 4,     /* what a tokenizer is made of */
	BT_USE_OPENS = 8,      /* and where it stands there is one */
	BT_USE_SPM = 16,       /* a SentencePiece model */
	BT_USE_WORDPIECE = 32, /* a token a line */
	BT_USE_SPECIALS = 64,  /* lists of added tokens */
	BT_USE_SETTINGS = 128, /* what is said of a tokenizer, or of pooling */
	BT_USE_SENTENCE = 256  /* what is said of texts' length, for that */
};

struct bt_model_file {
	const char *name; /* in the directory, or in one of that */
	unsigned use;
	const char *as; /* its name in a copy, where that is another; or NULL */
};

/* The first file of the table behind another (NULL: of all) that has one of
 * these uses; NULL: no more. */
const struct bt_model_file *
bt_model_files_next(const struct bt_model_file *behind, unsigned uses);

/* The directory with the files of the encoder and its tokenizer, to be freed:
 * dir, unless its modules.json names a folder in it, as those of older versions
 * of sentence-transformers do. */
char *bt_model_files_encoder(const char *dir);

/*
 * The first file of these uses that dir holds, or bt_model_files_encoder of it,
 * or *found NULL. Its path goes
 * into *path, to be freed, where that is not NULL. Returns 0 or BT_ENOMEM.
 */
int bt_model_files_find(const char *dir, unsigned uses,
                        const struct bt_model_file **found, char **path,
                        struct bt_error *err) BT_MUST_USE;

#endif
