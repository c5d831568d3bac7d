/* SPDX-License-Identifier: MIT */
#include "task/twister_int.h"

#define WORDS BT_TWISTER_WORDS
#define AHEAD 397

void bt_twister_init(struct bt_twister *t, uint32_t seed)
{
	uint32_t i;

	t->word[0] = seed;
	for (i = 1; i < WORDS; i++)
		t->word[i] =
		    1812433253u * (t->word[i - 1] ^ t->word[i - 1] >> 30) + i;
	t->next = WORDS;
}

uint32_t bt_twister_draw(struct bt_twister *t)
{
	uint32_t y;
	int i;

	for (i = 0; i < WORDS && t->next == WORDS; i++) {
		y = (t->word[i] & 0x80000000u) |
		    (t->word[(i + 1) % WORDS] & 0x7fffffffu);
		t->word[i] = t->word[(i + AHEAD) % WORDS] ^ y >> 1 ^
		             (y & 1 ? 0x9908b0dfu : 0);
	}
	if (t->next == WORDS)
		t->next = 0;
	y = t->word[t->next++];
	y ^= y >> 11;
	y ^= y << 7 & 0x9d2c5680u;
	y ^= y << 15 & 0xefc60000u;
	return y ^ y >> 18;
}

/* 0 .. max, as numpy's random_interval: by masking and drawing again. */
static uint32_t below(struct bt_twister *t, uint32_t max)
{
	uint32_t mask = max, v;

	mask |= mask >> 1;
	mask |= mask >> 2;
	mask |= mask >> 4;
	mask |= mask >> 8;
	mask |= mask >> 16;
	do
		v = bt_twister_draw(t) & mask;
	while (v > max);
	return v;
}

void bt_twister_shuffle(struct bt_twister *t, uint32_t *v, uint32_t n)
{
	uint32_t i, j, swap;

	for (i = n; i-- > 1;) {
		j = below(t, i);
		swap = v[i];
		v[i] = v[j];
		v[j] = swap;
	}
}
