/* SPDX-License-Identifier: MIT */
/*
 * What BERT's tokenizers take a character for. There are two schools. Google's
 * code asks the Unicode tables of the machine it runs on; so do we, through
 * libutf8proc. Hugging Face's fast tokenizers have tables of several ages built
 * in (table_bert_class.c), and so the ids of a text never depend on the
 * library's version: marks and punctuation younger than Unicode 8.0 are letters
 * there.
 */
#ifndef BT_UNICODE_BERT_CHAR_CLASS_H
#define BT_UNICODE_BERT_CHAR_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bt_char_dialect { BT_CHAR_DIALECT_HF, BT_CHAR_DIALECT_GOOGLE };

enum bt_char_kind {
	BT_CHAR_WORD,
	BT_CHAR_PUNCT, /* a word of its own */
	BT_CHAR_WHITE  /* between words */
};

/* Properties, as bits. */
enum bt_char_is {
	BT_CHAR_IS_CONTROL = 1, /* removed when text is cleaned */
	BT_CHAR_IS_PUNCT = 2,
	BT_CHAR_IS_MARK = 4, /* removed when accents are stripped */
	BT_CHAR_IS_WHITE = 8,
	BT_CHAR_IS_BLANK = 16, /* becomes a space when text is cleaned */
	BT_CHAR_IS_CJK = 32    /* a word of its own where CJK is split */
};

struct bt_range {
	uint32_t first, last;
};

/* Whether c is in one of n ranges, which are in order. */
bool bt_range_has(const struct bt_range *r, size_t n, uint32_t c);

struct bt_shift {
	uint32_t first, last;
	int32_t by;
};

extern const struct bt_range bt_hf_dropped[], bt_hf_punct[], bt_hf_marks[],
    bt_hf_whole[], bt_hf_words[];
extern const size_t bt_hf_dropped_n, bt_hf_punct_n, bt_hf_marks_n,
    bt_hf_whole_n, bt_hf_words_n;
extern const struct bt_shift bt_hf_lower[], bt_hf_classes[];
extern const size_t bt_hf_lower_n, bt_hf_classes_n;

/* The properties of n characters from first on: sums of enum bt_char_is. */
void bt_char_props(enum bt_char_dialect school, uint32_t first, size_t n,
                   uint8_t *props);

static inline bool bt_char_is_white(enum bt_char_dialect dialect, uint32_t c)
{
	uint8_t props;

	bt_char_props(dialect, c, 1, &props);
	return (props & BT_CHAR_IS_WHITE) != 0;
}

/* Canonical combining class of what accents stripped leave; 0 of most. */
unsigned bt_char_class(enum bt_char_dialect school, uint32_t c);

/* Most that bt_char_lower and bt_char_decompose write. */
#define BT_CHAR_LOWER_MAX 2
#define BT_CHAR_DECOMPOSE_MAX 8

/* Full lower case without context; returns the number of characters. */
int bt_char_lower(enum bt_char_dialect school, uint32_t c,
                  uint32_t out[BT_CHAR_LOWER_MAX]);

/* Full canonical decomposition (NFD); returns the number of characters. */
int bt_char_decompose(enum bt_char_dialect school, uint32_t c,
                      uint32_t out[BT_CHAR_DECOMPOSE_MAX]);

/*
 * Sets plain[i] for those of n characters from first on of which it is known at
 * a glance that they are their own lower case and decomposition and of class 0,
 * which most are.
 */
void bt_char_plain(enum bt_char_dialect school, uint32_t first, size_t n,
                   bool *plain);

/* Part of a word in the sense of \w in Hugging Face's regular expressions:
 * letters, marks, decimal digits, connectors. */
bool bt_char_is_word(uint32_t c);

/* For the rule of the final sigma: has case; is passed over when looking for a
 * neighbour that has. */
bool bt_char_is_cased(uint32_t c);
bool bt_char_is_case_ignorable(uint32_t c);

#endif
