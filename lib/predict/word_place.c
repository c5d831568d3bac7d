/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memmem */
#include "predict/word_place.h"

#include <string.h>

#include "base/utf8.h"

bool bt_word_place_find(struct bt_span text, struct bt_span word,
                        struct bt_word_place *p)
{
	const char *from = text.p + p->byte_end;
	const char *at = memmem(from, text.n - p->byte_end, word.p, word.n);

	if (at == NULL)
		return false;
	p->byte = (size_t)(at - text.p);
	p->byte_end = p->byte + word.n;
	p->start = p->end + bt_utf8_count(from, (size_t)(at - from));
	p->end = p->start + bt_utf8_count(word.p, word.n);
	return true;
}

void bt_word_place_join(struct bt_buf *text, struct bt_span word,
                        struct bt_word_place *p)
{
	size_t blank = p->byte_end > 0;

	if (blank)
		bt_buf_putc(text, ' ');
	p->byte = text->len;
	p->start = p->end + blank;
	bt_buf_put(text, word.p, word.n);
	p->byte_end = text->len;
	p->end = p->start + bt_utf8_count(word.p, word.n);
}
