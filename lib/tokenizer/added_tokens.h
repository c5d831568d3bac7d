/* SPDX-License-Identifier: MIT */
/*
 * Added tokens: strings such as "[MASK]" that are found in a text as a whole,
 * before it is cut into words. The leftmost match counts, of those the longest.
 * Immutable once made, shared by threads.
 */
#ifndef BT_TOKENIZER_ADDED_TOKENS_H
#define BT_TOKENIZER_ADDED_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "tokenizer/trie.h"

struct bt_added_token {
	struct bt_span content; /* owned by whoever holds the token */
	int32_t id;
	bool lstrip, rstrip; /* the white space beside it belongs to it */
	bool single_word;    /* not as a part of a word */
	bool normalized;     /* looked for in normalised text */
	bool special;        /* left out when decoding, if asked for */
};

/* A set to look for. */
struct bt_added {
	struct bt_trie trie;
	struct bt_added_token *token; /* by the trie's numbers */
	size_t n;
	bool first[256]; /* bytes that tokens begin with */
	int only_first;  /* that byte where there is only one, else -1 */
};

struct bt_added_match {
	const struct bt_added_token *token;
	size_t start, end; /* with the white space that belongs to it */
	size_t resume;     /* where the search goes on */
};

/* Looks for pattern[i], not empty, as token[i]; of equal patterns the first
 * counts. Both are borrowed during the call, the contents stay borrowed. */
int bt_added_init(struct bt_added *a, const struct bt_added_token *token,
                  const struct bt_span *pattern, size_t n,
                  struct bt_error *err) BT_MUST_USE;
void bt_added_clear(struct bt_added *a);

/* Finds the next match in text[0 .. n-1]; *m is zero before the first call and
 * the match before otherwise. False: there is none. */
bool bt_added_next(const struct bt_added *a, const uint8_t *text, size_t n,
                   struct bt_added_match *m);

#endif
