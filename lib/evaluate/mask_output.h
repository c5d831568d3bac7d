/* SPDX-License-Identifier: MIT */
/*
 * What a model tells of the masks in texts: CSV (id, number of the mask in its
 * text from 0 on, token, probability) or JSON Lines (id; for each mask its
 * likeliest tokens with their probabilities; the text with the first of them in
 * place).
 */
#ifndef BT_EVALUATE_MASK_OUTPUT_H
#define BT_EVALUATE_MASK_OUTPUT_H

#include "finetune/dataset.h"
#include "io/out.h"
#include "tokenizer/tokenizer.h"

struct bt_mask_output;

struct bt_mask_output_opts {
	bool json;
	size_t top;   /* tokens for each mask */
	size_t width; /* logits of a mask */
	const struct bt_tok *tok;
};

/* tok and out are borrowed. */
int bt_mask_output_new(const struct bt_mask_output_opts *o, struct bt_out *out,
                       struct bt_mask_output **m,
                       struct bt_error *err) BT_MUST_USE;
void bt_mask_output_free(struct bt_mask_output *m); /* takes NULL */

/* Example k of d, number i of all from 0: logits [masks][width]. BT_EFORMAT,
 * naming the record, where it has no mask. */
int bt_mask_output_add(struct bt_mask_output *m, uint64_t i,
                       const struct bt_dataset *d, size_t k,
                       const float *logits, struct bt_error *err) BT_MUST_USE;

#endif
