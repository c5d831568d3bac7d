/* SPDX-License-Identifier: MIT */
/* Eight bytes of text at a time. What is found of a byte is its top bit. */
#ifndef BT_UNICODE_SWAR8_INT_H
#define BT_UNICODE_SWAR8_INT_H

#include <stdbool.h>
#include <stdint.h>

#define BT_SWAR8_ONES 0x0101010101010101u
#define BT_SWAR8_TOPS 0x8080808080808080u

/* True if all eight bytes are ' ' to '~'; false for others, and for some of
 * these beside others. */
static inline bool bt_swar8_printable(uint64_t v)
{
	return ((v | (v - BT_SWAR8_ONES * ' ') | (v + BT_SWAR8_ONES)) &
	        BT_SWAR8_TOPS) == 0;
}

/* Of bytes below 0x80, those from first to last. */
static inline uint64_t bt_swar8_in(uint64_t v, uint8_t first, uint8_t last)
{
	return (v + BT_SWAR8_ONES * (0x80u - first)) &
	       ~(v + BT_SWAR8_ONES * (0x7fu - last)) & BT_SWAR8_TOPS;
}

static inline uint64_t bt_swar8_is(uint64_t v, uint8_t c)
{
	return bt_swar8_in(v, c, c);
}

static inline uint64_t bt_swar8_alnum(uint64_t v)
{
	return bt_swar8_in(v | BT_SWAR8_ONES * 0x20, 'a', 'z') |
	       bt_swar8_in(v, '0', '9');
}

/* Makes the capitals among bytes below 0x80 small. */
static inline uint64_t bt_swar8_lower(uint64_t v)
{
	return v | bt_swar8_in(v, 'A', 'Z') >> 2;
}

/* The top bits, that of the first byte lowest. */
static inline uint64_t bt_swar8_bits(uint64_t tops)
{
	/* the product gathers bits 0, 8, ... in its highest byte */
	return (tops >> 7) * 0x0102040810204080u >> 56;
}

#endif
