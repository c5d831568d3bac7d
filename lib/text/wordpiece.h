/* SPDX-License-Identifier: MIT */
/*
 * WordPiece: a word becomes the longest token that begins it, then the longest
 * continuation ("##" and what follows) that begins the rest, and so on; a word
 * that is too long, or of which a rest matches nothing, becomes one unknown
 * token. Time is linear in the word, times the longest token at worst.
 * Immutable, shared by threads.
 */
#ifndef BT_TEXT_WORDPIECE_H
#define BT_TEXT_WORDPIECE_H

#include <stddef.h>
#include <stdint.h>

#include "text/piece.h"
#include "text/trie.h"
#include "text/vocab.h"

struct bt_wordpiece {
	const struct bt_trie *trie; /* of the vocabulary */
	uint32_t more;    /* node that the continuation prefix leads to */
	int32_t unknown;  /* id */
	size_t max_chars; /* of a word */
};

void bt_wordpiece_init(struct bt_wordpiece *wp, const struct bt_vocab *v,
                       struct bt_span prefix, int32_t unknown,
                       size_t max_chars);

/* Cuts the word text[start .. end-1], not empty, into pieces, of which there
 * are at most end - start. Returns their number. */
size_t bt_wordpiece_cut(const struct bt_wordpiece *wp, const uint8_t *text,
                        size_t start, size_t end, struct bt_piece *piece);

#endif
