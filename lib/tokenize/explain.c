/* SPDX-License-Identifier: MIT */
/* A text's tokens one by one: what stands where, and what became of it. */
#include <string.h>

#include "format/escape.h"
#include "tokenize/job_int.h"

#define MARK "\xe2\x96\x81" /* U+2581, a space in vocabularies */

/* Bytes of a text that are shown. All tokens of bytes that are unknown stand
 * for the whole of these. */
#define SHOWN 256

/* The bytes of s that are shown: whole characters. */
static size_t shown(struct bt_span s)
{
	size_t n = s.n;

	if (n > SHOWN)
		for (n = SHOWN; n > 0 && (s.p[n] & 0xc0) == 0x80; n--)
			;
	return n;
}

/* Writes a column in which tabs and line ends cannot be mistaken. */
static void put_column(struct bt_buf *out, struct bt_span s)
{
	size_t n = shown(s);

	bt_escape(out, (struct bt_span){s.p, n}, "\t\n\\");
	if (n < s.n)
		bt_buf_puts(out, "...");
}

/* The space that a token begins with, or what stands for it, aside. */
static struct bt_span without_space(struct bt_span s)
{
	size_t n = s.n > 0 && *s.p == ' ' ? 1 : 0;

	if (s.n >= 3 && memcmp(s.p, MARK, 3) == 0)
		n = 3;
	s.p += n;
	s.n -= n;
	return s;
}

/* What the text was changed to before it was looked up, if it was. */
static void put_change(struct bt_buf *out, struct bt_span from,
                       struct bt_span to)
{
	if (to.p == NULL)
		return;
	to = without_space(to);
	from = without_space(from);
	/* as far as is shown */
	if (from.n == to.n && memcmp(from.p, to.p, shown(from)) == 0)
		return;
	bt_buf_puts(out, "\tnormalised: ");
	put_column(out, to);
}

void bt_tokenize_explain(const struct bt_tok *t,
                         const struct bt_tokenize_text *x, struct bt_buf *out)
{
	const struct bt_span text[2] = {x->rec.text_a, x->rec.text_b};
	const struct bt_encoding *e = &x->e;
	int32_t unknown = bt_tok_role(t, BT_TOK_UNK);
	struct bt_span from;
	size_t i;

	if (x->window > 0)
		bt_buf_printf(out, "# window %zu\n", x->window);
	for (i = 0; i < e->n; i++) {
		from = (struct bt_span){"", 0};
		if (e->text[i] >= 0) {
			from = text[e->text[i]];
			from.p += e->start[i];
			from.n = e->end[i] - e->start[i];
			bt_buf_printf(out, "%c\t%u\t%u\t", "ab"[e->text[i]],
			              e -> start[i], e -> end[i]);
		} else {
			bt_buf_puts(out, "-\t\t\t");
		}
		bt_buf_printf(out, "%d\t", (int)e->ids[i]);
		put_column(out, bt_tok_token(t, e->ids[i]));
		bt_buf_putc(out, '\t');
		put_column(out, from);
		bt_buf_printf(out, "\t%s",
		              e->text[i] < 0         ? "special"
		              : e->ids[i] == unknown ? "unknown"
		                                     : "");
		put_change(out, from, e->normal[i]);
		bt_buf_putc(out, '\n');
	}
	if (e->cut > 0)
		bt_buf_printf(out, "# %zu tokens more were cut off\n", e->cut);
	bt_buf_putc(out, '\n');
}
