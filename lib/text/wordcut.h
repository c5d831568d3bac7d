/* SPDX-License-Identifier: MIT */
/* How texts become words: as the tokenizers do of which vocabularies are
 * trained. A cutter is immutable, shared by threads. */
#ifndef BT_TEXT_WORDCUT_H
#define BT_TEXT_WORDCUT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"
#include "text/words.h"

struct bt_word_cutter;

enum bt_word_kind {
	BT_WORDS_BERT, /* BERT's, as Hugging Face's tokenizers have it */
	BT_WORDS_BYTES /* that of byte-level BPE: words have their space */
};

/* lower is for BERT's. */
int bt_word_cutter_new(enum bt_word_kind kind, bool lower,
                       struct bt_word_cutter **cutter,
                       struct bt_error *err) BT_MUST_USE;
void bt_word_cutter_free(struct bt_word_cutter *cutter); /* takes NULL */

/* What a thread cuts with; frees as free() does for NULL. */
struct bt_word_scratch;
struct bt_word_scratch *bt_word_scratch_new(void) BT_MUST_USE;
void bt_word_scratch_free(struct bt_word_scratch *scratch);

/* Counts the words of a text; what is not UTF-8 is BT_EFORMAT with the byte. */
int bt_word_cut(const struct bt_word_cutter *cutter,
                struct bt_word_scratch *scratch, struct bt_span text,
                struct bt_words *words, struct bt_error *err) BT_MUST_USE;

#endif
