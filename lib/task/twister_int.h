/* SPDX-License-Identifier: MIT */
/*
 * The generator of numpy's RandomState, which scikit-learn draws from: MT19937
 * (Matsumoto, Nishimura, "Mersenne Twister", 1998), seeded as RandomState(int)
 * does. Only for results that must be equal to theirs; all else that is random
 * comes from base/philox.h.
 */
#ifndef BT_TASK_TWISTER_INT_H
#define BT_TASK_TWISTER_INT_H

#include <stdint.h>

#define BT_TWISTER_WORDS 624

struct bt_twister {
	uint32_t word[BT_TWISTER_WORDS];
	int next;
};

void bt_twister_init(struct bt_twister *t, uint32_t seed);

/* 32 random bits. */
uint32_t bt_twister_draw(struct bt_twister *t);

/* Shuffles v[0..n-1] as RandomState.shuffle does. */
void bt_twister_shuffle(struct bt_twister *t, uint32_t *v, uint32_t n);

#endif
