/* SPDX-License-Identifier: MIT */
/* Splits texts into words like the tokenizer that will use the vocabulary. A
 * splitter is immutable and shared by threads. */
#ifndef BT_VOCAB_TRAIN_WORD_SPLIT_H
#define BT_VOCAB_TRAIN_WORD_SPLIT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"
#include "vocab_train/word_counts.h"

struct bt_word_splitter;

enum bt_word_kind {
	BT_WORDS_BERT, /* BERT's, as in Hugging Face's tokenizers */
	BT_WORDS_BYTES /* byte-level BPE's: a word begins with its space */
};

/* lower (lower case without accents) is for BT_WORDS_BERT. */
int bt_word_splitter_new(enum bt_word_kind kind, bool lower,
                         struct bt_word_splitter **splitter,
                         struct bt_error *err) BT_MUST_USE;
void bt_word_splitter_free(struct bt_word_splitter *splitter); /* takes NULL */

/* The memory of one thread; free takes NULL. */
struct bt_word_splitter_scratch;
struct bt_word_splitter_scratch *bt_word_splitter_scratch_new(void) BT_MUST_USE;
void bt_word_splitter_scratch_free(struct bt_word_splitter_scratch *scratch);

/* Counts the words of a text. A text that is not UTF-8 is BT_EFORMAT. */
int bt_word_split(const struct bt_word_splitter *splitter,
                  struct bt_word_splitter_scratch *scratch, struct bt_span text,
                  struct bt_word_counts *words,
                  struct bt_error *err) BT_MUST_USE;

#endif
