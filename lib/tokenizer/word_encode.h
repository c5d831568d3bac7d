/* SPDX-License-Identifier: MIT */
/* Words cut by a model, those that its thread met before from the cache. */
#ifndef BT_TOKENIZER_WORD_ENCODE_H
#define BT_TOKENIZER_WORD_ENCODE_H

#include "tokenizer/word_cache.h"

/* What cuts words that are new. */
struct bt_word_run {
	struct bt_word_cache *words; /* of the work and the model below */

	/* Appends the pieces of text[from .. to-1], not empty, with their
	 * places, to out. Returns 0 or BT_ENOMEM. */
	int (*cut)(const void *model, void *work, const uint8_t *text,
	           size_t from, size_t to, struct bt_pieces *out);
	const void *model;
	void *work;
};

/* Appends the pieces of text[from .. to-1], not empty, to out, which has
 * places. Returns 0 or BT_ENOMEM. */
int bt_word_run(const struct bt_word_run *run, const uint8_t *text, size_t from,
                size_t to, struct bt_pieces *out) BT_MUST_USE;

/* The same for n words, in a text that can be read up to end; out may be bare.
 */
int bt_word_run_many(const struct bt_word_run *run, const uint8_t *text,
                     size_t end, const struct bt_word_range *word, size_t n,
                     struct bt_pieces *out) BT_MUST_USE;

#endif
