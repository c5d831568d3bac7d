/* SPDX-License-Identifier: MIT */
#include "record/context_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

static bool is_blank(uint32_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0x202f;
}

static int add(struct bt_context_words *w, const char *from, const char *to,
               struct bt_error *err)
{
	if (bt_grow(&w->word, &w->cap, w->n + 1, sizeof(*w->word)) != BT_OK)
		return bt_error_nomem(err, "reading a context");
	w->word[w->n++] = (struct bt_span){from, (size_t)(to - from)};
	return BT_OK;
}

int bt_context_words_read(struct bt_context_words *w, struct bt_span context,
                          struct bt_error *err)
{
	const char *p = context.p, *end = p + context.n, *begin = NULL;
	int r = BT_OK;

	w->n = 0;
	for (; r == BT_OK && p < end; p += bt_utf8_len((uint8_t)*p)) {
		if (!is_blank(bt_utf8_get((const uint8_t *)p))) {
			begin = begin != NULL ? begin : p;
		} else if (begin != NULL) {
			r = add(w, begin, p, err);
			begin = NULL;
		}
	}
	if (r == BT_OK && begin != NULL)
		r = add(w, begin, end, err);
	return r;
}

void bt_context_words_clear(struct bt_context_words *w)
{
	free(w->word);
	memset(w, 0, sizeof(*w));
}

long bt_context_words_at(const struct bt_context_words *w, const char *p)
{
	size_t from = 0, to = w->n, middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (w->word[middle].p <= p)
			from = middle + 1;
		else
			to = middle;
	}
	return (long)from - 1;
}
