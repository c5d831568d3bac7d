/* SPDX-License-Identifier: MIT */
#include "train/batches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/philox.h"

/* Examples of the order. */
static size_t length_of(const struct bt_batches *b)
{
	return b->o.stream ? 2 * b->n : b->n;
}

/* Examples that count as one, at most. */
static size_t most_together(const struct bt_batches *b)
{
	return b->o.pairs ? 2 : b->d->most_texts > 1 ? b->d->most_texts : 1;
}

/* Room for the pairs; b->last stays NULL when out of memory. */
static void begin_pairs(struct bt_batches *b)
{
	size_t i;

	for (i = 0; i < b->d->n; i++)
		if ((size_t)b->d->label[i] >= b->classes)
			b->classes = (size_t)b->d->label[i] + 1;
	b->other = bt_array(b->d->n, sizeof(*b->other));
	if (b->other != NULL)
		b->last = bt_array(b->classes, sizeof(*b->last));
}

int bt_batches_init(struct bt_batches *b, const struct bt_dataset *d,
                    const struct bt_batching *o, struct bt_error *err)
{
	memset(b, 0, sizeof(*b));
	b->o = *o;
	b->d = d;
	b->epoch = -1;
	b->n = o->pairs ? 2 * d->n : d->n;
	if (o->stream && (o->size == 0 || o->tokens != 0 ||
	                  o->size > d->n / (size_t)o->accumulate))
		return bt_error_set(err, BT_EARG,
		                    "an update takes %zu examples, and there "
		                    "are %zu",
		                    o->size * (size_t)o->accumulate, d->n);
	b->order = bt_array(length_of(b), sizeof(*b->order));
	if (b->order != NULL && o->pairs)
		begin_pairs(b);
	else if (b->order != NULL && d->most_texts > 1)
		b->first = bt_dataset_find_texts(d, &b->groups);
	return b->order != NULL && (most_together(b) == 1 || b->first != NULL ||
	                            b->last != NULL)
	           ? BT_OK
	           : bt_error_nomem(err, "ordering examples");
}

void bt_batches_clear(struct bt_batches *b)
{
	free(b->order);
	free(b->first);
	free(b->other);
	free(b->last);
	memset(b, 0, sizeof(*b));
}

/* The examples that follow the one at `at` of the order and belong to it, and
 * itself; their tokens are added. */
static size_t group_at(const struct bt_batches *b, size_t at, size_t *tokens)
{
	const struct bt_dataset *d = b->d;
	size_t n = 0, end = length_of(b);

	do
		*tokens += bt_dataset_length(d, b->order[at + n++]);
	while (at + n < end &&
	       (b->other != NULL
	            ? n < 2
	            : b->first != NULL && d->continues[b->order[at + n]] ==
	                                      BT_CONTINUES_GROUP));
	return n;
}

/* The circles of an epoch's pairs: in random order, each example enters its
 * class's behind the one that did last. scratch: [d->n]. */
static void draw_pairs(const struct bt_batches *b, uint32_t epoch,
                       uint32_t *scratch)
{
	const struct bt_dataset *d = b->d;
	uint32_t x, *last;
	size_t i;

	bt_random_order(b->o.seed, BT_PURPOSE_PAIRS, epoch, scratch,
	                (uint32_t)d->n);
	for (i = 0; i < b->classes; i++)
		b->last[i] = UINT32_MAX;
	for (i = 0; i < d->n; i++) {
		x = scratch[i];
		last = &b->last[d->label[x]];
		b->other[x] = *last != UINT32_MAX ? b->other[*last] : x;
		if (*last != UINT32_MAX)
			b->other[*last] = x;
		*last = x;
	}
}

/* An order of one epoch's examples, groups in theirs. */
static void shuffle(const struct bt_batches *b, uint32_t epoch, uint32_t *order)
{
	size_t n = b->first != NULL ? b->groups : b->d->n, i, end, to = b->d->n;
	uint32_t x;

	if (b->other != NULL)
		draw_pairs(b, epoch, order);
	bt_random_order(b->o.seed, BT_PURPOSE_SHUFFLE, epoch, order,
	                (uint32_t)n);
	for (i = n; b->other != NULL && i-- > 0;) {
		order[2 * i + 1] = b->other[order[i]];
		order[2 * i] = order[i];
	}
	/* from the end, each group takes the place of its number and more */
	for (i = n; b->first != NULL && i-- > 0;) {
		x = order[i];
		end = x + 1 < n ? b->first[x + 1] : b->d->n;
		while (end > b->first[x])
			order[--to] = (uint32_t)--end;
	}
}

void bt_batches_seek(struct bt_batches *b, int64_t epoch, size_t pos)
{
	size_t n = length_of(b), at;

	for (at = 0; epoch != b->epoch && at < n; at += b->n)
		shuffle(b, (uint32_t)(epoch + (at > 0)), b->order + at);
	b->epoch = epoch;
	b->pos = pos;
}

size_t bt_batches_at(const struct bt_batches *b, size_t pos)
{
	size_t n = 0, groups = 0, tokens = 0, more, end = length_of(b);

	while (pos + n < end && (b->o.size == 0 || groups < b->o.size)) {
		more = group_at(b, pos + n, &tokens);
		if (n > 0 && b->o.tokens != 0 && tokens > b->o.tokens)
			break;
		n += more;
		groups++;
	}
	return n;
}

size_t bt_batches_part(const struct bt_batches *b, size_t pos, size_t n, int s,
                       int parts)
{
	size_t all = 0, before = 0, tokens, at, more;

	for (at = 0; at < n;)
		at += group_at(b, pos + at, &all);
	for (at = 0; at < n; at += more) {
		tokens = before;
		more = group_at(b, pos + at, &tokens);
		/* the middle of the group, in halves of a part's tokens */
		if (s < parts &&
		    (before + tokens) * (size_t)parts >= 2 * all * (size_t)s)
			break;
		before = tokens;
	}
	return at;
}

size_t bt_batches_update_end(const struct bt_batches *b, size_t pos)
{
	size_t end = length_of(b);
	int i;

	for (i = 0; i < b->o.accumulate && pos < end; i++)
		pos += bt_batches_at(b, pos);
	return pos;
}

size_t bt_batches_between(const struct bt_batches *b, size_t pos, size_t end)
{
	size_t n = 0;

	if (b->first == NULL)
		return (end - pos) / most_together(b);
	for (; pos < end; pos++)
		n += b->d->continues[b->order[pos]] != BT_CONTINUES_GROUP;
	return n;
}

int64_t bt_batches_count(struct bt_batches *b, int64_t epoch)
{
	int64_t n = 0;
	size_t pos = 0;

	bt_batches_seek(b, epoch, 0);
	for (; pos < b->n; n++)
		pos = bt_batches_update_end(b, pos);
	return n;
}

int64_t bt_batches_total(struct bt_batches *b, double epochs)
{
	int64_t whole = (int64_t)epochs, e, total = 0;
	int64_t first = bt_batches_count(b, 0);
	double part = epochs - (double)whole;

	if (b->o.tokens == 0) /* every epoch has as many */
		return (int64_t)ceil(epochs * (double)first - 1e-9);
	for (e = 0; e < whole; e++)
		total += bt_batches_count(b, e);
	if (part > 0)
		total +=
		    (int64_t)ceil(part * (double)bt_batches_count(b, e) - 1e-9);
	return total;
}

static int falling(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x < y) - (x > y);
}

/* Examples of a batch at most, by its size. */
static size_t most(const struct bt_batches *b)
{
	size_t each = most_together(b);

	return b->o.size < b->n / each ? b->o.size * each : b->n;
}

/* Tokens of so many examples at most, each as often as it may be in one batch.
 */
static size_t longest(const struct bt_batches *b, size_t examples)
{
	size_t n = b->d->n, i, sum = 0, often = length_of(b) / n;
	uint32_t *len = bt_array(n, sizeof(*len));

	if (len == NULL)
		return examples * b->d->longest;
	for (i = 0; i < n; i++)
		len[i] = (uint32_t)bt_dataset_length(b->d, i);
	qsort(len, n, sizeof(*len), falling);
	for (i = 0; i < examples; i++)
		sum += len[i / often];
	free(len);
	return sum;
}

size_t bt_batches_max_tokens(const struct bt_batches *b)
{
	/* of a group; no two need fit */
	size_t one = b->d->longest * most_together(b), sum;

	if (b->o.size == 0)
		return b->o.tokens > one ? b->o.tokens : one;
	sum = longest(b, most(b));
	if (b->o.tokens != 0 && sum > b->o.tokens)
		sum = b->o.tokens > one ? b->o.tokens : one;
	return sum;
}

size_t bt_batches_max_texts(const struct bt_batches *b)
{
	size_t n = b->o.size != 0 ? most(b) : b->n;

	/* a text has a token at least */
	if (b->o.tokens != 0 && b->o.tokens < n)
		n = b->o.tokens;
	/* a group is never parted */
	return n > most_together(b) ? n : most_together(b);
}

size_t bt_batches_update_texts(const struct bt_batches *b)
{
	size_t batch = bt_batches_max_texts(b), n = (size_t)b->o.accumulate;

	return batch < length_of(b) / n ? batch * n : length_of(b);
}

size_t bt_batches_update_tokens(const struct bt_batches *b)
{
	size_t batch = bt_batches_max_tokens(b), n = (size_t)b->o.accumulate;
	size_t all = longest(b, bt_batches_update_texts(b));

	return batch < all / n ? batch * n : all;
}
