/* SPDX-License-Identifier: MIT */
/*
 * Unigram: of all ways to cut a word into pieces, the one whose scores have the
 * greatest sum, found by dynamic programming over the word's bytes. Of equal
 * sums the one found first counts, shorter pieces before longer ones, as in
 * Hugging Face's fast tokenizers. A character that is no piece costs more than
 * any; neighbours of that kind become one unknown token, or their bytes'
 * tokens. Time is linear in the word, times the longest piece at worst.
 * Immutable, shared by threads.
 */
#ifndef BT_TOKENIZER_UNIGRAM_H
#define BT_TOKENIZER_UNIGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tokenizer/token_buffer.h"
#include "tokenizer/vocab.h"
#include "tokenizer/word_cache.h"

struct bt_unigram {
	const struct bt_trie *trie; /* of the vocabulary */
	double *score;              /* [n] by id */
	double unknown_score;
	int32_t unknown; /* id */
	bool bytes;      /* unknown text becomes byte[], where all are there */
	int32_t byte[256];
};

/* What a thread needs, for one model: a lattice. Zero is empty; free(node) and
 * clear the words. */
struct bt_unigram_node {
	double score;  /* of the best way to cut what ends here */
	uint32_t from; /* where its last piece begins */
	int32_t id;    /* of that; BT_UNIGRAM_NONE: nothing ends here */
};
#define BT_UNIGRAM_NONE (-1)

struct bt_unigram_work {
	struct bt_unigram_node *node;
	size_t cap;
	struct bt_word_cache words;
};

/*
 * score[i] is that of the token i of the vocabulary, which is borrowed and was
 * indexed; the array of v->n is taken over when the call succeeds. Scores must
 * be finite.
 */
int bt_unigram_init(struct bt_unigram *u, const struct bt_vocab *v,
                    double *score, int32_t unknown, bool bytes,
                    struct bt_error *err) BT_MUST_USE;
void bt_unigram_clear(struct bt_unigram *u);

/* Appends the pieces of the word text[from .. to-1], not empty, to out. Returns
 * 0 or BT_ENOMEM. */
int bt_unigram_encode(const struct bt_unigram *u, struct bt_unigram_work *work,
                      const uint8_t *text, size_t from, size_t to,
                      struct bt_pieces *out) BT_MUST_USE;

#endif
