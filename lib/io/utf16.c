/* SPDX-License-Identifier: MIT */
#include "io/utf16_int.h"

#include "base/utf8.h"

size_t bt_utf16_decode(struct bt_utf16_rest *u, const uint8_t *p, size_t n,
                       uint8_t *dst)
{
	size_t i, len = 0;
	uint32_t c;

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
			len += bt_utf8_put(dst + len, u->high);
		u->high = c >> 10 == 0x36 ? c : 0; /* D800 to DBFF */
		if (u->high == 0)
			len += bt_utf8_put(dst + len, c);
	}
	if (n == 0 && u->high != 0) {
		len = bt_utf8_put(dst, u->high);
		u->high = 0;
	}
	return len;
}
