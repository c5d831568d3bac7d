/* SPDX-License-Identifier: MIT */
/* Numbers of as many bytes as they need: seven bits in each, the lowest first,
 * the eighth set where another byte follows. */
#ifndef BT_VOCAB_TRAIN_VARINT_INT_H
#define BT_VOCAB_TRAIN_VARINT_INT_H

#include <stddef.h>
#include <stdint.h>

#define BT_VARINT_MAX 10 /* bytes */

static inline size_t bt_varint_size(uint64_t v)
{
	size_t n = 1;

	for (; v >= 0x80; v >>= 7)
		n++;
	return n;
}

/* Returns what follows it. */
static inline uint8_t *bt_varint_put(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

/* Of one that bt_varint_put wrote. */
static inline const uint8_t *bt_varint_get(const uint8_t *p, uint64_t *v)
{
	uint64_t got = *p & 0x7f;
	int shift = 7;

	for (; *p++ >= 0x80; shift += 7)
		got |= (uint64_t)(*p & 0x7f) << shift;
	*v = got;
	return p;
}

#endif
