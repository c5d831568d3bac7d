/* SPDX-License-Identifier: MIT */
/* Reading tokenizer.json: its components. */
#ifndef BT_TOKENIZER_FILE_TOKENIZER_JSON_INT_H
#define BT_TOKENIZER_FILE_TOKENIZER_JSON_INT_H

#include <jansson.h>
#include <stdbool.h>

#include "tokenizer_file/fast_vocab_int.h"
#include "tokenizer_file/reader.h"

/* True if o's member "type" is that. */
bool bt_tok_is_type(const json_t *o, const char *type);

/* "WHAT of type T is not supported" */
int bt_tok_unsupported(const char *what, const json_t *o, struct bt_error *err);

/* Refuses an object whose member of that name is not a list. */
int bt_tok_list(const char *what, const json_t *o, const char *key,
                struct bt_error *err);

/* Refuses an object without a member that has a '!' before its name in the
 * list, which ends with NULL: the tokenizers package does, and a part of the
 * file may be lost. */
int bt_tok_has(const char *what, const json_t *o, const char *const *known,
               struct bt_error *err);

/* The same, and refuses members that are not in the list: they would change
 * something. */
int bt_tok_only(const char *what, json_t *o, const char *const *known,
                struct bt_error *err) BT_MUST_USE;

/* Appends what a normalizer, or a pre-tokenizer, stands for; a Sequence is its
 * parts, null is nothing. */
int bt_tok_json_norm(struct bt_tok *t, json_t *o,
                     struct bt_error *err) BT_MUST_USE;
int bt_tok_json_pretok(struct bt_tok *t, json_t *o,
                       struct bt_error *err) BT_MUST_USE;

/* Pre-tokenizers by their types: Split, Punctuation, Digits, Whitespace,
 * BertPreTokenizer, ByteLevel. */
int bt_tok_json_split(struct bt_tok *t, json_t *o,
                      struct bt_error *err) BT_MUST_USE;
int bt_tok_json_punctuation(struct bt_tok *t, json_t *o,
                            struct bt_error *err) BT_MUST_USE;
int bt_tok_json_digits(struct bt_tok *t, json_t *o,
                       struct bt_error *err) BT_MUST_USE;
int bt_tok_json_whitespace(struct bt_tok *t, json_t *o,
                           struct bt_error *err) BT_MUST_USE;
int bt_tok_json_bert(struct bt_tok *t, json_t *o,
                     struct bt_error *err) BT_MUST_USE;
int bt_tok_json_bytes(struct bt_tok *t, json_t *o,
                      struct bt_error *err) BT_MUST_USE;

/* The post-processor, which may be NULL. */
int bt_tok_json_post(struct bt_tok *t, json_t *o,
                     struct bt_error *err) BT_MUST_USE;

/* {"token": id, ...} as the vocabulary, indexed. What bulk has of it is taken
 * from there. */
int bt_tok_json_vocab(struct bt_tok *t, json_t *vocab,
                      struct bt_fast_vocab *bulk,
                      struct bt_error *err) BT_MUST_USE;

/* The models BPE and Unigram. */
int bt_tok_json_bpe(struct bt_tok *t, json_t *o, struct bt_fast_vocab *bulk,
                    struct bt_error *err) BT_MUST_USE;
int bt_tok_json_unigram(struct bt_tok *t, json_t *o, struct bt_fast_vocab *bulk,
                        struct bt_error *err) BT_MUST_USE;

#endif
