/* SPDX-License-Identifier: MIT */
/*
 * The map of characters that SentencePiece compiles its normalisation rules
 * into ("precompiled_charsmap"): a trie of what is replaced, as a double array
 * in the layout of Darts-clone, and a pool of what takes its place. Immutable
 * once made, shared by threads.
 *
 * The two programs that use it do not agree. SentencePiece replaces the longest
 * key at each place. Hugging Face's fast tokenizers ask for each grapheme
 * cluster of fewer than six bytes whether a key begins it; the shortest such
 * key's replacement takes the place of the whole cluster. Where there is none,
 * and in longer clusters, each character is asked about alone.
 */
#ifndef BT_TOKENIZER_PRECOMPILED_CHARSMAP_H
#define BT_TOKENIZER_PRECOMPILED_CHARSMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "unicode/grapheme.h"
#include "unicode/offset_text.h"

/* Zero is the empty map; read only outside precompiled_charsmap.c. */
struct bt_charsmap {
	uint32_t *unit;
	size_t units;
	char *pool; /* [pool_n], UTF-8, a NUL behind it */
	size_t pool_n;
	bool ascii[128]; /* characters that a key begins with */
	struct bt_graphemes graphemes;
};

/* Copies the map from the n bytes at data. */
int bt_charsmap_init(struct bt_charsmap *m, const void *data, size_t n,
                     struct bt_error *err) BT_MUST_USE;
void bt_charsmap_clear(struct bt_charsmap *m);

/*
 * Normalises text[from .. to-1], valid UTF-8, into out as the fast tokenizers
 * do. Returns 0, BT_NORMALIZER_SAME with out as it was if nothing is to be
 * changed, or BT_ENOMEM.
 */
int bt_charsmap_run(const struct bt_charsmap *m, const uint8_t *text,
                    size_t from, size_t to,
                    struct bt_offset_text *out) BT_MUST_USE;

/* The same as SentencePiece does. */
int bt_charsmap_run_longest(const struct bt_charsmap *m, const uint8_t *text,
                            size_t from, size_t to,
                            struct bt_offset_text *out) BT_MUST_USE;

#endif
