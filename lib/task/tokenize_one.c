/* SPDX-License-Identifier: MIT */
/* One text: reading its record, encoding it, writing it in the format. */
#include <float.h>
#include <string.h>

#include "base/num.h"
#include "io/charset.h"
#include "task/tokenize_int.h"

static struct bt_span head(struct bt_span s)
{
	if (s.n > 100)
		s.n = 100;
	return s;
}

/* NUL-terminates s in buffer; false if it is no number's length. */
static bool copy_number(struct bt_span s, char *buffer, size_t size)
{
	if (s.n == 0 || s.n >= size || memchr(s.p, '\0', s.n) != NULL)
		return false;
	memcpy(buffer, s.p, s.n);
	buffer[s.n] = '\0';
	return true;
}

static int number_label(const struct bt_tokenize *j, struct bt_token_rec *rec,
                        struct bt_span label, struct bt_error *err)
{
	bool whole = j->opts.label_type == BT_LABEL_INT, ok;
	char s[64];
	double v = 0;

	ok = copy_number(label, s, sizeof(s));
	if (ok && whole)
		ok = bt_parse_i64(s, INT64_MIN, INT64_MAX, &rec->label_id) ==
		     BT_OK;
	else if (ok)
		ok = bt_parse_f64(s, -FLT_MAX, FLT_MAX, &v) == BT_OK;
	if (!ok)
		return bt_error_set(
		    err, BT_EFORMAT, "the label '%.*s' is no %snumber",
		    (int)head(label).n, label.p, whole ? "whole " : "");
	rec->has_label_id = whole;
	rec->has_label_value = !whole;
	rec->label_value = (float)v;
	return BT_OK;
}

/* label_ids, of the record's label or the dummy. */
static int fill_label(const struct bt_tokenize *j, struct bt_token_rec *rec,
                      struct bt_error *err)
{
	const struct bt_labels *l = j->opts.labels;
	struct bt_span label = rec->label;

	if (label.p == NULL && j->opts.dummy_label != NULL)
		label = bt_span(j->opts.dummy_label);
	if (label.p == NULL || j->opts.label_type == BT_LABEL_NONE)
		return BT_OK;
	if (j->opts.label_type != BT_LABEL_CLASS)
		return number_label(j, rec, label, err);
	if (l == NULL)
		return BT_OK;
	rec->label_id = bt_labels_find(l, label);
	rec->has_label_id = rec->label_id >= 0;
	if (rec->has_label_id || !j->opts.only_labels)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "the label '%.*s' is none of the %d labels "
	                    "('%s' ... '%s')",
	                    (int)head(label).n, label.p, l->n, l->name[0],
	                    l->name[l->n - 1]);
}

/* The number in an id as "17" or "de-000000017". */
static int fill_example_id(const struct bt_tokenize *j, uint64_t number,
                           struct bt_token_rec *rec, struct bt_error *err)
{
	struct bt_span id = rec->id;
	const char *dash = id.n > 0 ? memchr(id.p, '-', id.n) : NULL;
	char s[32];

	rec->has_example_id = true;
	rec->example_id = (int64_t)number;
	if (!j->opts.number_of_id)
		return BT_OK;
	if (dash != NULL) {
		id.n -= (size_t)(dash + 1 - id.p);
		id.p = dash + 1;
	}
	if (copy_number(id, s, sizeof(s)) &&
	    bt_parse_i64(s, 0, INT64_MAX, &rec->example_id) == BT_OK)
		return BT_OK;
	if (rec->id.p == NULL)
		return bt_error_set(err, BT_EFORMAT, "there is no id");
	return bt_error_set(err, BT_EFORMAT,
	                    "there is no number in the id '%.*s'",
	                    (int)head(rec->id).n, rec->id.p);
}

/* What a token record has beside the tokens: of the text record, and of the
 * model. */
static int fill_record(const struct bt_tokenize *j,
                       const struct bt_text_rec *text, uint64_t number,
                       struct bt_token_rec *rec, struct bt_error *err)
{
	int r;

	rec->id = text->id;
	rec->label = text->label;
	rec->has_weight = text->has_weight;
	rec->weight = text->weight;
	rec->tokenizer = bt_span(bt_tok_fingerprint(j->tok));
	/* the data set's number, unless the model or the user has another */
	rec->label_id = text->label_id;
	rec->has_label_id =
	    text->has_label_id && j->opts.label_type == BT_LABEL_CLASS;
	r = fill_label(j, rec, err);
	if (r == BT_OK && j->opts.layout == BT_LAYOUT_GARDEN)
		r = fill_example_id(j, number, rec, err);
	return r;
}

/* What records are padded with. */
static int32_t pad_id(const struct bt_tokenize *j)
{
	return bt_tok_role(j->tok, BT_TOK_PAD);
}

static int put_record(const struct bt_tokenize *j, struct bt_tokenize_worker *w,
                      const struct bt_text_rec *text, uint64_t number,
                      const struct bt_encoding *e, struct bt_tokenize_piece *p)
{
	int r;

	if (bt_token_rec_set(&w->rec, e->ids, e->types, e->n) != BT_OK)
		return BT_ENOMEM;
	r = fill_record(j, text, number, &w->rec, &p->err);
	if (r != BT_OK)
		return r;
	w->rec.pad_id = pad_id(j);
	bt_buf_reset(&w->payload);
	if (bt_token_rec_write(&w->example, &w->rec, j->opts.layout,
	                       j->opts.pad, &w->payload) != BT_OK)
		return BT_ENOMEM;
	bt_buf_put(&p->out, w->payload.data, w->payload.len);
	p->stats.labelled += w->rec.has_label_id || w->rec.has_label_value;
	p->stats.weighted += w->rec.has_weight;
	return BT_OK;
}

/* Tokens with their padding. */
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
		put_number(out, i < e->n ? (uint32_t)e->ids[i]
		                         : (uint32_t)pad_id(j));
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
		put_json_string(
		    out,
		    bt_tok_token(j->tok, i < e->n ? e->ids[i] : pad_id(j)));
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
	                               .max_length = j->opts.max_length,
	                               .offsets = j->opts.format ==
	                                          BT_TOKENIZE_EXPLAIN};
	const char *data = x->len ? j->bytes.data + x->at : "";
	struct bt_text_rec text = {0};
	struct bt_encoding e;
	uint64_t number;
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
		number = j->stats.texts + (uint64_t)(x - j->item);
		r = put_record(j, w, &text, number, &e, p);
	} else if (j->opts.format == BT_TOKENIZE_JSON) {
		r = put_json(j, &text, &e, &p->out, &p->err);
	} else if (j->opts.format == BT_TOKENIZE_EXPLAIN) {
		bt_tokenize_explain(
		    j->tok, &e,
		    (const struct bt_span[2]){text.text_a, text.text_b},
		    &p->out);
	} else {
		put_ids(j, &e, " ", &p->out);
		bt_buf_putc(&p->out, '\n');
	}
	if (r == BT_OK)
		count(&p->stats, &e, x->len);
	return r;
}
