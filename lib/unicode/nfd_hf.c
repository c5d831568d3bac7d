/* SPDX-License-Identifier: MIT */
#include "unicode/nfd_hf.h"

#include <utf8proc.h>

static bool in(const struct bt_range *r, size_t n, uint32_t c)
{
	size_t low = 0, high = n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (c > r[mid].last)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && c >= r[low].first;
}

int bt_char_compat(uint32_t c, uint32_t out[BT_CHAR_COMPAT_MAX])
{
	utf8proc_int32_t to[BT_CHAR_COMPAT_MAX];
	utf8proc_ssize_t n, i;

	out[0] = c;
	if (c < 0xa0 || in(bt_hf_compat_whole, bt_hf_compat_whole_n, c))
		return 1;
	n = utf8proc_decompose_char((utf8proc_int32_t)c, to, BT_CHAR_COMPAT_MAX,
	                            UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, NULL);
	if (n < 1 || n > BT_CHAR_COMPAT_MAX)
		return 1; /* the longest one of Unicode has eighteen */
	for (i = 0; i < n; i++)
		out[i] = (uint32_t)to[i];
	return (int)n;
}

unsigned bt_char_order(uint32_t c)
{
	if (c < 0x300 || in(bt_hf_classless, bt_hf_classless_n, c))
		return 0;
	return (unsigned)utf8proc_get_property((utf8proc_int32_t)c)
	    ->combining_class;
}

bool bt_char_is_accent(uint32_t c)
{
	return c >= 0x300 && in(bt_hf_accents, bt_hf_accents_n, c);
}
