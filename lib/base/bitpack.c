/* SPDX-License-Identifier: MIT */
#include "base/bitpack.h"

#include <stdlib.h>

#include "base/mem.h"

static unsigned shift_for(uint32_t max)
{
	unsigned shift = 0;

	while (shift < 5 && max >> (1u << shift) != 0)
		shift++;
	return shift;
}

/* Words of n numbers. */
static size_t words(size_t n, unsigned shift)
{
	size_t each = (size_t)64 >> shift;

	return n / each + (n % each != 0);
}

int bt_bitpack_init(struct bt_bitpack *p, size_t n, uint32_t max)
{
	p->shift = shift_for(max);
	p->n = n;
	p->cap = words(n, p->shift);
	p->word = bt_array0(p->cap, sizeof(*p->word));
	return p->word != NULL ? BT_OK : BT_ENOMEM;
}

void bt_bitpack_clear(struct bt_bitpack *p)
{
	free(p->word);
	p->word = NULL;
	p->n = p->cap = 0;
	p->shift = 0;
}

/* The same numbers with more bits each. */
static int widen(struct bt_bitpack *p, uint32_t max)
{
	struct bt_bitpack wide;
	size_t i;

	if (bt_bitpack_init(&wide, p->n, max) != BT_OK)
		return BT_ENOMEM;
	for (i = 0; i < p->n; i++)
		bt_bitpack_set(&wide, i, bt_bitpack_get(p, i));
	free(p->word);
	*p = wide;
	return BT_OK;
}

int bt_bitpack_add(struct bt_bitpack *p, uint32_t v)
{
	if ((shift_for(v) > p->shift && widen(p, v) != BT_OK) ||
	    bt_grow(&p->word, &p->cap, words(p->n + 1, p->shift),
	            sizeof(*p->word)) != BT_OK)
		return BT_ENOMEM;
	if ((p->n << p->shift & 63) == 0)
		p->word[p->n >> (6 - p->shift)] = 0;
	bt_bitpack_set(p, p->n++, v);
	return BT_OK;
}
