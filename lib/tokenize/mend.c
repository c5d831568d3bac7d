/* SPDX-License-Identifier: MIT */
/* Texts that are not valid UTF-8. */
#include "format/charset.h"
#include "tokenize/job_int.h"

int bt_tokenize_mend(struct bt_tokenize_worker *w, int k, struct bt_span *text,
                     size_t *mended)
{
	struct bt_buf *b = &w->mended[k];

	if (text->p == NULL ||
	    bt_charset_check(BT_CHARSET_UTF8, text->p, text->n) == text->n)
		return BT_OK;
	bt_buf_reset(b);
	*mended += bt_charset_mend(b, text->p, text->n);
	text->p = b->data;
	text->n = b->len;
	return b->oom ? BT_ENOMEM : BT_OK;
}
