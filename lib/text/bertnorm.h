/* SPDX-License-Identifier: MIT */
/*
 * BERT's normalisation of text: clean it, set ideographs apart, strip accents,
 * make it lower case; and the kinds of characters by which the result is cut
 * into words. What happens to a character is looked up in a table over all of
 * Unicode that is made once from the settings (about 300 kB, 2 ms); bytes
 * below 0x80 take a shorter way, eight at a time. Immutable once made, shared
 * by threads.
 */
#ifndef BT_TEXT_BERTNORM_H
#define BT_TEXT_BERTNORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/utf8.h"
#include "unicode/bert_char_class.h"
#include "unicode/offset_text.h"

struct bt_bertnorm_opts {
	enum bt_char_dialect school;
	bool clean; /* drop control characters, make white space a space */
	bool cjk;   /* put spaces around ideographs */
	bool strip; /* decompose and drop accents */
	bool lower;
};

#define BT_BERTNORM_PAGE 128

/* Only bertnorm.c and the inline functions below look inside. */
struct bt_bertnorm {
	uint8_t ascii[256]; /* the byte it becomes, or a code of bertnorm.c */
	uint8_t kind[128];
	bool ascii_lower; /* ascii[' '] to ascii['~'] are these, in lower case;
	                   * else as they are */
	uint16_t page[0x110000 / BT_BERTNORM_PAGE];
	uint32_t *entry; /* [pages][BT_BERTNORM_PAGE] */
	uint8_t *pool;   /* replacements: a length and its bytes, one by one */
	struct bt_bertnorm_opts opts;
};

int bt_bertnorm_new(const struct bt_bertnorm_opts *opts,
                    struct bt_bertnorm **norm,
                    struct bt_error *err) BT_MUST_USE;
void bt_bertnorm_free(struct bt_bertnorm *norm);

/* Normalises raw[from .. to-1], valid UTF-8, into out, whose memory is reused.
 * Returns 0 or BT_ENOMEM. */
int bt_bertnorm_run(const struct bt_bertnorm *norm, const uint8_t *raw,
                    size_t from, size_t to,
                    struct bt_offset_text *out) BT_MUST_USE;

static inline uint32_t bt_bertnorm_entry(const struct bt_bertnorm *norm,
                                         uint32_t c)
{
	return norm->entry[(size_t)norm->page[c / BT_BERTNORM_PAGE] *
	                       BT_BERTNORM_PAGE +
	                   c % BT_BERTNORM_PAGE];
}

/* The kind of the character at p of normalised text; *len is its length. */
static inline enum bt_char_kind bt_bertnorm_kind(const struct bt_bertnorm *norm,
                                                 const uint8_t *p,
                                                 unsigned *len)
{
	*len = bt_utf8_len(*p);
	if (*p < 0x80)
		return (enum bt_char_kind)norm->kind[*p];
	return (enum bt_char_kind)(bt_bertnorm_entry(norm, bt_utf8_get(p)) & 3);
}

#endif
