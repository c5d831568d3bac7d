/* SPDX-License-Identifier: MIT */
#include "recordset/random_state_int.h"

#include <stdlib.h>

#include "base/mem.h"

#define BLOCK ((uint32_t)1 << 16) /* exchanges drawn at once */

/* 0 .. max, as numpy's random_interval: by masking and drawing again. */
static uint32_t below(struct bt_mt19937 *t, uint32_t max)
{
	uint32_t mask = max, v;

	mask |= mask >> 1;
	mask |= mask >> 2;
	mask |= mask >> 4;
	mask |= mask >> 8;
	mask |= mask >> 16;
	do
		v = bt_mt19937_draw(t) & mask;
	while (v > max);
	return v;
}

void bt_random_state_shuffle(struct bt_mt19937 *t, uint32_t *v, uint32_t n)
{
	uint32_t i, j, swap;

	for (i = n; i-- > 1;) {
		j = below(t, i);
		swap = v[i];
		v[i] = v[j];
		v[j] = swap;
	}
}

static void exchange(struct bt_bitpack *p, size_t i, size_t j)
{
	uint32_t v = bt_bitpack_get(p, i);

	bt_bitpack_set(p, i, bt_bitpack_get(p, j));
	bt_bitpack_set(p, j, v);
}

void bt_random_state_shuffle_packed(struct bt_mt19937 *t, struct bt_bitpack *p,
                                    size_t from, uint32_t n)
{
	uint32_t i;

	for (i = n; i-- > 1;)
		exchange(p, from + i, from + below(t, i));
}

void bt_random_state_skip(struct bt_mt19937 *t, uint32_t n)
{
	uint32_t i;

	for (i = n; i-- > 1;)
		below(t, i);
}

/*
 * The last exchange is to be turned back first, so all are drawn twice: once to
 * remember the generator as it was before each block of them, then, from the
 * last block to the first, to turn them back. Block b is that of the exchanges
 * of b * BLOCK .. (b + 1) * BLOCK - 1 with a lower number; 0 has none.
 */
int bt_random_state_unshuffle(struct bt_mt19937 *t, struct bt_bitpack *p,
                              size_t from, uint32_t n)
{
	uint32_t blocks = n / BLOCK + 1, b, first, last, i, *with;
	struct bt_mt19937 *before = bt_array(blocks, sizeof(*before)), now;

	if (before == NULL)
		return BT_ENOMEM;
	with = bt_array(BLOCK, sizeof(*with));
	for (b = blocks; b-- > 0;) {
		before[b] = *t;
		last = b < blocks - 1 ? BLOCK : n % BLOCK;
		for (i = last; i-- > (b == 0);)
			below(t, b * BLOCK + i);
	}
	for (b = 0; b < blocks; b++) {
		now = before[b];
		first = b == 0;
		last = b < blocks - 1 ? BLOCK : n % BLOCK;
		for (i = last; i-- > first;)
			with[i] = below(&now, b * BLOCK + i);
		for (i = first; i < last; i++)
			exchange(p, from + b * BLOCK + i, from + with[i]);
	}
	free(before);
	free(with);
	return BT_OK;
}
