/* SPDX-License-Identifier: MIT */
/* Which tokens of a sequence are masked, and what stands in their place, as
 * create_pretraining_data.py of Model Garden draws it. */
#ifndef BT_PRETRAIN_MASK_INT_H
#define BT_PRETRAIN_MASK_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mt19937.h"
#include "tokenizer/tokenizer.h"

struct bt_gram {
	uint32_t begin, end; /* tokens begin .. end-1 */
};

struct bt_mask_opts {
	double prob;   /* share of tokens that are masked */
	size_t most;   /* tokens that are, of one sequence */
	bool words;    /* whole words are */
	int ngram;     /* up to so many words in a row; 1 at least */
	size_t tokens; /* of a sequence, at most */
};

struct bt_mask {
	struct bt_mask_opts o;
	struct bt_mt19937 *random; /* borrowed */
	struct bt_mt19937 sizes;   /* of n-grams, where there are several */
	int32_t cls, sep, mask;
	uint32_t vocabulary;
	bool *goes_on;        /* [vocabulary] begins with "##" */
	struct bt_gram *gram; /* [tokens] words, or tokens */
	/* n-grams that are left: list k, from 0 on, has count[k] of k + 1 */
	struct bt_gram *list; /* [ngram][tokens] */
	uint32_t *count;      /* [ngram] */
	double *weight;       /* [ngram] sums of 1 / n */
	struct bt_gram *chosen;
	uint8_t *masked; /* [tokens] */
};

/* m is to be cleared in any case. */
int bt_mask_init(struct bt_mask *m, const struct bt_mask_opts *o,
                 const struct bt_tok *tok, struct bt_mt19937 *random,
                 int64_t seed, struct bt_error *err) BT_MUST_USE;
void bt_mask_clear(struct bt_mask *m);

/* Masks tokens of ids [n]: position and label [o.most] become their places, in
 * order, and what was there. Returns how many. */
size_t bt_mask_apply(struct bt_mask *m, int32_t *ids, size_t n,
                     int32_t *position, int32_t *label);

#endif
