/* SPDX-License-Identifier: MIT */
/*
 * Metaspace makes the space a visible character that belongs to the word behind
 * it, and WhitespaceSplit cuts at white space, which it drops.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "tokenizer/normalizers.h"

bool bt_char_is_space(uint32_t c)
{
	if (c < 0x80)
		return c == ' ' || (c >= 9 && c <= 13);
	return c == 0x85 || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
	       c == 0x202f || c == 0x205f || c == 0x3000;
}

struct metaspace {
	struct bt_pre_tokenizer part;
	uint8_t mark[4]; /* stands for the space */
	unsigned len;
	enum bt_prepend prepend;
	bool split;
};

static bool is_mark(const struct metaspace *m, const uint8_t *p,
                    const uint8_t *end)
{
	return (size_t)(end - p) >= m->len && memcmp(p, m->mark, m->len) == 0;
}

/* Where in the raw text the character that text[at] belongs to begins. */
static size_t src_of(const struct bt_text_view *v, size_t at)
{
	if (v->src != NULL)
		return v->src[at];
	while ((v->text[at] & 0xc0) == 0x80)
		at--;
	return at;
}

/* Appends text[from .. to-1] as it is. */
static void put_same(const struct bt_text_view *v, size_t from, size_t to,
                     struct bt_offset_text *out)
{
	size_t i;

	memcpy(out->text + out->n, v->text + from, to - from);
	if (out->want_src)
		for (i = from; i < to; i++)
			out->src[out->n + i - from] = (uint32_t)src_of(v, i);
	out->n += to - from;
}

/* Writes the text with its spaces made visible, and one before it. */
static int mark_spaces(const struct metaspace *m, const struct bt_text_view *v,
                       size_t from, size_t to, struct bt_offset_text *out)
{
	const uint8_t *text = v->text, *space;
	size_t spaces = 1, at;

	for (at = from; at < to; at++)
		spaces += text[at] == ' ';
	if (bt_offset_text_room(out, to - from + spaces * m->len) != BT_OK ||
	    to - from + spaces * m->len > INT32_MAX)
		return BT_ENOMEM;
	if (text[from] != ' ' && !is_mark(m, text + from, text + to) &&
	    (m->prepend == BT_PREPEND_ALWAYS ||
	     (m->prepend == BT_PREPEND_FIRST && src_of(v, from) == 0)))
		bt_offset_text_put(out, m->mark, m->len, src_of(v, from));
	for (; from < to; from = at + 1) {
		space = memchr(text + from, ' ', to - from);
		at = space != NULL ? (size_t)(space - text) : to;
		put_same(v, from, at, out);
		if (at < to)
			bt_offset_text_put(out, m->mark, m->len, src_of(v, at));
	}
	return BT_OK;
}

static int metaspace_run(const struct bt_pre_tokenizer *pretok,
                         struct bt_encode_run *run,
                         const struct bt_text_view *v, size_t from, size_t to,
                         int next)
{
	const struct metaspace *m = (const struct metaspace *)pretok;
	struct bt_offset_text *out = bt_encode_run_buffer(run, next);
	struct bt_text_view w;
	size_t word = 0, at, n;

	if (mark_spaces(m, v, from, to, out) != BT_OK)
		return BT_ENOMEM;
	w.text = out->text;
	w.src = out->want_src ? out->src : NULL;
	n = out->n;
	w.beyond = out->cap - n;
	w.ordered = v->ordered;
	for (at = 1; m->split && at < n; at++) {
		if (w.text[at] != m->mark[0] ||
		    !is_mark(m, w.text + at, w.text + n))
			continue;
		if (bt_encode_run_next(run, &w, word, at, next) != BT_OK)
			return BT_ENOMEM;
		word = at;
	}
	return bt_encode_run_next(run, &w, word, n, next);
}

int bt_pre_tokenizer_metaspace(struct bt_span replacement,
                               enum bt_prepend prepend, bool split,
                               struct bt_pre_tokenizer **pretok,
                               struct bt_error *err)
{
	static const struct bt_pre_tokenizer_ops ops = {metaspace_run, NULL};
	struct metaspace *m;

	if (replacement.n == 0 ||
	    replacement.n != bt_utf8_len((uint8_t)*replacement.p))
		return bt_error_set(err, BT_EFORMAT,
		                    "the replacement of Metaspace is not one "
		                    "character");
	m = bt_array0(1, sizeof(*m));
	m->part.ops = &ops;
	memcpy(m->mark, replacement.p, replacement.n);
	m->len = (unsigned)replacement.n;
	m->prepend = prepend;
	m->split = split;
	*pretok = &m->part;
	return BT_OK;
}

static int whitespace_run(const struct bt_pre_tokenizer *pretok,
                          struct bt_encode_run *run,
                          const struct bt_text_view *v, size_t from, size_t to,
                          int next)
{
	const uint8_t *text = v->text;
	size_t word = from, at;
	unsigned len;

	(void)pretok;
	for (at = from; at < to; at += len) {
		len = bt_utf8_len(text[at]);
		if (!bt_char_is_space(bt_utf8_get(text + at)))
			continue;
		if (word < at &&
		    bt_encode_run_next(run, v, word, at, next) != BT_OK)
			return BT_ENOMEM;
		word = at + len;
	}
	return word < to ? bt_encode_run_next(run, v, word, to, next) : BT_OK;
}

struct bt_pre_tokenizer *bt_pre_tokenizer_whitespace_split(void)
{
	static const struct bt_pre_tokenizer_ops ops = {whitespace_run, NULL};
	struct bt_pre_tokenizer *p = bt_array0(1, sizeof(*p));

	p->ops = &ops;
	return p;
}
