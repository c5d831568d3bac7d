/* SPDX-License-Identifier: MIT */
/*
 * A vocabulary: tokens by id and ids by token. An id without a token (a blank
 * line, a gap in a JSON file) is an empty string.
 */
#ifndef BT_TOKENIZER_VOCAB_H
#define BT_TOKENIZER_VOCAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "tokenizer/trie.h"

#define BT_VOCAB_MAX ((size_t)1 << 24) /* tokens */

/* Zero is empty; clear frees the memory. Read only outside vocab.c. */
struct bt_vocab {
	struct bt_span *token; /* [n] */
	size_t n, cap;
	char **text; /* what the spans point into */
	size_t texts, texts_cap;
	struct bt_trie trie; /* of the tokens that were there when indexed */
};

/*
 * Reads a vocab.txt: a token a line, lines end in \n only. A file whose every
 * line ends in \r\n is taken as such. With trim, white space around a token is
 * no part of it. Tokens must be UTF-8 (BT_EFORMAT with the line).
 */
int bt_vocab_read(struct bt_vocab *v, const char *path, bool trim,
                  struct bt_error *err) BT_MUST_USE;

/* Puts a copy of s at id, which must not be smaller than v->n. */
int bt_vocab_put(struct bt_vocab *v, size_t id, struct bt_span s,
                 struct bt_error *err) BT_MUST_USE;

/* Appends s as it lies; see bt_vocab_own. */
int bt_vocab_add(struct bt_vocab *v, struct bt_span s,
                 struct bt_error *err) BT_MUST_USE;

/* Makes v the owner of a block of text that its tokens point into. Returns 0 or
 * BT_ENOMEM, the block still the caller's. */
int bt_vocab_own(struct bt_vocab *v, char *text) BT_MUST_USE;

/* Makes the trie. A token that is there twice is BT_EFORMAT; base is the
 * number of the first, in the message: 1 for lines, 0 for ids. */
int bt_vocab_index(struct bt_vocab *v, int base,
                   struct bt_error *err) BT_MUST_USE;

/* The id of a token that was indexed, or -1. */
int64_t bt_vocab_find(const struct bt_vocab *v, struct bt_span s);

/* True if no token has a capital letter, those in [...] and <...> aside. */
bool bt_vocab_is_lower(const struct bt_vocab *v);

void bt_vocab_clear(struct bt_vocab *v);

#endif
