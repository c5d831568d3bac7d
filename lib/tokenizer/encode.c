/* SPDX-License-Identifier: MIT */
/*
 * A text's way through the parts, stage by stage: added tokens are cut out of
 * the text, what lies between them is normalised, searched for added tokens
 * again, cut into words and these into pieces.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "tokenizer/encode.h"

struct bt_encode_run {
	const struct bt_tok *t;
	struct bt_tok_buffers *b;
	struct bt_pieces *out;
	const uint8_t *raw;
	bool offsets;  /* somebody asks where */
	uint32_t word; /* the next one's number */
};

void bt_tok_buffers_clear(struct bt_tok_buffers *b)
{
	int i;

	bt_offset_text_clear(&b->norm[0]);
	bt_offset_text_clear(&b->norm[1]);
	for (i = 0; i < BT_TOK_STEPS; i++)
		bt_offset_text_clear(&b->word[i]);
}

/* Where the raw text behind v[at .. end-1] begins and ends; characters may
 * have changed places. */
static void to_raw(const struct bt_encode_run *r, const struct bt_text_view *v,
                   uint32_t *at, uint32_t *end)
{
	const uint32_t *src = v->src;
	uint32_t first, last, i;

	if (src == NULL) {
		while ((r->raw[*at] & 0xc0) == 0x80)
			--*at;
		last = *end - 1;
		while ((r->raw[last] & 0xc0) == 0x80)
			last--;
		*end = last + bt_utf8_len(r->raw[last]);
		return;
	}
	first = src[*at];
	last = v->ordered ? src[*end - 1] : first;
	for (i = *at + 1; !v->ordered && i < *end; i++) {
		first = src[i] < first ? src[i] : first;
		last = src[i] > last ? src[i] : last;
	}
	*at = first;
	*end = last + bt_utf8_len(r->raw[last]);
}

/* The same for n pieces. Neighbours that stand for the same text, as the tokens
 * of bytes do, are related together. */
static void all_to_raw(const struct bt_encode_run *r,
                       const struct bt_text_view *v, struct bt_piece *p,
                       size_t n)
{
	uint32_t start, end;
	size_t i = 0, k;

	while (i < n) {
		start = p[i].start;
		end = p[i].end;
		to_raw(r, v, &p[i].start, &p[i].end);
		for (k = i + 1; k < n && p[k].start == start && p[k].end == end;
		     k++) {
			p[k].start = p[i].start;
			p[k].end = p[i].end;
		}
		i = k;
	}
}

/* Widens text[at .. end-1], not empty, to whole characters. */
static inline void widen(const uint8_t *text, uint32_t *at, uint32_t *end)
{
	uint32_t last = *end - 1;

	while ((text[*at] & 0xc0) == 0x80)
		--*at;
	while ((text[last] & 0xc0) == 0x80)
		last--;
	*end = last + bt_utf8_len(text[last]);
}

/* Notes which words the pieces from i on are of, and what of their text, which
 * is kept; n words are these. */
static int add_places(struct bt_encode_run *r, const uint8_t *text,
                      const struct bt_word_range *word, size_t n, size_t i)
{
	uint32_t first = word[0].from, last = word[n - 1].to, at, end;
	struct bt_pieces *s = r->out;
	size_t base = s->normal.len, k = 0;

	if (bt_grow(&s->place, &s->place_cap, s->n, sizeof(*s->place)) != BT_OK)
		return BT_ENOMEM;
	widen(text, &first, &last);
	bt_buf_put(&s->normal, text + first, last - first);
	if (s->normal.oom || s->normal.len > INT32_MAX)
		return BT_ENOMEM;
	for (; i < s->n; i++) {
		at = s->piece[i].start;
		end = s->piece[i].end;
		while (at >= word[k].to)
			k++;
		widen(text, &at, &end);
		s->place[i].word = r->word + (uint32_t)k;
		s->place[i].from = (uint32_t)base + at - first;
		s->place[i].bytes = end - at;
	}
	r->word += (uint32_t)n;
	return BT_OK;
}

static int add_piece(struct bt_encode_run *r, int32_t id, size_t start,
                     size_t end)
{
	struct bt_pieces *s = r->out;

	if (s->bare) {
		if (bt_pieces_room_ids(s, 1) != BT_OK)
			return BT_ENOMEM;
		s->id[s->n++] = id;
		return BT_OK;
	}
	if (bt_pieces_room(s, 1) != BT_OK)
		return BT_ENOMEM;
	s->piece[s->n].id = id;
	s->piece[s->n].start = (uint32_t)start;
	s->piece[s->n++].end = (uint32_t)end;
	if (bt_grow(&s->place, &s->place_cap, s->n, sizeof(*s->place)) != BT_OK)
		return BT_ENOMEM;
	s->place[s->n - 1] = (struct bt_piece_place){r->word++, 0, 0};
	return BT_OK;
}

/* The last step: a word becomes pieces. */
static int add_word(struct bt_encode_run *r, const struct bt_text_view *v,
                    size_t from, size_t to)
{
	const struct bt_tok_model *m = r->t->model;
	struct bt_pieces *s = r->out;
	struct bt_word_range word = {(uint32_t)from, (uint32_t)to};
	size_t i = s->n, made;

	if (m->ops->cut(m, r->b->work, v->text, from, to, s) != BT_OK)
		return BT_ENOMEM;
	if (s->bare) {
		made = s->n - i;
		s->n = i;
		return bt_pieces_add_ids(s, made);
	}
	if (add_places(r, v->text, &word, 1, i) != BT_OK)
		return BT_ENOMEM;
	all_to_raw(r, v, s->piece + i, s->n - i);
	return BT_OK;
}

int bt_encode_run_next(struct bt_encode_run *r, const struct bt_text_view *v,
                       size_t from, size_t to, int next)
{
	const struct bt_pre_tokenizer *p;

	if (next == r->t->pretoks)
		return add_word(r, v, from, to);
	p = r->t->pretok[next];
	return p->ops->run(p, r, v, from, to, next + 1);
}

int bt_encode_run_words(struct bt_encode_run *r, const struct bt_text_view *v,
                        size_t end, const struct bt_word_range *word, size_t n,
                        int next)
{
	const struct bt_tok_model *m = r->t->model;
	struct bt_pieces *s = r->out;
	size_t i;

	if (next == r->t->pretoks && m->ops->cut_words != NULL && n > 0) {
		i = s->n;
		if (m->ops->cut_words(m, r->b->work, v->text, end + v->beyond,
		                      word, n, s) != BT_OK)
			return BT_ENOMEM;
		if (s->bare)
			return BT_OK;
		if (add_places(r, v->text, word, n, i) != BT_OK)
			return BT_ENOMEM;
		all_to_raw(r, v, s->piece + i, s->n - i);
		return BT_OK;
	}
	for (i = 0; i < n; i++)
		if (bt_encode_run_next(r, v, word[i].from, word[i].to, next) !=
		    BT_OK)
			return BT_ENOMEM;
	return BT_OK;
}

struct bt_offset_text *bt_encode_run_buffer(struct bt_encode_run *r, int next)
{
	struct bt_offset_text *word = &r->b->word[next - 1];

	word->n = 0;
	word->want_src = r->offsets;
	return word;
}

int bt_encode_run_too_hard(struct bt_encode_run *r)
{
	r->b->word[0].hard = true;
	return BT_ENOMEM;
}

bool bt_tok_buffers_hard(struct bt_tok_buffers *b)
{
	bool hard = b->norm[0].hard || b->norm[1].hard || b->word[0].hard;

	b->norm[0].hard = b->norm[1].hard = b->word[0].hard = false;
	return hard;
}

int bt_tok_normalize(const struct bt_tok *t, struct bt_tok_buffers *b,
                     struct bt_text_view *v, size_t *from, size_t *to,
                     bool offsets)
{
	const struct bt_normalizer *norm;
	struct bt_offset_text *out;
	int i, k = 0, r;
	size_t j;

	for (i = 0; i < t->norms && *from < *to; i++) {
		norm = t->norm[i];
		out = &b->norm[k];
		out->n = 0;
		out->want_src = offsets;
		out->ordered = false;
		r = norm->ops->run(norm, v->text, *from, *to, out);
		if (r == BT_NORMALIZER_SAME)
			continue;
		if (r != BT_OK)
			return r;
		/* back to the raw text */
		for (j = 0; offsets && v->src != NULL && j < out->n; j++)
			out->src[j] = v->src[out->src[j]];
		v->text = out->text;
		v->src = offsets ? out->src : NULL;
		v->beyond = out->cap - out->n;
		v->ordered = v->ordered && out->ordered;
		*from = 0;
		*to = out->n;
		k = !k;
	}
	return BT_OK;
}

/* Encodes raw[start .. end-1], in which no added token was found. */
static int add_text(struct bt_encode_run *r, size_t start, size_t end)
{
	struct bt_text_view v = {r->raw, NULL, 0, true};
	struct bt_added_match m = {0};
	uint32_t from, to;
	size_t at;

	if (bt_tok_normalize(r->t, r->b, &v, &start, &end, r->offsets) != BT_OK)
		return BT_ENOMEM;
	if (start == end)
		return BT_OK; /* v.text may be NULL */
	at = start;
	while (
	    bt_added_next(&r->t->normalized, v.text + start, end - start, &m)) {
		from = (uint32_t)(start + m.start);
		to = (uint32_t)(start + m.end);
		if (at < from &&
		    bt_encode_run_next(r, &v, at, from, 0) != BT_OK)
			return BT_ENOMEM;
		at = to;
		if (r->offsets)
			to_raw(r, &v, &from, &to);
		if (add_piece(r, m.token->id, from, to) != BT_OK)
			return BT_ENOMEM;
	}
	return at < end ? bt_encode_run_next(r, &v, at, end, 0) : BT_OK;
}

int bt_tok_run(const struct bt_tok *t, struct bt_tok_buffers *b,
               struct bt_span text, bool offsets, struct bt_pieces *out)
{
	struct bt_encode_run r = {.t = t,
	                          .b = b,
	                          .out = out,
	                          .raw = (const uint8_t *)text.p,
	                          .offsets = offsets || t->needs_src};
	struct bt_added_match m = {0};
	size_t at = 0;

	out->n = 0;
	out->bare = !offsets;
	bt_buf_reset(&out->normal);
	while (bt_added_next(&t->raw, r.raw, text.n, &m)) {
		if (at < m.start && add_text(&r, at, m.start) != BT_OK)
			return BT_ENOMEM;
		if (add_piece(&r, m.token->id, m.start, m.end) != BT_OK)
			return BT_ENOMEM;
		at = m.end;
	}
	return at < text.n ? add_text(&r, at, text.n) : BT_OK;
}
