/* SPDX-License-Identifier: MIT */
/*
 * Sentences are gathered until they have the tokens that a sequence is to have.
 * A random number of them is the first segment; the second is the rest or, as
 * often, and where there is no rest, sentences of a random document. What was
 * not used is gathered again.
 *
 * Both segments are sentences in a row, so each is a range of the tokens of all
 * documents.
 */
#include "pretrain/pairs_int.h"

#include "pretrain/python_random_int.h"

#define SPECIAL 3 /* [CLS] A [SEP] B [SEP] */

struct range {
	uint64_t from, to;
};

static uint32_t below(struct bt_pairs *p, uint32_t n)
{
	return bt_python_random_below(p->random, n);
}

static bool chance(struct bt_pairs *p, double of)
{
	return bt_python_random_real(p->random) < of;
}

static uint64_t length(struct range r)
{
	return r.to - r.from;
}

static struct range tokens_of(const struct bt_pairs *p, uint32_t sentence,
                              uint32_t end)
{
	return (struct range){p->d->start[sentence], p->d->start[end]};
}

/* Sentences of a document, another if that can be, until there are so many
 * tokens. */
static struct range random_segment(struct bt_pairs *p, uint32_t at,
                                   int64_t wanted)
{
	const struct bt_document *doc;
	uint32_t other = at, begin, end, i;

	for (i = 0; i < 10 && other == at; i++)
		other = below(p, p->d->n);
	doc = &p->d->document[other];
	begin = end = doc->first + below(p, doc->n);
	do
		end++;
	while (end < doc->first + doc->n &&
	       (int64_t)length(tokens_of(p, begin, end)) < wanted);
	return tokens_of(p, begin, end);
}

/* The longer one gives, now at its beginning and now at its end. */
static void truncate(struct bt_pairs *p, struct range *a, struct range *b)
{
	struct range *longer;

	while (length(*a) + length(*b) > p->tokens - SPECIAL) {
		longer = length(*a) > length(*b) ? a : b;
		if (chance(p, 0.5))
			longer->from++;
		else
			longer->to--;
	}
}

static int hand_on(struct bt_pairs *p, struct range a, struct range b,
                   bool random, struct bt_error *err)
{
	struct bt_pair *pair = &p->pair;
	size_t n = (size_t)length(a), m = (size_t)length(b);
	int r;

	pair->random = random;
	pair->second = (uint32_t)n + 2;
	pair->n = (uint32_t)(n + m) + SPECIAL;
	pair->id[0] = p->mask->cls;
	pair->id[n + 1] = pair->id[pair->n - 1] = p->mask->sep;
	r = bt_documents_tokens(p->d, a.from, a.to, pair->id + 1, err);
	if (r == BT_OK)
		r = bt_documents_tokens(p->d, b.from, b.to,
		                        pair->id + pair->second, err);
	if (r != BT_OK)
		return r;
	pair->masks = (uint32_t)bt_mask_apply(p->mask, pair->id, pair->n,
	                                      pair->position, pair->label);
	return p->take(p->ctx, pair, err);
}

/* A sequence of sentences begin .. *end-1, of which *end becomes the first that
 * was not used. */
static int divide(struct bt_pairs *p, uint32_t at, int64_t wanted,
                  uint32_t begin, uint32_t *end, struct bt_error *err)
{
	uint32_t n = *end - begin, split = begin + 1;
	struct range a, b;
	bool random;

	if (n >= 2)
		split = begin + 1 + below(p, n - 1);
	a = tokens_of(p, begin, split);
	random = n == 1 || chance(p, 0.5);
	if (random) {
		b = random_segment(p, at, wanted - (int64_t)length(a));
		*end = split;
	} else {
		b = tokens_of(p, split, *end);
	}
	truncate(p, &a, &b);
	return hand_on(p, a, b, random, err);
}

int bt_pairs_make(struct bt_pairs *p, uint32_t at, struct bt_error *err)
{
	const struct bt_document doc = p->d->document[at];
	uint32_t begin = doc.first, end = begin, last = begin + doc.n;
	uint32_t room = (uint32_t)p->tokens - SPECIAL, wanted = room;
	int r = BT_OK;

	if (chance(p, p->short_prob))
		wanted = 2 + below(p, room - 1);
	while (r == BT_OK && end < last) {
		end++;
		if (end < last && length(tokens_of(p, begin, end)) < wanted)
			continue;
		r = divide(p, at, wanted, begin, &end, err);
		begin = end;
	}
	return r;
}
