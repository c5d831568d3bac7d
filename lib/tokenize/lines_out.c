/* SPDX-License-Identifier: MIT */
/* Encoded texts as lines: of ids, of JSON. */
#include "format/charset.h"
#include "format/escape.h"
#include "tokenize/job_int.h"

/* What records are padded with. */
static int32_t pad_id(const struct bt_tokenize *j)
{
	return bt_tok_role(j->tok, BT_TOK_PAD);
}

/* Tokens with their padding. */
static size_t padded(const struct bt_tokenize *j, const struct bt_encoding *e)
{
	return e->n > j->opts.pad ? e->n : j->opts.pad;
}

void bt_tokenize_put_ids(const struct bt_tokenize *j,
                         const struct bt_encoding *e, const char *between,
                         struct bt_buf *out)
{
	size_t i, n = padded(j, e);

	for (i = 0; i < n; i++) {
		if (i > 0)
			bt_buf_puts(out, between);
		bt_buf_decimal(out, i < e->n ? e->ids[i] : pad_id(j));
	}
}

int bt_tokenize_put_member(struct bt_buf *out, const char *name,
                           struct bt_span s, struct bt_error *err)
{
	if (s.p == NULL)
		return BT_OK;
	if (bt_charset_check(BT_CHARSET_UTF8, s.p, s.n) != s.n)
		return bt_error_set(err, BT_EFORMAT,
		                    "the %s is not valid UTF-8", name);
	bt_buf_printf(out, "\"%s\": ", name);
	bt_escape_quoted(out, s, false);
	bt_buf_puts(out, ", ");
	return BT_OK;
}

/* A member that is a list of texts, if the text record has it. */
static int put_texts(struct bt_buf *out, const char *name,
                     const struct bt_feature *f, struct bt_error *err)
{
	struct bt_pb at = f->list;
	const char *between = "";
	struct bt_span s;
	int r;

	if (f->name == NULL)
		return BT_OK;
	bt_buf_printf(out, "\"%s\": [", name);
	while ((r = bt_feature_next_text(f, &at, &s.p, &s.n, err)) == 1) {
		if (bt_charset_check(BT_CHARSET_UTF8, s.p, s.n) != s.n)
			return bt_error_set(err, BT_EFORMAT,
			                    "the %s is not valid UTF-8", name);
		bt_buf_puts(out, between);
		bt_escape_quoted(out, s, false);
		between = ", ";
	}
	bt_buf_puts(out, "], ");
	return r;
}

uint32_t bt_cursor_move(struct bt_cursor *c, const char *text, uint32_t to)
{
	for (; c->byte < to; c->byte++)
		c->chars += (text[c->byte] & 0xc0) != 0x80;
	while (c->byte > to)
		c->chars -= (text[--c->byte] & 0xc0) != 0x80;
	return c->chars;
}

/* Where each token stands: pairs of bytes, or of characters. Where tokens begin
 * and where they end is counted apart: both go forward, nearly always. */
static void put_places(struct bt_tokenize_text *x, size_t n, bool chars,
                       struct bt_buf *out)
{
	const char *text[2] = {x->rec.text_a.p, x->rec.text_b.p};
	const struct bt_encoding *e = &x->e;
	uint32_t start, end;
	size_t i;
	int k;

	for (i = 0; i < n; i++) {
		start = end = 0;
		if (i < e->n && e->text[i] >= 0) {
			start = e->start[i];
			end = e->end[i];
			k = e->text[i];
			if (chars) {
				start = bt_cursor_move(&x->start[k], text[k],
				                       start);
				end = bt_cursor_move(&x->end[k], text[k], end);
			}
		}
		bt_buf_puts(out, i > 0 ? ", [" : "[");
		bt_buf_decimal(out, start);
		bt_buf_puts(out, ", ");
		bt_buf_decimal(out, end);
		bt_buf_putc(out, ']');
	}
}

/* WORDS: the number of each token's word; null where it has none. */
enum list { SEGMENTS, SPECIAL, WORDS };

static void put_list(const struct bt_encoding *e, size_t n, enum list which,
                     struct bt_buf *out)
{
	bool real, special;
	size_t i;

	for (i = 0; i < n; i++) {
		real = i < e->n;
		special = !real || e->text[i] < 0;
		if (i > 0)
			bt_buf_puts(out, ", ");
		if (which == WORDS && special)
			bt_buf_puts(out, "null");
		else
			bt_buf_decimal(out, which == WORDS     ? e->word[i]
			                    : which == SPECIAL ? special
			                    : real             ? e->types[i]
			                                       : 0);
	}
}

static void put_tokens(const struct bt_tokenize *j, const struct bt_encoding *e,
                       size_t n, struct bt_buf *out)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (i > 0)
			bt_buf_puts(out, ", ");
		bt_escape_quoted(
		    out, bt_tok_token(j->tok, i < e->n ? e->ids[i] : pad_id(j)),
		    false);
	}
}

int bt_tokenize_put_json(const struct bt_tokenize *j,
                         struct bt_tokenize_text *x, struct bt_buf *out,
                         struct bt_error *err)
{
	const struct bt_encoding *e = &x->e;
	size_t n = padded(j, e);
	int r;

	bt_buf_putc(out, '{');
	r = bt_tokenize_put_member(out, "id", x->rec.id, err);
	if (r == BT_OK && bt_text_rec_is_open(&x->rec))
		r = put_texts(out, "labels", &x->rec.label_list, err);
	else if (r == BT_OK)
		r = bt_tokenize_put_member(out, "label", x->rec.label, err);
	if (j->opts.windows || x->place != NULL)
		bt_buf_printf(out, "\"window\": %zu, ", x->window);
	bt_buf_puts(out, "\"tokens\": [");
	put_tokens(j, e, n, out);
	bt_buf_puts(out, "], \"ids\": [");
	bt_tokenize_put_ids(j, e, ", ", out);
	bt_buf_puts(out, "], \"segments\": [");
	put_list(e, n, SEGMENTS, out);
	bt_buf_puts(out, "], \"special\": [");
	put_list(e, n, SPECIAL, out);
	bt_buf_puts(out, "], \"words\": [");
	put_list(e, n, WORDS, out);
	bt_buf_puts(out, "], \"bytes\": [");
	put_places(x, n, false, out);
	bt_buf_puts(out, "], \"chars\": [");
	put_places(x, n, true, out);
	bt_buf_puts(out, "]}\n");
	return r;
}
