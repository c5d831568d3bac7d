/* SPDX-License-Identifier: MIT */
/*
 * Encoding a text: added tokens are found, the text between them is normalized,
 * split into words, and the model turns each word into tokens.
 */
#ifndef BT_TOKENIZER_ENCODE_H
#define BT_TOKENIZER_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "tokenizer/tokenizer_parts.h"

/* What a thread encodes with. */
struct bt_tok_buffers {
	struct bt_offset_text
	    norm[2]; /* before and after a normalizer, in turns */
	struct bt_offset_text word[BT_TOK_STEPS]; /* pre-tokenizers' own */
	void *work;                               /* the model's */
};
void bt_tok_buffers_clear(struct bt_tok_buffers *b); /* but for work */

/* True, once, if what failed took too many steps: see bt_encode_run_too_hard.
 */
bool bt_tok_buffers_hard(struct bt_tok_buffers *b);
#define BT_TOK_TOO_HARD "a regular expression of the tokenizer takes too long"

/* The pieces of a text, valid UTF-8, with offsets; else their ids alone.
 * Returns 0 or BT_ENOMEM. */
int bt_tok_run(const struct bt_tok *t, struct bt_tok_buffers *b,
               struct bt_span text, bool offsets,
               struct bt_pieces *out) BT_MUST_USE;

/* Takes the spaces of its token away from where a piece of a text stands, as
 * t->trim says; first: it is the text's first. */
void bt_tok_trim(const struct bt_tok *t, struct bt_span text,
                 struct bt_piece *p, bool first);

/* Puts v->text[*from .. *to-1] through all normalizers; v, *from and *to are
 * then the result. Returns 0 or BT_ENOMEM. */
int bt_tok_normalize(const struct bt_tok *t, struct bt_tok_buffers *b,
                     struct bt_text_view *v, size_t *from, size_t *to,
                     bool offsets) BT_MUST_USE;

#endif
