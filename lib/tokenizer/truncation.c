/* SPDX-License-Identifier: MIT */
/* Texts that are too long: what is left of each, how the rest makes further
 * windows, and the template around a window. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tokenizer/truncation_int.h"

#define WINDOWS_MAX ((size_t)1 << 20)

/*
 * How much is left of two texts of n[0] and n[1] tokens within room: tokens go
 * from the end of the longer one. Where both are longer than half the room and
 * this is odd, one more token is left of the first in Google's code; in Hugging
 * Face's of the one that was longer, of the second if they were equal.
 */
static void share_longest(enum bt_tok_dialect dialect, size_t room, size_t n[2])
{
	int longer = n[0] > n[1] ? 0 : 1;

	if (n[!longer] <= room / 2) {
		n[longer] = room - n[!longer];
		return;
	}
	if (dialect == BT_TOK_GOOGLE)
		longer = 0;
	n[longer] = room / 2 + room % 2;
	n[!longer] = room / 2;
}

/* All that is too much goes from one of the texts, which must have more. */
static int share_one(int which, bool pair, size_t room, size_t n[2],
                     struct bt_error *err)
{
	size_t more = n[0] + n[1] - room;

	if (which == 1 && !pair)
		return bt_error_set(err, BT_EFORMAT,
		                    "the text is too long, and only a second "
		                    "one may be cut");
	if (n[which] <= more)
		return bt_error_set(err, BT_EFORMAT,
		                    "%zu tokens would have to go from the %s "
		                    "text, which has %zu",
		                    more, which == 0 ? "first" : "second",
		                    n[which]);
	n[which] -= more;
	return BT_OK;
}

/* Windows of n tokens of which keep have room; 0: the stride leaves no way on.
 */
static size_t count_windows(const struct bt_tok_encode_opts *how, size_t n,
                            size_t keep)
{
	size_t step;

	if (n <= keep || !how->windows)
		return 1;
	if (how->stride >= keep)
		return 0;
	step = keep - how->stride;
	return 1 + (n - keep + step - 1) / step;
}

static int share_windows(struct bt_tok_scratch *s, struct bt_error *err)
{
	int i;

	for (i = 0; i < 2; i++) {
		s->windows[i] = count_windows(&s->how, s->seq[i].n, s->keep[i]);
		if (s->windows[i] == 0)
			return bt_error_set(
			    err, BT_EFORMAT,
			    "a window has %zu tokens of the text, not more "
			    "than the %zu that it is to share with the next",
			    s->keep[i], s->how.stride);
	}
	if (s->windows[0] > WINDOWS_MAX / s->windows[1])
		return bt_error_set(err, BT_ELIMIT,
		                    "the text has more than %zu windows",
		                    WINDOWS_MAX);
	return BT_OK;
}

size_t bt_tok_specials(const struct bt_tok *t, bool pair)
{
	return pair ? (size_t)t->pair.n - 2 : (size_t)t->one.n - 1;
}

int bt_tok_share(const struct bt_tok *t, struct bt_tok_scratch *s,
                 struct bt_error *err)
{
	const struct bt_tok_encode_opts *how = &s->how;
	size_t specials = how->special ? bt_tok_specials(t, s->pair) : 0;
	size_t *n = s->keep, room;
	int r = BT_OK;

	n[0] = s->seq[0].n;
	n[1] = s->pair ? s->seq[1].n : 0;
	s->windows[0] = s->windows[1] = 1;
	if (how->max_length == 0)
		return BT_OK;
	if (how->max_length < specials + (s->pair ? 2 : 1))
		return bt_error_set(
		    err, BT_EARG, "%zu tokens leave no room for %s",
		    how->max_length, s->pair ? "a pair of texts" : "a text");
	room = how->max_length - specials;
	if (n[0] + n[1] <= room)
		return BT_OK;
	if (how->cut != BT_TOK_TRUNCATION_LONGEST)
		r = share_one(how->cut == BT_TOK_TRUNCATION_SECOND, s->pair,
		              room, n, err);
	else if (s->pair)
		share_longest(t->dialect, room, n);
	else
		n[0] = room;
	return r == BT_OK ? share_windows(s, err) : r;
}

static int reserve_output(struct bt_tok_scratch *s, size_t n)
{
	static const size_t size[7] = {4, 1, 4, 4, 1, 4, sizeof(*s->normal)};
	void *p[7] = {s->ids,  s->types, s->start, s->end,
	              s->text, s->word,  s->normal};
	size_t cap[7], i;
	int r = BT_OK;

	if (n <= s->cap)
		return BT_OK;
	for (i = 0; r == BT_OK && i < 7; i++) {
		cap[i] = s->cap;
		r = bt_grow(&p[i], &cap[i], n, size[i]);
	}
	s->ids = p[0];
	s->types = p[1];
	s->start = p[2];
	s->end = p[3];
	s->text = p[4];
	s->word = p[5];
	s->normal = p[6];
	if (r == BT_OK)
		s->cap = cap[0];
	return r;
}

/* Where n tokens of a text from i on stand in it, and what of. */
static void put_places(const struct bt_tok *t, struct bt_tok_scratch *s,
                       size_t at, int text, size_t i, size_t n)
{
	const struct bt_pieces *seq = &s->seq[text];
	const char *normal = (const char *)seq->normal.data;
	size_t end = i + n, first = i;
	struct bt_piece p;

	memset(s->text + at, text, n);
	for (; i < end; i++, at++) {
		p = seq->piece[i];
		if (t->trim.on)
			bt_tok_trim(t, s->source[text], &p, i == first);
		s->start[at] = p.start;
		s->end[at] = p.end;
		s->word[at] = seq->place[i].word;
		s->normal[at].n = seq->place[i].bytes;
		s->normal[at].p = NULL;
		if (seq->place[i].bytes > 0)
			s->normal[at].p = normal + seq->place[i].from;
	}
}

static void put_special(struct bt_tok_scratch *s, size_t at,
                        const struct bt_tok_part *part)
{
	s->ids[at] = part->id;
	s->types[at] = part->type;
	if (!s->how.offsets)
		return;
	s->start[at] = s->end[at] = s->word[at] = 0;
	s->text[at] = -1;
	s->normal[at] = (struct bt_span){NULL, 0};
}

/* Copies the ids of n tokens from i on; returns how many are `unknown`. */
static size_t copy_ids(const struct bt_tok_scratch *s, int text, size_t i,
                       size_t n, int32_t *ids, int32_t unknown)
{
	size_t k, found = 0;

	if (s->how.offsets)
		for (k = 0; k < n; k++)
			ids[k] = s->seq[text].piece[i + k].id;
	else
		memcpy(ids, s->seq[text].id + i, n * sizeof(*ids));
	for (k = 0; k < n; k++)
		found += ids[k] == unknown;
	return found;
}

/* Sets n[] tokens of the texts, from[] on, into the template. */
static void assemble(const struct bt_tok *t, struct bt_tok_scratch *s,
                     const size_t from[2], const size_t n[2],
                     struct bt_encoding *out)
{
	const struct bt_tok_template *tp = s->pair ? &t->pair : &t->one;
	int32_t unknown = t->role[BT_TOK_UNK];
	const struct bt_tok_part *part;
	size_t at = 0, count, first;
	int k;

	out->unknown = 0;
	for (k = 0; k < tp->n; k++) {
		part = &tp->part[k];
		if (part->text < 0) {
			if (!s->how.special)
				continue;
			put_special(s, at++, part);
			out->unknown += part->id == unknown;
			continue;
		}
		count = n[part->text];
		if (count == 0)
			continue;
		first = from[part->text];
		out->unknown +=
		    copy_ids(s, part->text, first, count, s->ids + at, unknown);
		memset(s->types + at, part->type, count);
		if (s->how.offsets)
			put_places(t, s, at, part->text, first, count);
		at += count;
	}
	out->n = at;
}

/* Which windows of the two texts are window k. */
static void find_window(const struct bt_tok_scratch *s, size_t k, size_t w[2])
{
	size_t whole = (s->windows[0] - 1) * s->windows[1];

	w[0] = w[1] = 0;
	if (k == 0)
		return;
	if (k > whole) {
		w[1] = k - whole;
		return;
	}
	w[0] = 1 + (k - 1) / s->windows[1];
	w[1] = (k - 1) % s->windows[1];
}

int bt_tok_window(const struct bt_tok *t, struct bt_tok_scratch *s, size_t k,
                  struct bt_encoding *out, struct bt_error *err)
{
	size_t w[2], from[2], n[2], left, all = s->windows[0] * s->windows[1];
	int i;

	find_window(s, k, w);
	for (i = 0; i < 2; i++) {
		left = s->seq[i].n - w[i] * (s->keep[i] - s->how.stride);
		n[i] = left < s->keep[i] ? left : s->keep[i];
		from[i] = t->cut_left ? left - n[i] : s->seq[i].n - left;
	}
	if (reserve_output(s, n[0] + n[1] + BT_TOK_PARTS) != BT_OK)
		return bt_error_nomem(err, "encoding a text");
	assemble(t, s, from, n, out);
	out->ids = s->ids;
	out->types = s->types;
	out->start = s->start;
	out->end = s->end;
	out->text = s->text;
	out->word = s->word;
	out->normal = s->normal;
	out->windows = all;
	out->whole = s->seq[0].n + s->seq[1].n;
	out->bare = out->whole == 0;
	if (s->how.special)
		out->whole += bt_tok_specials(t, s->pair);
	out->cut_first = s->cut_first;
	out->cut = 0;
	if (!s->how.windows)
		out->cut = s->seq[0].n - n[0] + s->seq[1].n - n[1];
	return BT_OK;
}
