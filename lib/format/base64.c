/* SPDX-License-Identifier: MIT */
#include "format/base64.h"

#include <stdint.h>
#include <string.h>

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void bt_base64_put(struct bt_buf *b, const void *data, size_t n)
{
	const uint8_t *p = data;
	uint32_t v;
	char s[4];

	for (; n > 0; p += n < 3 ? n : 3, n -= n < 3 ? n : 3) {
		v = (uint32_t)p[0] << 16;
		if (n > 1)
			v |= (uint32_t)p[1] << 8;
		if (n > 2)
			v |= p[2];
		s[0] = alphabet[v >> 18];
		s[1] = alphabet[v >> 12 & 63];
		s[2] = n > 1 ? alphabet[v >> 6 & 63] : '=';
		s[3] = n > 2 ? alphabet[v & 63] : '=';
		bt_buf_put(b, s, 4);
	}
}

/* Four characters, of which pad are '=', to 24 bits; false if they are none. */
static int group(const char *s, int pad, uint32_t *out)
{
	const char *at;
	uint32_t v = 0;
	int i;

	for (i = 0; i < 4; i++) {
		if (i < 4 - pad)
			at = memchr(alphabet, s[i], 64);
		else
			at = alphabet;
		if (at == NULL)
			return 0;
		v = v << 6 | (uint32_t)(at - alphabet);
	}
	*out = v;
	/* the bits that stand for nothing are zeros */
	return pad == 0 || (v & (pad == 1 ? 0xffu : 0xffffu)) == 0;
}

int bt_base64_get(struct bt_buf *b, const char *s, size_t n)
{
	size_t before = b->len, i;
	uint32_t v;
	char bytes[3];
	int pad = 0;

	if (n % 4 != 0)
		return BT_EFORMAT;
	for (i = 0; i < n; i += 4) {
		if (i + 4 == n && s[i + 3] == '=')
			pad = s[i + 2] == '=' ? 2 : 1;
		if (!group(s + i, pad, &v)) {
			b->len = before;
			return BT_EFORMAT;
		}
		bytes[0] = (char)(v >> 16);
		bytes[1] = (char)(v >> 8);
		bytes[2] = (char)v;
		bt_buf_put(b, bytes, 3 - (size_t)pad);
	}
	return BT_OK;
}
