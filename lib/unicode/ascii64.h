/* SPDX-License-Identifier: MIT */
/* Up to 64 bytes of text at a time, as sets of bits. */
#ifndef BT_UNICODE_ASCII64_H
#define BT_UNICODE_ASCII64_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "unicode/simd16.h"

/* The n bytes before the first that is not ' ' to '~', bit i for byte i; those
 * behind them are spaces. */
struct bt_ascii64 {
	uint64_t alnum, digit, space;
	unsigned n;
};

/* Looks at the n bytes from p on, at most 64; so many bytes behind them can be
 * read. */
static inline void bt_ascii64_look(const uint8_t *p, size_t n, size_t beyond,
                                   struct bt_ascii64 *b)
{
	uint64_t odd = 0, alnum = 0, digit = 0, space = 0;
	uint8_t copy[64];
	struct bt_simd16 k;
	unsigned i;

	n = n < 64 ? n : 64;
	if (n + beyond < 64) {
		memset(copy, 0, sizeof(copy));
		memcpy(copy, p, n);
		p = copy;
	}
	for (i = 0; i < 64; i += 16) {
		k = bt_simd16_look(p + i);
		odd |= (uint64_t)k.odd << i;
		alnum |= (uint64_t)k.alnum << i;
		digit |= (uint64_t)k.digit << i;
		space |= (uint64_t)k.space << i;
	}
	if (n < 64)
		odd |= UINT64_MAX << n;
	b->n = odd == 0 ? 64 : (unsigned)__builtin_ctzll(odd);
	if (b->n < 64) {
		alnum &= ~(UINT64_MAX << b->n);
		digit &= alnum;
		space |= UINT64_MAX << b->n;
	}
	b->alnum = alnum;
	b->digit = digit;
	b->space = space;
}

#endif
