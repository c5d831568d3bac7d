/* SPDX-License-Identifier: MIT */
/*
 * Pre-tokenizers beside BERT's. Those made here find matches in a text, by a
 * pattern or a kind of character, and do with them what their behaviour says.
 */
#ifndef BT_TOKENIZER_PRE_TOKENIZER_H
#define BT_TOKENIZER_PRE_TOKENIZER_H

#include "base/span.h"
#include "tokenizer/component_int.h"
#include "unicode/split_char_class.h"

/* What becomes of a match. */
enum bt_behavior {
	BT_ISOLATED,   /* a word of its own */
	BT_REMOVED,    /* nothing */
	BT_CONTIGUOUS, /* a word together with the matches beside it */
	BT_PREVIOUS,   /* the end of the word before */
	BT_NEXT        /* the beginning of the word behind */
};

/* Regular expressions of tokenizers, written by hand. */
enum bt_pattern {
	BT_PAT_GPT2,   /* with at most one space before a word */
	BT_PAT_LLAMA3, /* any case, at most three digits, line ends apart */
	BT_PAT_QWEN2,  /* the same with single digits */
	BT_PAT_SPACES, /* two spaces or more */
	BT_PAT_WHITES, /* white space */
	BT_PAT_WORDS,  /* word characters, or others that are not white; not as
	                * Oniguruma's \w, which has more of Latin-1 */
	BT_PAT_WHITE,  /* single white characters */
	BT_PAT_PUNCT,
	BT_PAT_NUMBER,
	BT_PAT_STRING,
	BT_PAT_REGEX /* another: regex.h */
};

struct bt_split_opts {
	enum bt_pattern pattern;
	struct bt_span string; /* of BT_PAT_STRING, not empty, and _REGEX */
	enum bt_behavior behavior;
	bool invert; /* matches are what does not match */
};

/* The expression of a pattern, as tokenizer.json states it; -1: not known. */
int bt_pattern_find(const char *regex);

/* table is that of bt_split_table, borrowed. */
int bt_pre_tokenizer_split(const uint8_t *table,
                           const struct bt_split_opts *opts,
                           struct bt_pre_tokenizer **pretok,
                           struct bt_error *err) BT_MUST_USE;

/* ByteLevel: a space before a text that has none, where prefix; words of GPT-2,
 * where split. That bytes become characters is the model's business. */
struct bt_pre_tokenizer *bt_pre_tokenizer_bytes(const uint8_t *table,
                                                bool prefix,
                                                bool split) BT_MUST_USE;

/* Adds the words of the pattern GPT2, which takes all of the text, from at on.
 */
int bt_match_gpt2_all(const uint8_t *table, struct bt_word_batch *b,
                      size_t at) BT_MUST_USE;

/* The end, at most to, of the match of a pattern at text[at]; at: none. */
size_t bt_match_gpt2(const uint8_t *table, const uint8_t *text, size_t at,
                     size_t to);
size_t bt_match_llama3(const uint8_t *table, const uint8_t *text, size_t at,
                       size_t to, int digits);

#endif
