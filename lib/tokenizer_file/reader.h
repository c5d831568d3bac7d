/* SPDX-License-Identifier: MIT */
/*
 * Filling in a struct bt_tok from the files of a tokenizer, whatever their
 * format: tokens and roles, components, the model, settings.
 */
#ifndef BT_TOKENIZER_FILE_READER_H
#define BT_TOKENIZER_FILE_READER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "tokenizer/bpe.h"
#include "tokenizer/decoder.h"
#include "tokenizer/tokenizer_parts.h"
#include "tokenizer_file/tokenizer_file.h"

#define BT_TOK_ADDED_MAX 10000

/* tokenizer.json */
int bt_tok_read_json(struct bt_tok *t, const char *path,
                     struct bt_error *err) BT_MUST_USE;

/* The dialect that tokenizer_config.json names. */
int bt_tok_read_dialect(struct bt_tok *t, struct bt_error *err) BT_MUST_USE;

/* tokenizer_config.json, special_tokens_map.json, added_tokens.json; then what
 * config.json or bert_config.json says of the model. */
int bt_tok_read_config(struct bt_tok *t, struct bt_error *err) BT_MUST_USE;
int bt_tok_read_model_config(struct bt_tok *t,
                             struct bt_error *err) BT_MUST_USE;

/* True if a tokenizer_class is one of those in the list, which ends with NULL,
 * "XTokenizer" or "XTokenizerFast" for "X". */
bool bt_tok_is_class(const char *name, const char *const *known);

/* Changes the parsed tokenizer.json as tokenizer_config.json beside it says, if
 * that names a class of SentencePiece's tokenizers. */
int bt_tok_class_flags(const struct bt_tok *t, json_t *file,
                       struct bt_error *err) BT_MUST_USE;

/*
 * Adds a token with its flags; id -1: what it is in the vocabulary, or the next
 * one. A token that is there already stays as it is. An id that is neither the
 * vocabulary's nor the next one is BT_EFORMAT.
 */
int bt_tok_add(struct bt_tok *t, const struct bt_added_token *token,
               struct bt_error *err) BT_MUST_USE;

/* Reads content and flags of {"content": ..., "lstrip": ...}; borrowed. */
int bt_tok_read_added(const json_t *o, struct bt_added_token *token,
                      struct bt_error *err) BT_MUST_USE;

/* Adds the tokens of o's member: a list of strings or of such objects, or an
 * object of them. Nothing where there is none. */
int bt_tok_add_list(struct bt_tok *t, json_t *o, const char *key,
                    struct bt_error *err) BT_MUST_USE;

/* Adds the tokens of {"id": {"content": ...}} or, where specials are not NULL,
 * of {"token": id}: those that are keys of specials are special, the others are
 * looked for in normalised text. */
int bt_tok_add_table(struct bt_tok *t, json_t *table, const json_t *specials,
                     struct bt_error *err) BT_MUST_USE;

/* Puts together what was read. */
int bt_tok_finish(struct bt_tok *t, const struct bt_tok_opts *opts,
                  struct bt_error *err) BT_MUST_USE;

/*
 * Append a part to those that a text goes through, which is taken over in any
 * case, and note for the fingerprint what it is; a pre-tokenizer that is NULL
 * does nothing to a text. The others make it first (normalizers.h; which is an
 * enum bt_normalizer_simple, form an enum bt_unicode_form, prepend an enum
 * bt_prepend).
 */
int bt_tok_add_norm(struct bt_tok *t, struct bt_normalizer *norm,
                    struct bt_error *err, const char *fmt, ...) BT_MUST_USE
    BT_PRINTF(4, 5);
int bt_tok_add_pretok(struct bt_tok *t, struct bt_pre_tokenizer *pretok,
                      struct bt_error *err, const char *fmt, ...) BT_MUST_USE
    BT_PRINTF(4, 5);
int bt_tok_add_replace(struct bt_tok *t, struct bt_span pattern, bool regex,
                       struct bt_span content,
                       struct bt_error *err) BT_MUST_USE;
int bt_tok_add_strip(struct bt_tok *t, bool left, bool right,
                     struct bt_error *err) BT_MUST_USE;
int bt_tok_add_simple(struct bt_tok *t, int which,
                      struct bt_error *err) BT_MUST_USE;
int bt_tok_add_form(struct bt_tok *t, int form,
                    struct bt_error *err) BT_MUST_USE;
int bt_tok_add_bytes(struct bt_tok *t, struct bt_error *err) BT_MUST_USE;

/* Reads a SentencePiece model, as transformers converts it. */
int bt_tok_read_spm(struct bt_tok *t, const char *path,
                    struct bt_error *err) BT_MUST_USE;

/* Makes t->table if it is not there. */
int bt_tok_need_table(struct bt_tok *t, struct bt_error *err) BT_MUST_USE;

/* Reads vocab.json and merges.txt. */
int bt_tok_read_merges(struct bt_tok *t, const char *vocab, const char *merges,
                       struct bt_error *err) BT_MUST_USE;
int bt_tok_add_metaspace(struct bt_tok *t, struct bt_span mark, int prepend,
                         bool split, struct bt_error *err) BT_MUST_USE;
uint32_t bt_tok_crc(const void *data, size_t n);
uint32_t bt_tok_crc_more(uint32_t crc, const void *data, size_t n);

/* The CRC of many short texts, which are gathered. Begin with zero. */
struct bt_tok_crc {
	uint32_t crc;
	size_t n;
	char text[4096];
};
void bt_tok_crc_put(struct bt_tok_crc *c, struct bt_span s, char behind);
uint32_t bt_tok_crc_end(struct bt_tok_crc *c);

/* Makes the model Unigram of the vocabulary, not yet indexed, and the score of
 * each token, which is taken over in any case; unknown is the id of that
 * token. */
int bt_tok_set_unigram(struct bt_tok *t, double *score, int64_t unknown,
                       bool bytes, struct bt_error *err) BT_MUST_USE;

/* Makes the model BPE of the vocabulary, which was indexed. */
int bt_tok_set_bpe(struct bt_tok *t, const struct bt_bpe_merge *merge, size_t n,
                   const struct bt_bpe_opts *o,
                   struct bt_error *err) BT_MUST_USE;

/* Names the token of a role; names those that the vocabulary lacks by other
 * usual names that it has. */
int bt_tok_set_role(struct bt_tok *t, enum bt_tok_role role, struct bt_span s,
                    struct bt_error *err) BT_MUST_USE;
int bt_tok_guess_roles(struct bt_tok *t, struct bt_error *err) BT_MUST_USE;

extern const char *const bt_tok_role_key[BT_TOK_ROLES]; /* "unk_token" ... */

/* Reads the decoder of tokenizer.json. What is not known is noted in
 * d->unknown. */
int bt_decoder_read(struct bt_decoder *d, json_t *o,
                    struct bt_error *err) BT_MUST_USE;

#endif
