/* SPDX-License-Identifier: MIT */
/* Encoding: the tokens of the texts (tokrun.c) are cut to length and set into
 * the template. */
#include "text/tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/charset.h"
#include "text/tok_int.h"

struct bt_tok_scratch {
	struct bt_tok_buffers buffers;
	void (*work_free)(void *work);
	struct bt_pieces seq[2]; /* of each text */
	int32_t *ids;
	uint8_t *types;
	uint32_t *start, *end;
	int8_t *text;
	size_t cap; /* of each of these five */
};

const char *bt_tok_fingerprint(const struct bt_tok *t)
{
	return t->fingerprint;
}

size_t bt_tok_size(const struct bt_tok *t)
{
	return t->vocab.n;
}

size_t bt_tok_model_size(const struct bt_tok *t)
{
	return t->model_size;
}

size_t bt_tok_max_positions(const struct bt_tok *t)
{
	return t->max_positions;
}

size_t bt_tok_max_length(const struct bt_tok *t)
{
	return t->max_length;
}

struct bt_span bt_tok_token(const struct bt_tok *t, int32_t id)
{
	if (id < 0 || (size_t)id >= t->vocab.n)
		return bt_span("");
	return t->vocab.token[id];
}

int32_t bt_tok_id(const struct bt_tok *t, struct bt_span token)
{
	size_t i;

	for (i = 0; i < t->tokens; i++)
		if (bt_span_equal(t->token[i].content, token))
			return t->token[i].id;
	return (int32_t)bt_vocab_find(&t->vocab, token);
}

int32_t bt_tok_role(const struct bt_tok *t, enum bt_tok_role role)
{
	return t->role[role];
}

static const struct bt_tok_template *template_of(const struct bt_tok *t,
                                                 bool pair)
{
	return pair ? &t->pair : &t->one;
}

size_t bt_tok_specials(const struct bt_tok *t, bool pair)
{
	return (size_t)template_of(t, pair)->n - (pair ? 2 : 1);
}

int bt_tok_scratch_new(const struct bt_tok *t, struct bt_tok_scratch **scratch,
                       struct bt_error *err)
{
	const struct bt_model_ops *ops = t->model->ops;
	struct bt_tok_scratch *s = bt_array0(1, sizeof(*s));

	if (s == NULL || (ops->work_new != NULL &&
	                  ops->work_new(t->model, &s->buffers.work) != BT_OK)) {
		free(s);
		return bt_error_nomem(err, "starting a tokenizer");
	}
	s->work_free = ops->work_free;
	*scratch = s;
	return BT_OK;
}

void bt_tok_scratch_free(struct bt_tok_scratch *s)
{
	if (s == NULL)
		return;
	bt_tok_buffers_clear(&s->buffers);
	if (s->work_free != NULL)
		s->work_free(s->buffers.work);
	free(s->seq[0].piece);
	free(s->seq[1].piece);
	free(s->ids);
	free(s->types);
	free(s->start);
	free(s->end);
	free(s->text);
	free(s);
}

static int encode_text(const struct bt_tok *t, struct bt_tok_scratch *s,
                       int which, struct bt_span text, bool offsets,
                       struct bt_error *err)
{
	size_t good;

	if (text.n > INT32_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "a text of %zu bytes is too long", text.n);
	good = bt_charset_check(BT_CHARSET_UTF8, text.p, text.n);
	if (good != text.n)
		return bt_error_set(err, BT_EFORMAT,
		                    "the text is not valid UTF-8 at byte %zu",
		                    good);
	if (bt_tok_run(t, &s->buffers, text, offsets, &s->seq[which]) != BT_OK)
		return bt_error_nomem(err, "encoding a text");
	return BT_OK;
}

/*
 * How much is left of two texts of n[0] and n[1] tokens within room: tokens go
 * from the end of the longer one. Where both are longer than half the room and
 * this is odd, one more token is left of the first in Google's code; in Hugging
 * Face's of the one that was longer, of the second if they were equal.
 */
static void share(enum bt_tok_dialect dialect, size_t room, size_t n[2])
{
	int longer = n[0] > n[1] ? 0 : 1;

	if (n[0] + n[1] <= room)
		return;
	if (n[!longer] <= room / 2) {
		n[longer] = room - n[!longer];
		return;
	}
	if (dialect == BT_TOK_GOOGLE)
		longer = 0;
	n[longer] = room / 2 + room % 2;
	n[!longer] = room / 2;
}

/* Sets keep[] to the tokens that stay of each text. */
static int cut(const struct bt_tok *t, struct bt_tok_scratch *s, bool pair,
               const struct bt_tok_how *how, size_t keep[2],
               struct bt_error *err)
{
	size_t specials = how->special ? bt_tok_specials(t, pair) : 0;

	keep[0] = s->seq[0].n;
	keep[1] = pair ? s->seq[1].n : 0;
	if (how->max_length == 0)
		return BT_OK;
	if (how->max_length < specials + (pair ? 2 : 1))
		return bt_error_set(
		    err, BT_EARG, "%zu tokens leave no room for %s",
		    how->max_length, pair ? "a pair of texts" : "a text");
	if (pair)
		share(t->dialect, how->max_length - specials, keep);
	else if (keep[0] > how->max_length - specials)
		keep[0] = how->max_length - specials;
	return BT_OK;
}

static int reserve_output(struct bt_tok_scratch *s, size_t n)
{
	size_t cap[5] = {s->cap, s->cap, s->cap, s->cap, s->cap};
	void *p[5] = {s->ids, s->types, s->start, s->end, s->text};
	static const size_t size[5] = {4, 1, 4, 4, 1};
	int i, r = BT_OK;

	if (n <= s->cap)
		return BT_OK;
	for (i = 0; r == BT_OK && i < 5; i++)
		r = bt_grow(&p[i], &cap[i], n, size[i]);
	s->ids = p[0];
	s->types = p[1];
	s->start = p[2];
	s->end = p[3];
	s->text = p[4];
	if (r == BT_OK)
		s->cap = cap[0];
	return r;
}

static void put(struct bt_tok_scratch *s, size_t at, struct bt_piece piece,
                const struct bt_tok_part *part)
{
	s->ids[at] = piece.id;
	s->types[at] = part->type;
	s->start[at] = piece.start;
	s->end[at] = piece.end;
	s->text[at] = part->text;
}

/* Sets the texts into the template; returns the number of tokens. */
static size_t assemble(const struct bt_tok *t, struct bt_tok_scratch *s,
                       bool pair, bool special, const size_t keep[2])
{
	const struct bt_tok_template *tp = template_of(t, pair);
	const struct bt_tok_part *part;
	struct bt_piece *from;
	size_t n = 0, i;
	int k;

	for (k = 0; k < tp->n; k++) {
		part = &tp->part[k];
		if (part->text < 0) {
			if (special)
				put(s, n++, (struct bt_piece){part->id, 0, 0},
				    part);
			continue;
		}
		from = s->seq[part->text].piece;
		if (t->cut_left)
			from += s->seq[part->text].n - keep[part->text];
		for (i = 0; i < keep[part->text]; i++)
			put(s, n++, from[i], part);
	}
	return n;
}

static size_t count(const struct bt_tok_scratch *s, size_t n, int32_t id)
{
	size_t i, found = 0;

	for (i = 0; i < n; i++)
		found += s->ids[i] == id;
	return found;
}

/* Trims the pieces that stay of a text. */
static void trim(const struct bt_tok *t, struct bt_pieces *s,
                 struct bt_span text, size_t keep)
{
	size_t from = t->cut_left ? s->n - keep : 0, i;

	for (i = 0; i < keep; i++)
		bt_tok_trim(t, text, &s->piece[from + i], i == 0);
}

int bt_tok_encode(const struct bt_tok *t, struct bt_tok_scratch *s,
                  struct bt_span a, struct bt_span b,
                  const struct bt_tok_how *how, struct bt_encoding *out,
                  struct bt_error *err)
{
	bool pair = b.p != NULL;
	size_t keep[2], n;
	int r = encode_text(t, s, 0, a, how->offsets, err);

	s->seq[1].n = 0;
	if (r == BT_OK && pair) {
		r = encode_text(t, s, 1, b, how->offsets, err);
		if (r != BT_OK)
			bt_error_prefix(err, "the second of the pair");
	}
	/* Google's code takes an empty second text for none */
	if (t->dialect == BT_TOK_GOOGLE && s->seq[1].n == 0)
		pair = false;
	if (r == BT_OK)
		r = cut(t, s, pair, how, keep, err);
	if (r != BT_OK)
		return r;
	if (reserve_output(s, keep[0] + keep[1] + BT_TOK_PARTS) != BT_OK)
		return bt_error_nomem(err, "encoding a text");
	if (how->offsets && t->trim.on) {
		trim(t, &s->seq[0], a, keep[0]);
		trim(t, &s->seq[1], b, keep[1]);
	}
	n = assemble(t, s, pair, how->special, keep);
	out->ids = s->ids;
	out->types = s->types;
	out->start = s->start;
	out->end = s->end;
	out->text = s->text;
	out->n = n;
	out->cut = s->seq[0].n - keep[0] + s->seq[1].n - keep[1];
	out->unknown = count(s, n, t->role[BT_TOK_UNK]);
	return BT_OK;
}
