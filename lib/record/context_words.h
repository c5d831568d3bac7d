/* SPDX-License-Identifier: MIT */
/* The words of a context as BERT's run_squad divides it: at blanks, tabs, ends
 * of lines and U+202F, at no other white space. */
#ifndef BT_RECORD_CONTEXT_WORDS_H
#define BT_RECORD_CONTEXT_WORDS_H

#include "base/err.h"
#include "base/span.h"

struct bt_context_words {
	struct bt_span *word; /* [n] */
	size_t n, cap;
};

/* Finds the words of UTF-8, which they are borrowed from. */
int bt_context_words_read(struct bt_context_words *w, struct bt_span context,
                          struct bt_error *err) BT_MUST_USE;
void bt_context_words_clear(struct bt_context_words *w);

/* The word that the character at p in the context is in, or that ends before
 * it; -1 before the first. */
long bt_context_words_at(const struct bt_context_words *w, const char *p);

#endif
