/* SPDX-License-Identifier: MIT */
/*
 * The words that the tokens of a record stand for, and where these are in the
 * record's texts: found by encoding the texts again, which may give more tokens
 * than the record has, where it was cut or is a window.
 */
#ifndef BT_EVALUATE_TEXT_WORDS_H
#define BT_EVALUATE_TEXT_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "tokenizer/tokenizer.h"

/* A word, as the tokenizer divides texts, or a special token. */
struct bt_text_word {
	struct bt_span word;
	int text;          /* 0 or 1; -1: of none */
	size_t start, end; /* of it, in code points; end excluded */
	bool special;
};

struct bt_text_words {
	const struct bt_tok *tok; /* borrowed */
	struct bt_tok_scratch *scratch;

	/* of the last record */
	struct bt_text_word *word; /* [n] in the tokens' order; borrowed from
	                            * the texts and from tok */
	size_t n;
	size_t *of; /* [tokens] the word of each */
	size_t at;  /* of a window: the first token of the text in it */

	size_t word_cap, of_cap;
};

int bt_text_words_init(struct bt_text_words *w, const struct bt_tok *tok,
                       struct bt_error *err) BT_MUST_USE;
void bt_text_words_clear(struct bt_text_words *w);

/* A record: its texts (p NULL: it lacks them), its tokens, and its number among
 * the windows of the text. */
struct bt_text_tokens {
	struct bt_span text[2];
	const int32_t *ids;
	size_t n;
	int64_t window;
};

/* Sets word, n and of for a record. 1; or 0 where the texts are not there, or
 * are not those that the tokens were made of: then each token is a word of no
 * text, by its name in the vocabulary. BT_ENOMEM else. */
int bt_text_words_find(struct bt_text_words *w, const struct bt_text_tokens *t,
                       struct bt_error *err) BT_MUST_USE;

#endif
