/* SPDX-License-Identifier: MIT */
/*
 * Grapheme clusters: what a reader takes for one character, such as a letter
 * with its accents. Cut as Hugging Face's fast tokenizers do (the extended
 * clusters of Unicode Standard Annex 29), whatever Unicode the machine's
 * libraries know. Immutable once made, shared by threads.
 */
#ifndef BT_UNICODE_GRAPHEME_H
#define BT_UNICODE_GRAPHEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define BT_GRAPHEME_PAGE 128

/* Only grapheme.c looks inside. */
struct bt_graphemes {
	uint8_t page[0x110000 / BT_GRAPHEME_PAGE];
	uint8_t (*gc)[BT_GRAPHEME_PAGE]; /* pages that differ */
};

int bt_graphemes_init(struct bt_graphemes *g, struct bt_error *err) BT_MUST_USE;
void bt_graphemes_clear(struct bt_graphemes *g);

/* True if two such characters in a row are two clusters. */
static inline bool bt_grapheme_is_plain(const struct bt_graphemes *g,
                                        uint32_t c)
{
	return g->gc[g->page[c / BT_GRAPHEME_PAGE]][c % BT_GRAPHEME_PAGE] ==
	           0 &&
	       !(c >= 0xac00 && c <= 0xd7a3); /* syllables of Hangul */
}

/* Bytes of the cluster that begins text[at .. end-1], not empty and valid
 * UTF-8. Text before at does not count. */
size_t bt_grapheme_len(const struct bt_graphemes *g, const uint8_t *text,
                       size_t at, size_t end);

#endif
