/* SPDX-License-Identifier: MIT */
/*
 * WordPiece: a word becomes the longest token that begins it, then the longest
 * continuation ("##" and what follows) that begins the rest, and so on; a word
 * that is too long, or of which a rest matches nothing, becomes one unknown
 * token.
 *
 * Tokens are matched one after the other. A word that lets this read the same
 * bytes again and again goes the way of LinMaxMatch (Song et al., "Fast
 * WordPiece Tokenization", EMNLP 2021): where the trie has no way on, a link
 * leads to the node of what is left once the tokens known by then are taken
 * away. So time is linear in the word, whatever the vocabulary.
 *
 * A struct bt_wordpiece is immutable, shared by threads; each has a work of its
 * own.
 */
#ifndef BT_TOKENIZER_WORDPIECE_H
#define BT_TOKENIZER_WORDPIECE_H

#include <stddef.h>
#include <stdint.h>

#include "tokenizer/token_buffer.h"
#include "tokenizer/trie.h"
#include "tokenizer/vocab.h"
#include "tokenizer/word_cache.h"

struct bt_wordpiece {
	const struct bt_vocab *vocab;
	const struct bt_trie *trie; /* of the vocabulary */
	uint32_t more;    /* node that the continuation prefix leads to */
	size_t prefix;    /* its length */
	int32_t unknown;  /* id */
	size_t max_chars; /* of a word */
};

/* Zero to begin with. */
struct bt_wordpiece_work {
	struct bt_wordpiece_linear *links; /* NULL until a word needs them */
	struct bt_word_cache words;
};

void bt_wordpiece_init(struct bt_wordpiece *wp, const struct bt_vocab *v,
                       struct bt_span prefix, int32_t unknown,
                       size_t max_chars);

void bt_wordpiece_work_clear(struct bt_wordpiece_work *work);

/* Appends the pieces of the word text[start .. end-1], not empty, to out.
 * Returns 0 or BT_ENOMEM. */
int bt_wordpiece_encode(const struct bt_wordpiece *wp,
                        struct bt_wordpiece_work *work, const uint8_t *text,
                        size_t start, size_t end,
                        struct bt_pieces *out) BT_MUST_USE;

/* The same for n words, in a text that can be read up to end. */
int bt_wordpiece_encode_words(const struct bt_wordpiece *wp,
                              struct bt_wordpiece_work *work,
                              const uint8_t *text, size_t end,
                              const struct bt_word_range *word, size_t n,
                              struct bt_pieces *out) BT_MUST_USE;

#endif
