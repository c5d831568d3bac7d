/* SPDX-License-Identifier: MIT */
/*
 * Which tokens of a text are masked for a model to tell them, and what stands
 * in their place [Devlin et al. 2018, "BERT", 3.1]: of the tokens that are not
 * special (or unknown), n, max(1, round(share n)) are chosen, token by token or
 * by whole words as long as these fit in; 80 % of them become the mask, 10 %
 * another token of the vocabulary that is not special, 10 % stay.
 *
 * The choice is a function of the seed, of a step and of the text's number: not
 * of how texts are divided into batches.
 */
#ifndef BT_FINETUNE_MASKING_H
#define BT_FINETUNE_MASKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct bt_tok;
struct bt_dataset;

struct bt_masking {
	double share;
	bool whole_words;
	uint64_t seed;
	int32_t mask;   /* id of the token that stands for one */
	int32_t tokens; /* of the vocabulary */
	uint8_t *kind;  /* [tokens] */
	/* scratch: first tokens of what is masked as a whole, labels */
	uint32_t *word;
	int32_t *label;
	size_t cap, label_cap;
};

/* The step for texts that are masked once and for all. */
#define BT_MASKING_FIXED UINT32_MAX

/* share is in (0, 1). BT_EFORMAT where the tokenizer has no mask or no other
 * token than special ones. Not to be used by two threads at once. */
int bt_masking_init(struct bt_masking *m, const struct bt_tok *tok,
                    double share, bool whole_words, uint64_t seed,
                    struct bt_error *err) BT_MUST_USE;
void bt_masking_clear(struct bt_masking *m); /* zero is cleared */

/* Masks tokens of text `number`, ids [n]: label [n] is the former id of each of
 * them, BT_TOKEN_INSIDE of the others. Returns how many. */
size_t bt_masking_apply(struct bt_masking *m, uint32_t step, uint64_t number,
                        size_t n, int32_t *ids, int32_t *label);

/* How many that will be; and the most of any text of n tokens. */
size_t bt_masking_count(struct bt_masking *m, uint32_t step, uint64_t number,
                        size_t n, const int32_t *ids);
size_t bt_masking_most(const struct bt_masking *m, size_t n);

/* Published: of BERT. */
#define BT_MASKING_SHARE .15

/* Masks all examples that are not, once and for all, each by its number. */
void bt_masking_fix(struct bt_masking *m, struct bt_dataset *d);

/* Whether any example has masks or a token that can be masked. */
bool bt_masking_finds(struct bt_masking *m, const struct bt_dataset *d);

/* The masks that stand in the examples are to be predicted. */
void bt_masking_mark(const struct bt_masking *m, struct bt_dataset *d);

/* Appends to out, for each token of example i of d that is not special, from
 * token *at on, the example with that token masked: at most so many copies. *at
 * becomes the token to go on from, or the number of tokens. */
int bt_masking_each(const struct bt_masking *m, const struct bt_dataset *d,
                    size_t i, size_t *at, size_t most, struct bt_dataset *out,
                    struct bt_error *err) BT_MUST_USE;

#endif
