/* SPDX-License-Identifier: MIT */
/*
 * Trains a vocabulary of subwords: words begin as characters, or bytes, and the
 * most frequent pair of neighbours becomes one token, again and again, until
 * the vocabulary is full. WordPiece is trained in the same way, as in Hugging
 * Face's package, with a prefix on tokens that do not begin a word.
 *
 * Of equally frequent pairs the one with the smaller id of the first token is
 * merged first, then the one with the smaller second id. Ids are: special
 * tokens, characters in the order of Unicode, characters that occur inside a
 * word with the prefix, then tokens in the order of merging.
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
	enum bt_word_kind kind; /* BT_WORDS_BYTES: all bytes, no prefix */
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
	char **text; /* [n] the memory of the tokens */
	size_t texts_cap;
	size_t letters; /* distinct characters of the words, or bytes */
};

/* words is empty afterwards. BT_ELIMIT if the vocabulary has no room for the
 * characters. */
int bt_trainer_train(struct bt_word_counts *words,
                     const struct bt_trainer_opts *opts,
                     struct bt_trainer *made, struct bt_error *err) BT_MUST_USE;
void bt_trainer_clear(struct bt_trainer *s);

#endif
