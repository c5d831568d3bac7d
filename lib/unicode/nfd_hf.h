/* SPDX-License-Identifier: MIT */
/* What Hugging Face's fast tokenizers take characters for when they decompose
 * text: Unicode 9.0, whatever libutf8proc knows (table_nfd.c). */
#ifndef BT_UNICODE_NFD_HF_H
#define BT_UNICODE_NFD_HF_H

#include <stdbool.h>
#include <stdint.h>

#include "unicode/bert_char_class.h"

extern const struct bt_range bt_hf_compat_whole[], bt_hf_classless[],
    bt_hf_accents[];
extern const size_t bt_hf_compat_whole_n, bt_hf_classless_n, bt_hf_accents_n;

#define BT_CHAR_COMPAT_MAX 18

/* Full compatibility decomposition (NFKD); returns the number of characters. */
int bt_char_compat(uint32_t c, uint32_t out[BT_CHAR_COMPAT_MAX]);

/* Canonical combining class. */
unsigned bt_char_order(uint32_t c);

/* A mark of any kind, spacing or not. */
bool bt_char_is_accent(uint32_t c);

#endif
