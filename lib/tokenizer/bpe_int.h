/* SPDX-License-Identifier: MIT */
#ifndef BT_TOKENIZER_BPE_INT_H
#define BT_TOKENIZER_BPE_INT_H

#include "tokenizer/bpe.h"
#include "tokenizer/bpe_ranks.h"
#include "tokenizer/word_cache.h"

/*
 * Symbols are tokens under numbers of their own: what merge i makes is base + i
 * (known without a look into memory), where no two merges make the same.
 */
struct bt_bpe {
	struct bt_tok_model part;
	const struct bt_trie *trie;
	struct bt_bpe_ranks pairs; /* of symbols */
	uint32_t base;
	uint32_t *made;          /* [merges] what they make; NULL: as said */
	uint32_t *symbol_of;     /* [tokens] */
	int32_t *token_of;       /* [tokens] of a symbol */
	struct bt_bpe_opts opts; /* with texts of its own */
	uint32_t more;           /* node that the prefix leads to */
	uint8_t byte_text[256][2], byte_len[256]; /* bytes as characters */
	int32_t byte_id[256];                     /* or -1 */
	int32_t fallback[256];                    /* of <0x..>, or -1 */
	bool single; /* a byte is written as such wherever it stands */
	bool quick;  /* each is a symbol, too: words begin as these */
	uint32_t byte_symbol[256];
	uint32_t *byte_merge; /* [first << 8 | second] 1 + merge, or 0 */
};

/* A symbol of a word while it is merged. */
struct bt_bpe_symbol {
	uint32_t id;
	uint32_t len;       /* 0: was merged into the one before */
	int32_t prev, next; /* -1: none */
};

/* A pair that could be merged; the heap has the lowest merge on top, of equal
 * ones the leftmost. */
struct bt_bpe_candidate {
	uint32_t merge;
	int32_t at;
};

/* The symbols of a short word. */
#define BT_BPE_ROW 40
struct bt_bpe_row {
	size_t n;
	uint32_t symbol[BT_BPE_ROW];
	uint32_t end[BT_BPE_ROW];   /* behind each, in the text */
	uint32_t merge[BT_BPE_ROW]; /* with the next, while they are merged */
};

struct bt_bpe_work {
	struct bt_word_cache words;
	struct bt_bpe_symbol *symbol;
	size_t n, symbol_cap;
	struct bt_bpe_candidate *heap;
	size_t chances, heap_cap;
};

/* What merge i makes. */
static inline uint32_t bt_bpe_made(const struct bt_bpe *m, uint32_t i)
{
	return m->made == NULL ? m->base + i : m->made[i];
}

/* bpe_merge.c: a row is looked at, then merged as far as it goes, where the
 * pairs have slots; of a long word w->symbol[0 .. n-1], whose heap has room for
 * 3 n. */
void bt_bpe_look_row(const struct bt_bpe *m, struct bt_bpe_row *r);
void bt_bpe_merge_row(const struct bt_bpe *m, struct bt_bpe_row *r);
void bt_bpe_merge_long(const struct bt_bpe *m, struct bt_bpe_work *w);

/* bpe_encode.c */
int bt_bpe_encode(const struct bt_tok_model *model, void *work,
                  const uint8_t *text, size_t from, size_t to,
                  struct bt_pieces *out);
int bt_bpe_encode_words(const struct bt_tok_model *model, void *work,
                        const uint8_t *text, size_t end,
                        const struct bt_word_range *word, size_t n,
                        struct bt_pieces *out);
int bt_bpe_work_new(const struct bt_tok_model *model, void **work);
void bt_bpe_work_free(void *work);

#endif
