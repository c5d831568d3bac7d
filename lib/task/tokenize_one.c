/* SPDX-License-Identifier: MIT */
/* One text: reading its record, encoding it, writing it in the format. */
#include "io/charset.h"
#include "task/tokenize_int.h"

/* What a token record has beside the tokens: of the text record, and of the
 * model. */
static void fill_record(const struct bt_tokenize *j,
                        const struct bt_text_rec *text,
                        struct bt_token_rec *rec)
{
	rec->id = text->id;
	rec->label = text->label;
	rec->has_weight = text->has_weight;
	rec->weight = text->weight;
	rec->tokenizer = bt_span(bt_tok_fingerprint(j->tok));
	rec->label_id = text->label_id;
	rec->has_label_id = text->has_label_id;
	if (j->opts.labels == NULL || text->label.p == NULL)
		return;
	/* the model's numbers come before the data set's */
	rec->label_id = bt_labels_find(j->opts.labels, text->label);
	rec->has_label_id = rec->label_id >= 0;
}

static int put_record(const struct bt_tokenize *j, struct bt_tokenize_worker *w,
                      const struct bt_text_rec *text,
                      const struct bt_encoding *e, struct bt_buf *out)
{
	if (bt_token_rec_set(&w->rec, e->ids, e->types, e->n) != BT_OK)
		return BT_ENOMEM;
	fill_record(j, text, &w->rec);
	bt_buf_reset(&w->payload);
	if (bt_token_rec_write(&w->example, &w->rec, j->opts.pad,
	                       &w->payload) != BT_OK)
		return BT_ENOMEM;
	bt_buf_put(out, w->payload.data, w->payload.len);
	return BT_OK;
}

/* Tokens with their padding: ids 0, as in token records. */
static size_t padded(const struct bt_tokenize *j, const struct bt_encoding *e)
{
	return e->n > j->opts.pad ? e->n : j->opts.pad;
}

static void put_number(struct bt_buf *out, uint32_t v)
{
	char s[10];
	size_t n = sizeof(s);

	do
		s[--n] = (char)('0' + v % 10);
	while ((v /= 10) != 0);
	bt_buf_put(out, s + n, sizeof(s) - n);
}

static void put_ids(const struct bt_tokenize *j, const struct bt_encoding *e,
                    const char *between, struct bt_buf *out)
{
	size_t i, n = padded(j, e);

	for (i = 0; i < n; i++) {
		if (i > 0)
			bt_buf_puts(out, between);
		put_number(out, i < e->n ? (uint32_t)e->ids[i] : 0);
	}
}

static void put_json_string(struct bt_buf *out, struct bt_span s)
{
	unsigned char c;
	size_t i;

	bt_buf_putc(out, '"');
	for (i = 0; i < s.n; i++) {
		c = (unsigned char)s.p[i];
		if (c < 0x20 || c == 0x7f)
			bt_buf_printf(out, "\\u%04x", c);
		else if (c == '"' || c == '\\')
			bt_buf_printf(out, "\\%c", c);
		else
			bt_buf_putc(out, (char)c);
	}
	bt_buf_putc(out, '"');
}

/* A member of the text record, if it has it; it must be text. */
static int put_member(struct bt_buf *out, const char *name, struct bt_span s,
                      struct bt_error *err)
{
	if (s.p == NULL)
		return BT_OK;
	if (bt_charset_check(BT_CHARSET_UTF8, s.p, s.n) != s.n)
		return bt_error_set(err, BT_EFORMAT,
		                    "the %s is not valid UTF-8", name);
	bt_buf_printf(out, "\"%s\": ", name);
	put_json_string(out, s);
	bt_buf_puts(out, ", ");
	return BT_OK;
}

static int put_json(const struct bt_tokenize *j, const struct bt_text_rec *text,
                    const struct bt_encoding *e, struct bt_buf *out,
                    struct bt_error *err)
{
	size_t i, n = padded(j, e);
	int r;

	bt_buf_putc(out, '{');
	r = put_member(out, "id", text->id, err);
	if (r == BT_OK)
		r = put_member(out, "label", text->label, err);
	bt_buf_puts(out, "\"tokens\": [");
	for (i = 0; i < n; i++) {
		if (i > 0)
			bt_buf_puts(out, ", ");
		put_json_string(out,
		                bt_tok_token(j->tok, i < e->n ? e->ids[i] : 0));
	}
	bt_buf_puts(out, "], \"ids\": [");
	put_ids(j, e, ", ", out);
	bt_buf_puts(out, "]}\n");
	return r;
}

static void count(struct bt_tokenize_stats *s, const struct bt_encoding *e,
                  size_t bytes)
{
	s->texts++;
	s->tokens += e->n;
	s->unknown += e->unknown;
	s->cut_texts += e->cut > 0;
	s->cut_tokens += e->cut;
	s->bytes += bytes;
}

int bt_tokenize_one(const struct bt_tokenize *j, struct bt_tokenize_worker *w,
                    const struct bt_tokenize_item *x,
                    struct bt_tokenize_piece *p)
{
	const struct bt_tok_how how = {.special = j->opts.special,
	                               .max_length = j->opts.max_length};
	const char *data = x->len ? j->bytes.data + x->at : "";
	struct bt_text_rec text = {0};
	struct bt_encoding e;
	int r = BT_OK;

	if (j->opts.lines)
		text.text_a = (struct bt_span){data, x->len};
	else
		r = bt_text_rec_read(data, x->len, &text, &p->err);
	if (r == BT_OK && text.several)
		r = bt_text_rec_several(text.n_labels, &p->err);
	if (r == BT_OK)
		r = bt_tok_encode(j->tok, w->scratch, text.text_a, text.text_b,
		                  &how, &e, &p->err);
	if (r != BT_OK)
		return r;
	if (!j->opts.cut && e.cut > 0)
		return bt_error_set(&p->err, BT_ELIMIT,
		                    "the text has %zu tokens, more than %zu",
		                    e.n + e.cut, how.max_length);
	if (j->opts.format == BT_TOKENIZE_TFRECORD) {
		r = put_record(j, w, &text, &e, &p->out);
	} else if (j->opts.format == BT_TOKENIZE_JSON) {
		r = put_json(j, &text, &e, &p->out, &p->err);
	} else {
		put_ids(j, &e, " ", &p->out);
		bt_buf_putc(&p->out, '\n');
	}
	if (r == BT_OK)
		count(&p->stats, &e, x->len);
	return r;
}
