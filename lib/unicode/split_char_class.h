/* SPDX-License-Identifier: MIT */
/* What the byte-level and other tokenizers of Hugging Face take characters for
 * when they cut and compose text (table_split_class.c), whatever libutf8proc
 * knows. */
#ifndef BT_UNICODE_SPLIT_CHAR_CLASS_H
#define BT_UNICODE_SPLIT_CHAR_CLASS_H

#include <stdint.h>

#include "base/err.h"
#include "unicode/bert_char_class.h"

extern const struct bt_range bt_hf_letters[], bt_hf_numbers[],
    bt_hf_late_numbers[], bt_hf_active[];
extern const size_t bt_hf_letters_n, bt_hf_numbers_n, bt_hf_late_numbers_n,
    bt_hf_active_n;

/* Bits of the table over all of Unicode. */
enum bt_split_is {
	BT_SPLIT_LETTER = 1,
	BT_SPLIT_NUMBER = 2,
	BT_SPLIT_WHITE = 4,
	BT_SPLIT_LATE = 8,   /* a number to the pre-tokenizer Digits only */
	BT_SPLIT_PUNCT = 16, /* to the pre-tokenizers Bert and Punctuation */
	BT_SPLIT_ACTIVE = 32 /* NFC may change it, or what is before it */
};
#define BT_SPLIT_CHARS 0x110000

/* The table, to be freed; NULL when out of memory. */
uint8_t *bt_split_table(void) BT_MUST_USE;

/* What NFC makes of a and the character b behind it; 0: nothing. */
uint32_t bt_char_compose(uint32_t a, uint32_t b);

#endif
