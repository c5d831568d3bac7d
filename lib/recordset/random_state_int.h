/* SPDX-License-Identifier: MIT */
/*
 * What numpy's RandomState, which scikit-learn draws from, makes of its
 * generator.
 */
#ifndef BT_RECORDSET_RANDOM_STATE_INT_H
#define BT_RECORDSET_RANDOM_STATE_INT_H

#include <stdint.h>

#include "base/bitpack.h"
#include "base/err.h"
#include "base/mt19937.h"

/* Shuffles v[0..n-1] as RandomState.shuffle does. */
void bt_random_state_shuffle(struct bt_mt19937 *t, uint32_t *v, uint32_t n);

/* The same of n numbers from the one at from on. */
void bt_random_state_shuffle_packed(struct bt_mt19937 *t, struct bt_bitpack *p,
                                    size_t from, uint32_t n);

/* Draws what shuffling n numbers draws. */
void bt_random_state_skip(struct bt_mt19937 *t, uint32_t n);

/* Where the numbers would be that stand there now, had they not been shuffled:
 * turns back what bt_random_state_shuffle_packed does with the same generator,
 * which ends up as there. Takes little memory. Returns 0 or BT_ENOMEM. */
int bt_random_state_unshuffle(struct bt_mt19937 *t, struct bt_bitpack *p,
                              size_t from, uint32_t n) BT_MUST_USE;

#endif
