/* SPDX-License-Identifier: MIT */
/*
 * The generator of numpy's RandomState, which scikit-learn draws from: MT19937
 * (Matsumoto, Nishimura, "Mersenne Twister", 1998), seeded as RandomState(int)
 * does. Only for results that must be equal to theirs; all else that is random
 * comes from base/philox.h.
 */
#ifndef BT_RECORDSET_MT19937_INT_H
#define BT_RECORDSET_MT19937_INT_H

#include <stdint.h>

#include "base/bitpack.h"
#include "base/err.h"

#define BT_MT19937_WORDS 624

struct bt_mt19937 {
	uint32_t word[BT_MT19937_WORDS];
	int next;
};

void bt_mt19937_init(struct bt_mt19937 *t, uint32_t seed);

/* 32 random bits. */
uint32_t bt_mt19937_draw(struct bt_mt19937 *t);

/* Shuffles v[0..n-1] as RandomState.shuffle does. */
void bt_mt19937_shuffle(struct bt_mt19937 *t, uint32_t *v, uint32_t n);

/* The same of n numbers from the one at from on. */
void bt_mt19937_shuffle_packed(struct bt_mt19937 *t, struct bt_bitpack *p,
                               size_t from, uint32_t n);

/* Draws what shuffling n numbers draws. */
void bt_mt19937_skip(struct bt_mt19937 *t, uint32_t n);

/* Where the numbers would be that stand there now, had they not been shuffled:
 * turns back what bt_mt19937_shuffle_packed does with the same generator, which
 * ends up as there. Takes little memory. Returns 0 or BT_ENOMEM. */
int bt_mt19937_unshuffle(struct bt_mt19937 *t, struct bt_bitpack *p,
                         size_t from, uint32_t n) BT_MUST_USE;

#endif
