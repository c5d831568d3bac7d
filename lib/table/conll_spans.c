/* SPDX-License-Identifier: MIT */
/* A text with spans in it, as programs for annotation write them, as words with
 * tags. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "format/json.h"
#include "table/conll_int.h"
#include "unicode/bert_char_class.h"

struct span {
	int64_t start, end; /* code points */
	struct bt_span label;
	size_t number; /* in the list, from 1 */
	bool begun;    /* a word of it was taken */
};

/* Where the text is read; a word is from begin on, unless that is NULL. */
struct place {
	struct bt_conll_sentence *s;
	struct span *span;
	size_t n;
	bool tagged;
	const uint8_t *begin;
	struct span *in; /* of the word, or NULL: none */
};

static const json_t *either(const json_t *o, const char *a, const char *b)
{
	const json_t *v = json_object_get(o, a);

	return v != NULL ? v : json_object_get(o, b);
}

/* [0, 3, "PER"], or an object of these. */
static int read_span(const json_t *v, struct span *s, struct bt_error *err)
{
	bool list = json_is_array(v);
	const json_t *start =
	    list ? json_array_get(v, 0) : either(v, "start", "start_offset");
	const json_t *end =
	    list ? json_array_get(v, 1) : either(v, "end", "end_offset");
	const json_t *label =
	    list ? json_array_get(v, 2) : either(v, "label", "labels");

	if (json_array_size(label) == 1)
		label = json_array_get(label, 0);
	if (!json_is_integer(start) || !json_is_integer(end) ||
	    json_string_length(label) == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "is neither [START, END, LABEL] nor an "
		                    "object with start, end and label");
	s->start = json_integer_value(start);
	s->end = json_integer_value(end);
	s->label = bt_json_text(label);
	s->begun = false;
	return BT_OK;
}

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->start != y->start
	           ? (x->start < y->start ? -1 : 1)
	           : (x->number > y->number) - (x->number < y->number);
}

/* In the order of the text, in which they do not overlap. */
static int read_spans(const json_t *list, int64_t length, struct span *span,
                      struct bt_error *err)
{
	size_t i, n = json_array_size(list);
	int e;

	for (i = 0; i < n; i++) {
		span[i].number = i + 1;
		e = read_span(json_array_get(list, i), &span[i], err);
		if (e == BT_OK &&
		    (span[i].start < 0 || span[i].start >= span[i].end ||
		     span[i].end > length))
			e = bt_error_set(err, BT_EFORMAT,
			                 "%lld to %lld is not a part of the "
			                 "text, which ends at %lld",
			                 (long long)span[i].start,
			                 (long long)span[i].end,
			                 (long long)length);
		if (e != BT_OK)
			return bt_error_prefix(err, "span %zu", i + 1);
	}
	qsort(span, n, sizeof(*span), by_start);
	for (i = 1; i < n; i++)
		if (span[i].start < span[i - 1].end)
			return bt_error_set(
			    err, BT_EFORMAT,
			    "spans %zu and %zu overlap, and a word has one tag",
			    span[i - 1].number, span[i].number);
	return BT_OK;
}

/* Adds the word that ends at end, if there is one. */
static int end_word(struct place *p, const uint8_t *end)
{
	struct bt_buf tag = BT_BUF_INIT;
	int e;

	if (p->begin == NULL)
		return BT_OK;
	e = bt_conll_texts_add(
	    &p->s->words,
	    (struct bt_span){(const char *)p->begin, (size_t)(end - p->begin)});
	p->begin = NULL;
	if (e != BT_OK || !p->tagged)
		return e;
	if (p->in == NULL)
		return bt_conll_texts_add(&p->s->tags, bt_span("O"));
	bt_buf_puts(&tag, p->in->begun ? "I-" : "B-");
	bt_buf_put(&tag, p->in->label.p, p->in->label.n);
	p->in->begun = true;
	e = tag.oom ? BT_ENOMEM
	            : bt_conll_texts_add(&p->s->tags,
	                                 (struct bt_span){tag.data, tag.len});
	bt_buf_clear(&tag);
	return e;
}

/* Words end at blanks, at a character that is one by itself, and where a span
 * begins or ends. */
static int cut(struct place *p, struct bt_span text)
{
	const uint8_t *at = (const uint8_t *)text.p, *end = at + text.n;
	struct span *next = p->span, *in;
	uint8_t props;
	int64_t i;
	int e = BT_OK;

	for (i = 0; e == BT_OK && at < end; i++, at += bt_utf8_len(*at)) {
		while (next < p->span + p->n && next->end <= i)
			next++;
		in = next < p->span + p->n && next->start <= i ? next : NULL;
		bt_char_props(BT_CHAR_DIALECT_HF, bt_utf8_get(at), 1, &props);
		if (p->in != in || props & (BT_CHAR_IS_WHITE |
		                            BT_CHAR_IS_PUNCT | BT_CHAR_IS_CJK))
			e = end_word(p, at);
		p->in = in;
		if (props & BT_CHAR_IS_WHITE)
			continue;
		if (p->begin == NULL)
			p->begin = at;
		if (e == BT_OK && props & (BT_CHAR_IS_PUNCT | BT_CHAR_IS_CJK))
			e = end_word(p, at + bt_utf8_len(*at));
	}
	return e == BT_OK ? end_word(p, end) : e;
}

int bt_conll_spans_read(struct bt_conll_sentence *s, struct bt_span text,
                        const json_t *list, struct bt_error *err)
{
	struct place p = {.s = s, .n = json_array_size(list)};
	size_t i;
	int e;

	p.tagged = list != NULL;
	bt_buf_put(&s->text, text.p, text.n);
	p.span = bt_array(p.n + 1, sizeof(*p.span));
	e = read_spans(list, (int64_t)bt_utf8_count(text.p, text.n), p.span,
	               err);
	if (e == BT_OK && (s->text.oom || cut(&p, text) != BT_OK))
		e = bt_error_nomem(err, "reading a sentence");
	for (i = 0; e == BT_OK && i < p.n; i++)
		if (!p.span[i].begun)
			e = bt_error_set(err, BT_EFORMAT,
			                 "span %zu holds no word",
			                 p.span[i].number);
	free(p.span);
	return e;
}
