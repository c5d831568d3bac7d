/* SPDX-License-Identifier: MIT */
/* Texts that are changed before they are encoded: those that are not valid
 * UTF-8, and those that a prompt goes before. */
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

int bt_tokenize_prompt(struct bt_tokenize_worker *w, const char *words,
                       struct bt_span *text)
{
	struct bt_buf *b = &w->prompted;

	bt_buf_reset(b);
	bt_buf_puts(b, words);
	bt_buf_put(b, text->p, text->n);
	*text = (struct bt_span){b->data, b->len};
	return b->oom ? BT_ENOMEM : BT_OK;
}
