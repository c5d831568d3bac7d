/* SPDX-License-Identifier: MIT */
/* Text that was normalised, and where it comes from. */
#ifndef BT_UNICODE_OFFSET_TEXT_H
#define BT_UNICODE_OFFSET_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Zero is empty; clear frees the memory. */
struct bt_offset_text {
	uint8_t *text; /* [n] */
	uint32_t *src; /* [n] for each byte, where in the text before the
	                * character that it comes from begins; NULL unless
	                * want_src was set */
	size_t n, cap;
	bool want_src;
	bool ordered; /* src never goes down; false where nobody looked */
	bool hard;    /* a regular expression took too many steps */
};

/* Makes room for more bytes behind the n that there are. */
int bt_offset_text_room(struct bt_offset_text *out, size_t more) BT_MUST_USE;

/* Appends n bytes, for which there is room, that come from the character at
 * src. */
static inline void bt_offset_text_put(struct bt_offset_text *out,
                                      const uint8_t *s, size_t n, size_t src)
{
	size_t i;

	for (i = 0; i < n; i++)
		out->text[out->n + i] = s[i];
	if (out->want_src)
		for (i = 0; i < n; i++)
			out->src[out->n + i] = (uint32_t)src;
	out->n += n;
}

void bt_offset_text_clear(struct bt_offset_text *out);

#endif
