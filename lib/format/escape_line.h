/* SPDX-License-Identifier: MIT */
/* Texts in lines whose fields are separated by tabs. */
#ifndef BT_FORMAT_ESCAPE_LINE_H
#define BT_FORMAT_ESCAPE_LINE_H

#include "base/buf.h"
#include "base/span.h"

/* Tabs and line ends become \t, \n and \r. */
static inline void bt_escape_tabs(struct bt_buf *out, struct bt_span s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (s.p[i] == '\t')
			bt_buf_puts(out, "\\t");
		else if (s.p[i] == '\n')
			bt_buf_puts(out, "\\n");
		else if (s.p[i] == '\r')
			bt_buf_puts(out, "\\r");
		else
			bt_buf_putc(out, s.p[i]);
}

#endif
