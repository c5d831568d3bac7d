/* SPDX-License-Identifier: MIT */
#ifndef BT_TEXT_SUBWORDS_INT_H
#define BT_TEXT_SUBWORDS_INT_H

#include "text/subwords.h"

/* Stands where a character is not in the alphabet. */
#define BT_SYMBOL_NONE UINT32_MAX

/* A word as tokens: symbol[at .. at+n-1]. */
struct bt_sub_word {
	size_t at, n;
	uint64_t count;
	size_t merged; /* the last merge that changed it */
};

/* What training works on. */
struct bt_subtrain {
	const struct bt_subword_opts *opts;
	struct bt_subwords *out;
	struct bt_sub_word *word;
	size_t words;
	uint32_t *symbol;
	uint32_t *slot; /* [slots] tokens by hash: 1 + id, 0: none */
	size_t slots;
};

/* The id of the token that is a and b together; a new one if there is none.
 * Returns 0 or BT_ENOMEM. */
int bt_sub_intern(struct bt_subtrain *t, struct bt_span a, struct bt_span b,
                  uint32_t *id) BT_MUST_USE;

/* Merges pairs until out is full. */
int bt_sub_merge(struct bt_subtrain *t) BT_MUST_USE;

#endif
