/* SPDX-License-Identifier: MIT */
#include "pretrain/python_random_int.h"

#include <string.h>

void bt_python_random_init(struct bt_mt19937 *t, int64_t seed)
{
	uint64_t v = seed < 0 ? 0 - (uint64_t)seed : (uint64_t)seed;
	uint32_t word[2] = {(uint32_t)v, (uint32_t)(v >> 32)};

	bt_mt19937_init_words(t, word, word[1] != 0 ? 2 : 1);
}

double bt_python_random_real(struct bt_mt19937 *t)
{
	uint32_t high = bt_mt19937_draw(t) >> 5, low = bt_mt19937_draw(t) >> 6;

	return (high * 67108864.0 + low) / 9007199254740992.0;
}

uint32_t bt_python_random_below(struct bt_mt19937 *t, uint32_t n)
{
	unsigned bits = 0;
	uint32_t v;

	while (n >> bits > 1)
		bits++;
	bits++;
	do
		v = bt_mt19937_draw(t) >> (32 - bits);
	while (v >= n);
	return v;
}

void bt_python_random_shuffle(struct bt_mt19937 *t, void *v, uint32_t n,
                              size_t size)
{
	char *p = v, swap[16];
	uint32_t i, j;

	for (i = n; i-- > 1;) {
		j = bt_python_random_below(t, i + 1);
		memcpy(swap, p + i * size, size);
		memmove(p + i * size, p + j * size, size);
		memcpy(p + j * size, swap, size);
	}
}
