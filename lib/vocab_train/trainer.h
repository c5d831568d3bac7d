/* SPDX-License-Identifier: MIT */
/*
 * Training a vocabulary of parts of words: words begin as characters, or bytes,
 * and the pair of neighbours that is most frequent becomes one token, again and
 * again, until the vocabulary is full. As the trainers of Hugging Face's
 * package have it, WordPiece is the same, with a prefix before what does not
 * begin a word.
 *
 * Of pairs that are equally frequent the one goes first whose first token has
 * the smaller id, then whose second has. Ids are: special tokens, characters in
 * the order of Unicode, with a prefix the same characters with it where they
 * occur so, tokens in the order of merging.
 */
#ifndef BT_VOCAB_TRAIN_TRAINER_H
#define BT_VOCAB_TRAIN_TRAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "vocab_train/word_counts.h"
#include "vocab_train/word_split.h"

struct bt_trainer_opts {
	enum bt_word_kind kind; /* BT_WORDS_BYTES: of all bytes, no prefix */
	size_t size;            /* tokens, at most, and 2^24 */
	uint64_t min_count;     /* of a pair that is merged */
	size_t alphabet;        /* most characters, the most frequent; 0: all */
	const struct bt_span *special; /* [specials] */
	size_t specials;
};

struct bt_trainer_merge_rule {
	uint32_t a, b; /* ids */
};

/* Zero is empty; clear frees the memory. */
struct bt_trainer {
	struct bt_span *token; /* [n], by id */
	size_t n, cap;
	struct bt_trainer_merge_rule *merge; /* [merges], each pair once */
	size_t merges, merges_cap;
	char **text; /* [n] what the tokens point to */
	size_t texts_cap;
	size_t letters; /* different characters of the words, or bytes */
};

/* words are used up. BT_ELIMIT if the vocabulary has no room for the
 * characters. */
int bt_trainer_train(struct bt_word_counts *words,
                     const struct bt_trainer_opts *opts,
                     struct bt_trainer *made, struct bt_error *err) BT_MUST_USE;
void bt_trainer_clear(struct bt_trainer *s);

#endif
