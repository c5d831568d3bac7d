/* SPDX-License-Identifier: MIT */
/*
 * BERT's normalisation of text: clean it, set ideographs apart, strip accents,
 * make it lower case; and the kinds of characters by which the result is cut
 * into words. What happens to a character is looked up in a table over all of
 * Unicode that is made once from the settings (about 300 kB, 2 ms); bytes
 * below 0x80 take a shorter way, eight at a time. Immutable once made, shared
 * by threads.
 */
#ifndef BT_TOKENIZER_BERT_NORMALIZER_H
#define BT_TOKENIZER_BERT_NORMALIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/utf8.h"
#include "unicode/bert_char_class.h"
#include "unicode/offset_text.h"

struct bt_bert_normalizer_opts {
	enum bt_char_dialect school;
	bool clean; /* drop control characters, make white space a space */
	bool cjk;   /* put spaces around ideographs */
	bool strip; /* decompose and drop accents */
	bool lower;
};

#define BT_BERT_NORMALIZER_PAGE 128

/* Only bert_normalizer.c and the inline functions below look inside. */
struct bt_bert_normalizer {
	uint8_t ascii[256]; /* the byte it becomes, or a code of
	                       bert_normalizer.c */
	uint8_t kind[128];
	bool ascii_lower; /* ascii[' '] to ascii['~'] are these, in lower case;
	                   * else as they are */
	uint16_t page[0x110000 / BT_BERT_NORMALIZER_PAGE];
	uint32_t *entry; /* [pages][BT_BERT_NORMALIZER_PAGE] */
	uint8_t *pool;   /* replacements: a length and its bytes, one by one */
	struct bt_bert_normalizer_opts opts;
};

int bt_bert_normalizer_new(const struct bt_bert_normalizer_opts *opts,
                           struct bt_bert_normalizer **norm,
                           struct bt_error *err) BT_MUST_USE;
void bt_bert_normalizer_free(struct bt_bert_normalizer *norm);

/* Normalises raw[from .. to-1], valid UTF-8, into out, whose memory is reused.
 * Returns 0 or BT_ENOMEM. */
int bt_bert_normalizer_run(const struct bt_bert_normalizer *norm,
                           const uint8_t *raw, size_t from, size_t to,
                           struct bt_offset_text *out) BT_MUST_USE;

static inline uint32_t
bt_bert_normalizer_entry(const struct bt_bert_normalizer *norm, uint32_t c)
{
	return norm->entry[(size_t)norm->page[c / BT_BERT_NORMALIZER_PAGE] *
	                       BT_BERT_NORMALIZER_PAGE +
	                   c % BT_BERT_NORMALIZER_PAGE];
}

/* The kind of the character at p of normalised text; *len is its length. */
static inline enum bt_char_kind
bt_bert_normalizer_kind(const struct bt_bert_normalizer *norm, const uint8_t *p,
                        unsigned *len)
{
	*len = bt_utf8_len(*p);
	if (*p < 0x80)
		return (enum bt_char_kind)norm->kind[*p];
	return (enum bt_char_kind)(
	    bt_bert_normalizer_entry(norm, bt_utf8_get(p)) & 3);
}

#endif
