/* SPDX-License-Identifier: MIT */
/* Sequences of two segments out of documents, as create_pretraining_data.py
 * makes them: the second one follows the first, or is of another document. */
#ifndef BT_PRETRAIN_PAIRS_INT_H
#define BT_PRETRAIN_PAIRS_INT_H

#include "pretrain/documents_int.h"
#include "pretrain/mask_int.h"

struct bt_pair {
	uint32_t n;      /* tokens */
	uint32_t second; /* where the second segment begins */
	uint32_t masks;
	uint32_t random; /* 1: the second does not follow the first; or 0 */
	int32_t *id;     /* [n] */
	int32_t *position, *label; /* [masks] */
};

struct bt_pairs {
	struct bt_documents *d; /* borrowed, as what follows */
	struct bt_mt19937 *random;
	struct bt_mask *mask;
	size_t tokens; /* of a sequence, at most: 5 at least */
	double short_prob;
	struct bt_pair pair; /* with room */

	int (*take)(void *ctx, const struct bt_pair *p, struct bt_error *err);
	void *ctx;
};

/* Hands the sequences of document number `at` on, one after the other. */
int bt_pairs_make(struct bt_pairs *p, uint32_t at,
                  struct bt_error *err) BT_MUST_USE;

#endif
