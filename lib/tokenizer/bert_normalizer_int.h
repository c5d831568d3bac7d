/* SPDX-License-Identifier: MIT */
/*
 * An entry of the table: bits 0-1 the kind of the character itself, bits 2-4
 * what becomes of it, bit 5 it is padded with spaces, bit 6 it leaves a
 * character that canonical ordering may move, bits 8-31 where in the pool its
 * replacement stands.
 */
#ifndef BT_TOKENIZER_BERT_NORMALIZER_INT_H
#define BT_TOKENIZER_BERT_NORMALIZER_INT_H

#include "tokenizer/bert_normalizer.h"

enum bt_bert_action {
	BT_ACT_SAME = 0 << 2,
	BT_ACT_DROP = 1 << 2,
	BT_ACT_SPACE = 2 << 2,
	BT_ACT_REPLACE = 3 << 2,
	BT_ACT_MARK = 4 << 2, /* dropped, but canonical ordering stops at it */
	BT_ACT_SIGMA = 5 << 2 /* replaced depending on its neighbours */
};
#define BT_ACT_MASK (7u << 2)
#define BT_ACT_PAD (1u << 5)
#define BT_ACT_MOVES (1u << 6)
#define BT_ACT_POOL 8 /* bits to shift */

/* Codes in ascii[]; no normalised byte has these values. */
#define BT_ASCII_DROP 0xff
#define BT_ASCII_NONE 0xfe

/* Characters that one becomes, at most, and their bytes with padding. */
#define BT_NORM_MOST (BT_CHAR_DECOMPOSE_MAX * BT_CHAR_LOWER_MAX)
#define BT_NORM_MOST_BYTES (BT_NORM_MOST * 4 + 2)

#define BT_FINAL_SIGMA 0x3c2u

/* Sets src of out->text[at .. n-1], which came of the characters from raw text
 * p to end, some of them moved; from is where the text begins. Returns 0 or
 * BT_ENOMEM. */
int bt_bert_normalizer_place(const struct bt_bert_normalizer *m,
                             const uint8_t *raw, const uint8_t *from,
                             const uint8_t *p, const uint8_t *end,
                             struct bt_offset_text *out, size_t at) BT_MUST_USE;

#endif
