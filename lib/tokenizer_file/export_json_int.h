/* SPDX-License-Identifier: MIT */
/* Parts of a tokenizer.json that is written; each is NULL when out of memory.
 */
#ifndef BT_TOKENIZER_FILE_EXPORT_JSON_INT_H
#define BT_TOKENIZER_FILE_EXPORT_JSON_INT_H

#include <jansson.h>

#include "tokenizer_file/reader.h"

/* The text of a token. */
json_t *bt_tok_export_token(const struct bt_tok *t, int32_t id) BT_MUST_USE;

/* {"token": id, ...} of the model's own. */
json_t *bt_tok_export_vocab(const struct bt_tok *t) BT_MUST_USE;
json_t *bt_tok_export_added(const struct bt_tok *t) BT_MUST_USE;

/* The post-processor that puts the templates' tokens. */
json_t *bt_tok_export_template(const struct bt_tok *t) BT_MUST_USE;

/* All of it, of a SentencePiece model. *o is NULL when out of memory. */
int bt_spm_json(const struct bt_tok *t, json_t **o,
                struct bt_error *err) BT_MUST_USE;

/* Writes DIR/tokenizer.json. */
int bt_tok_save_json(const struct bt_tok *t, const char *dir,
                     struct bt_error *err) BT_MUST_USE;

#endif
