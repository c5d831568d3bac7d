/* SPDX-License-Identifier: MIT */
/*
 * MT19937 (Matsumoto, Nishimura, "Mersenne Twister", 1998), the generator of
 * numpy's RandomState and of Python's random. Only for results that must be
 * equal to those of programs in Python; all else that is random comes from
 * base/philox.h.
 */
#ifndef BT_BASE_MT19937_H
#define BT_BASE_MT19937_H

#include <stddef.h>
#include <stdint.h>

#define BT_MT19937_WORDS 624

struct bt_mt19937 {
	uint32_t word[BT_MT19937_WORDS];
	int next;
};

/* By one number, as numpy's RandomState(int). */
void bt_mt19937_init(struct bt_mt19937 *t, uint32_t seed);

/* By n > 0 of them, as the authors' init_by_array. */
void bt_mt19937_init_words(struct bt_mt19937 *t, const uint32_t *word,
                           size_t n);

/* 32 random bits. */
uint32_t bt_mt19937_draw(struct bt_mt19937 *t);

#endif
