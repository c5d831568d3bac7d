/* SPDX-License-Identifier: MIT */
/* How texts become words: as the tokenizers do of which vocabularies are
 * trained. A cutter is immutable, shared by threads. */
#ifndef BT_VOCAB_TRAIN_WORD_SPLIT_H
#define BT_VOCAB_TRAIN_WORD_SPLIT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"
#include "vocab_train/word_counts.h"

struct bt_word_splitter;

enum bt_word_kind {
	BT_WORDS_BERT, /* BERT's, as Hugging Face's tokenizers have it */
	BT_WORDS_BYTES /* that of byte-level BPE: words have their space */
};

/* lower is for BERT's. */
int bt_word_splitter_new(enum bt_word_kind kind, bool lower,
                         struct bt_word_splitter **cutter,
                         struct bt_error *err) BT_MUST_USE;
void bt_word_splitter_free(struct bt_word_splitter *cutter); /* takes NULL */

/* What a thread cuts with; frees as free() does for NULL. */
struct bt_word_splitter_scratch;
struct bt_word_splitter_scratch *bt_word_splitter_scratch_new(void) BT_MUST_USE;
void bt_word_splitter_scratch_free(struct bt_word_splitter_scratch *scratch);

/* Counts the words of a text; what is not UTF-8 is BT_EFORMAT with the byte. */
int bt_word_split(const struct bt_word_splitter *cutter,
                  struct bt_word_splitter_scratch *scratch, struct bt_span text,
                  struct bt_word_counts *words,
                  struct bt_error *err) BT_MUST_USE;

#endif
