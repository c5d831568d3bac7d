/* SPDX-License-Identifier: MIT */
#include "base/mt19937.h"

#define WORDS BT_MT19937_WORDS
#define AHEAD 397

void bt_mt19937_init(struct bt_mt19937 *t, uint32_t seed)
{
	uint32_t i;

	t->word[0] = seed;
	for (i = 1; i < WORDS; i++)
		t->word[i] =
		    1812433253u * (t->word[i - 1] ^ t->word[i - 1] >> 30) + i;
	t->next = WORDS;
}

/* Steps to the next word of the state: behind the last, whose value the first
 * one takes, comes the second. */
static uint32_t step(struct bt_mt19937 *t, uint32_t i)
{
	if (i + 1 < WORDS)
		return i + 1;
	t->word[0] = t->word[WORDS - 1];
	return 1;
}

void bt_mt19937_init_words(struct bt_mt19937 *t, const uint32_t *word, size_t n)
{
	size_t k, j = 0, rounds = n > WORDS ? n : WORDS;
	uint32_t i = 1, last;

	bt_mt19937_init(t, 19650218u);
	for (k = 0; k < rounds; k++, j = (j + 1) % n) {
		last = t->word[i - 1];
		t->word[i] = (t->word[i] ^ (last ^ last >> 30) * 1664525u) +
		             word[j] + (uint32_t)j;
		i = step(t, i);
	}
	for (k = 1; k < WORDS; k++) {
		last = t->word[i - 1];
		t->word[i] =
		    (t->word[i] ^ (last ^ last >> 30) * 1566083941u) - i;
		i = step(t, i);
	}
	t->word[0] = 0x80000000u;
}

uint32_t bt_mt19937_draw(struct bt_mt19937 *t)
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
