/* SPDX-License-Identifier: MIT */
/*
 * The text of an answer as BERT's run_squad finds it: tokens have lost case and
 * accents, and the words that they are of may have characters that are not the
 * answer's. So the tokens, joined, are looked for in the words as BERT
 * normalizes and splits them, and what stands there is the answer; where they
 * are not found, or characters cannot be matched, it is all of the words.
 */
#ifndef BT_PREDICT_FINAL_TEXT_H
#define BT_PREDICT_FINAL_TEXT_H

#include "base/buf.h"
#include "base/span.h"
#include "tokenizer/tokenizer.h"

struct bt_final_text {
	const struct bt_tok *tok; /* borrowed */
	struct bt_tok_scratch *scratch;
	struct bt_buf joined, said; /* the tokens */
	struct bt_buf split;        /* the words as BERT splits them */
};

/* BT_EARG where the tokenizer is not BERT's. */
int bt_final_text_init(struct bt_final_text *f, const struct bt_tok *tok,
                       struct bt_error *err) BT_MUST_USE;
void bt_final_text_clear(struct bt_final_text *f);

/* Sets *out to the part of words, which is UTF-8 with a blank between words,
 * that the n tokens are. */
int bt_final_text_find(struct bt_final_text *f, const int32_t *ids, size_t n,
                       struct bt_span words, struct bt_span *out,
                       struct bt_error *err) BT_MUST_USE;

#endif
