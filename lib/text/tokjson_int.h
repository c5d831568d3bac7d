/* SPDX-License-Identifier: MIT */
/* Reading tokenizer.json: the components of tokenizers with Unigram models. */
#ifndef BT_TEXT_TOKJSON_INT_H
#define BT_TEXT_TOKJSON_INT_H

#include <jansson.h>
#include <stdbool.h>

#include "text/tok_int.h"

/* True if o's member "type" is that. */
bool bt_tok_is_type(const json_t *o, const char *type);

/* "WHAT of type T is not supported" */
int bt_tok_unsupported(const char *what, const json_t *o, struct bt_error *err);

/* Refuses members that are not in the list, which ends with NULL: they would
 * change something. */
int bt_tok_only(const char *what, json_t *o, const char *const *known,
                struct bt_error *err) BT_MUST_USE;

/* Appends what a normalizer, or a pre-tokenizer, stands for; a Sequence is its
 * parts, null is nothing. */
int bt_tok_json_norm(struct bt_tok *t, json_t *o,
                     struct bt_error *err) BT_MUST_USE;
int bt_tok_json_pretok(struct bt_tok *t, json_t *o,
                       struct bt_error *err) BT_MUST_USE;

/* The model Unigram. */
int bt_tok_json_unigram(struct bt_tok *t, json_t *o,
                        struct bt_error *err) BT_MUST_USE;

#endif
