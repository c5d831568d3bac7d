/* SPDX-License-Identifier: MIT */
/*
 * An array of small numbers, each in so many bits as the greatest needs, which
 * are 1, 2, 4, 8, 16 or 32.
 */
#ifndef BT_BASE_BITPACK_H
#define BT_BASE_BITPACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct bt_bitpack {
	uint64_t *word;
	size_t n;       /* numbers */
	size_t cap;     /* words */
	unsigned shift; /* a number has 2^shift bits */
};

#define BT_BITPACK_INIT                                                        \
	{                                                                      \
		NULL, 0, 0, 0                                                  \
	}

/* n zeros, none of which is to become greater than max. Returns 0 or
 * BT_ENOMEM, when there is nothing to clear. */
int bt_bitpack_init(struct bt_bitpack *p, size_t n, uint32_t max) BT_MUST_USE;

/* Frees the numbers; the array is empty and usable afterwards. */
void bt_bitpack_clear(struct bt_bitpack *p);

/* Appends any number. Returns 0 or BT_ENOMEM, nothing changed. */
int bt_bitpack_add(struct bt_bitpack *p, uint32_t v) BT_MUST_USE;

static inline uint32_t bt_bitpack_get(const struct bt_bitpack *p, size_t i)
{
	uint64_t mask = (UINT64_C(1) << (1u << p->shift)) - 1;

	return (uint32_t)(p->word[i >> (6 - p->shift)] >> (i << p->shift & 63) &
	                  mask);
}

/* v fits. */
static inline void bt_bitpack_set(struct bt_bitpack *p, size_t i, uint32_t v)
{
	uint64_t mask = (UINT64_C(1) << (1u << p->shift)) - 1;
	uint64_t *w = &p->word[i >> (6 - p->shift)];
	unsigned at = (unsigned)(i << p->shift & 63);

	*w = (*w & ~(mask << at)) | (uint64_t)v << at;
}

#endif
