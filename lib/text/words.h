/* SPDX-License-Identifier: MIT */
/*
 * Words of texts and how often each occurs. A struct bt_words belongs to one
 * thread; several are added up. Memory goes with the number of different words.
 */
#ifndef BT_TEXT_WORDS_H
#define BT_TEXT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

struct bt_word {
	size_t at; /* its bytes are text[at .. at+n-1] */
	uint32_t n;
	uint64_t count;
};

/* Zero is empty; clear frees the memory. */
struct bt_words {
	struct bt_word *word; /* [n] in the order of their first */
	size_t n, cap;
	char *text;
	size_t text_n, text_cap;
	uint32_t *slot; /* [slots] by hash: 1 + which word, 0: none */
	size_t slots;
};

/* Counts a word count times more. Returns 0, BT_ENOMEM or BT_ELIMIT. */
int bt_words_add(struct bt_words *w, const void *word, size_t n,
                 uint64_t count) BT_MUST_USE;
int bt_words_add_all(struct bt_words *w,
                     const struct bt_words *more) BT_MUST_USE;

/* Sorts them by their bytes; none can be added afterwards. Returns 0 or
 * BT_ENOMEM. */
int bt_words_sort(struct bt_words *w) BT_MUST_USE;

void bt_words_clear(struct bt_words *w);

/* How texts become words: as the tokenizers do of which vocabularies are
 * trained. Immutable, shared by threads. */
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
