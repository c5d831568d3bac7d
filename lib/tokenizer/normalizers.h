/* SPDX-License-Identifier: MIT */
/*
 * The parts that tokenizers with SentencePiece's models are put together from.
 * Each does what the component of its name in Hugging Face's tokenizers does.
 */
#ifndef BT_TOKENIZER_NORMALIZERS_H
#define BT_TOKENIZER_NORMALIZERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "tokenizer/component_int.h"

/* Precompiled, from n bytes, which are copied; longest: as SentencePiece
 * itself (precompiled_charsmap.h). */
int bt_normalizer_precompiled(const void *map, size_t n, bool longest,
                              struct bt_normalizer **norm,
                              struct bt_error *err) BT_MUST_USE;

/*
 * Replace: a string, not empty, or a regular expression, of which a few forms
 * are known: a character or \s followed by {N,} or +, and \s{2,}|[\n\r\t];
 * for the others see regex.h. Prepend puts content before a text.
 */
int bt_normalizer_replace(struct bt_span pattern, bool regex,
                          struct bt_span content, struct bt_normalizer **norm,
                          struct bt_error *err) BT_MUST_USE;
int bt_normalizer_prepend(struct bt_span content, struct bt_normalizer **norm,
                          struct bt_error *err) BT_MUST_USE;

struct bt_normalizer *bt_normalizer_strip(bool left, bool right) BT_MUST_USE;

/* Those that have no settings. */
enum bt_normalizer_simple {
	BT_NORMALIZER_NMT,
	BT_NORMALIZER_LOWERCASE,
	BT_NORMALIZER_STRIP_ACCENTS
};
struct bt_normalizer *
bt_normalizer_simple(enum bt_normalizer_simple which) BT_MUST_USE;

/* Normal forms; table is that of bt_split_table (split_char_class.h), borrowed.
 */
enum bt_unicode_form { BT_NFC, BT_NFD, BT_NFKC, BT_NFKD };
struct bt_normalizer *bt_normalizer_form(const uint8_t *table,
                                         enum bt_unicode_form form) BT_MUST_USE;

enum bt_prepend { BT_PREPEND_ALWAYS, BT_PREPEND_FIRST, BT_PREPEND_NEVER };

/* Metaspace; the replacement is one character. WhitespaceSplit. */
int bt_pre_tokenizer_metaspace(struct bt_span replacement,
                               enum bt_prepend prepend, bool split,
                               struct bt_pre_tokenizer **pretok,
                               struct bt_error *err) BT_MUST_USE;
struct bt_pre_tokenizer *bt_pre_tokenizer_whitespace_split(void) BT_MUST_USE;

/* Unigram (unigram.h); score is taken over in any case. */
int bt_tok_model_unigram(const struct bt_vocab *vocab, double *score,
                         int32_t unknown, bool bytes,
                         struct bt_tok_model **model,
                         struct bt_error *err) BT_MUST_USE;

/* White_Space of Unicode. */
bool bt_char_is_space(uint32_t c);

#endif
