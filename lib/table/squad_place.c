/* SPDX-License-Identifier: MIT */
/* Where answers stand in their context. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "table/squad_int.h"

#define SHOWN 40 /* bytes of a text in a message */

struct bt_span bt_squad_head(struct bt_span s)
{
	size_t n = s.n;

	if (n > SHOWN)
		for (n = SHOWN; n > 0 && (s.p[n] & 0xc0) == 0x80; n--)
			;
	return (struct bt_span){s.p, n};
}

static bool is_letter(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Whether letters or digits of ASCII go on from the context into the answer, or
 * from there into the context. */
static bool in_word(struct bt_span context, size_t at, struct bt_span answer)
{
	const char *p = context.p + at, *end = p + answer.n;

	return (at > 0 && is_letter(p[-1]) && is_letter(*p)) ||
	       (at + answer.n < context.n && is_letter(end[-1]) &&
	        is_letter(*end));
}

void bt_squad_find(struct bt_span context, struct bt_span answer,
                   struct bt_squad_place *at)
{
	const uint8_t *p = (const uint8_t *)context.p, *end = p + context.n;
	int64_t i;

	at->nearest = at->first = -1;
	for (i = 0; p < end; p += bt_utf8_len(*p), i++) {
		if (i == at->start)
			at->instead = (struct bt_span){(const char *)p,
			                               (size_t)(end - p)};
		if ((size_t)(end - p) < answer.n ||
		    memcmp(p, answer.p, answer.n) != 0)
			continue;
		at->places++;
		if (at->first < 0 &&
		    !in_word(context, context.n - (size_t)(end - p), answer))
			at->first = i;
		if (at->nearest < 0 ||
		    llabs(i - at->start) < llabs(at->nearest - at->start))
			at->nearest = i;
	}
	at->right = at->nearest >= 0 && at->nearest == at->start;
	at->characters = i;
}

int bt_squad_misplaced(const struct bt_squad_place *at, size_t k,
                       struct bt_span answer, struct bt_error *err)
{
	struct bt_span a = bt_squad_head(answer), s = at->instead;
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "answer %zu, '%.*s', is not at answer_start %lld, ",
	              k, (int)a.n, a.p, (long long)at->start);
	if (s.p != NULL) {
		if (s.n > answer.n)
			for (s.n = answer.n; (s.p[s.n] & 0xc0) == 0x80; s.n++)
				;
		s = bt_squad_head(s);
		bt_buf_printf(&b, "where '%.*s' stands", (int)s.n, s.p);
	} else {
		bt_buf_printf(&b, "which is beyond the %lld characters",
		              (long long)at->characters);
	}
	if (at->nearest < 0)
		bt_buf_puts(&b, "; the context does not contain it");
	else
		bt_buf_printf(
		    &b, "; it is at %lld%s", (long long)at->nearest,
		    llabs(at->nearest - at->start) == 1 ? ": off by one" : "");
	bt_error_set(err, BT_EFORMAT, "%s", bt_buf_str(&b));
	bt_buf_clear(&b);
	return bt_error_hint(
	    err, at->nearest < 0 ? BT_HINT_NONE : BT_HINT_REALIGN, BT_EFORMAT);
}
