/* SPDX-License-Identifier: MIT */
#include "io/utf16_int.h"

static size_t put(uint8_t *dst, unsigned c)
{
	if (c < 0x80) {
		dst[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		dst[0] = (uint8_t)(0xC0 | c >> 6);
		dst[1] = (uint8_t)(0x80 | (c & 0x3F));
		return 2;
	}
	if (c < 0x10000) {
		dst[0] = (uint8_t)(0xE0 | c >> 12);
		dst[1] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
		dst[2] = (uint8_t)(0x80 | (c & 0x3F));
		return 3;
	}
	dst[0] = (uint8_t)(0xF0 | c >> 18);
	dst[1] = (uint8_t)(0x80 | (c >> 12 & 0x3F));
	dst[2] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
	dst[3] = (uint8_t)(0x80 | (c & 0x3F));
	return 4;
}

size_t bt_utf16_decode(struct bt_utf16_rest *u, const uint8_t *p, size_t n,
                       uint8_t *dst)
{
	size_t i, len = 0;
	unsigned c;

	for (i = 0; i < n; i++) {
		u->odd = !u->odd;
		if (u->odd) {
			u->byte = p[i];
			continue;
		}
		c = u->big_endian ? (unsigned)u->byte << 8 | p[i]
		                  : (unsigned)p[i] << 8 | u->byte;
		if (u->high != 0 && c >> 10 == 0x37) { /* DC00 to DFFF */
			c = 0x10000 + ((u->high & 0x3FF) << 10 | (c & 0x3FF));
			u->high = 0;
		}
		if (u->high != 0)
			len += put(dst + len, u->high);
		u->high = c >> 10 == 0x36 ? c : 0; /* D800 to DBFF */
		if (u->high == 0)
			len += put(dst + len, c);
	}
	if (n == 0 && u->high != 0) {
		len = put(dst, u->high);
		u->high = 0;
	}
	return len;
}
