/* SPDX-License-Identifier: MIT */
#ifndef BT_TOKENIZER_WORDPIECE_INT_H
#define BT_TOKENIZER_WORDPIECE_INT_H

#include "tokenizer/wordpiece.h"

/*
 * The links of the nodes behind the continuation prefix. Of such a node v, let
 * F(v) be the tokens that are certain where the text at v cannot go on:
 *   v is a token: v itself, and link[v] is the prefix's node;
 *   else F of its parent u, then, for z = link[u] and on along the links while
 *   z has no way on by the last byte of v, F(z); link[v] is where the way
 * leads. F itself is not stored, since a vocabulary can make it long: up[v] is
 * v or the nearest node above whose F is not that of its parent.
 */
struct bt_wordpiece_linear {
	uint32_t *link;  /* [units], BT_TRIE_NONE: none */
	uint32_t *up;    /* [units], BT_TRIE_NONE: F is empty */
	uint32_t *stack; /* nodes whose F is still to be written */
	size_t stack_cap;
};

int bt_wordpiece_linear_new(const struct bt_wordpiece *wp,
                            struct bt_wordpiece_linear **links) BT_MUST_USE;
void bt_wordpiece_linear_free(
    struct bt_wordpiece_linear *links); /* takes NULL */

/* The pieces of text[at .. end-1], the rest of a word behind a first token, put
 * at piece, where there is room for one a byte. Returns their number, 0: it
 * has none, or BT_ENOMEM. */
int64_t bt_wordpiece_linear_cut(const struct bt_wordpiece *wp,
                                struct bt_wordpiece_linear *k,
                                const uint8_t *text, size_t at, size_t end,
                                struct bt_piece *piece) BT_MUST_USE;

#endif
