/* SPDX-License-Identifier: MIT */
/*
 * Merging the symbols of a word, of all pairs the first of the lowest merge at
 * a time. Both times symbols and chances are narrow and were just written: wide
 * loads of them would have to wait.
 */
#include "tokenizer/bpe_int.h"

/* Keeps the compiler from moving a row by memmove: its wide loads wait for the
 * narrow stores before them, which takes longer than all of the rest. */
static inline void one_by_one(void)
{
	__asm__ volatile("" : : : "memory");
}

static uint32_t look(const struct bt_bpe *m, const struct bt_bpe_row *r,
                     size_t i)
{
	return bt_bpe_ranks_look(&m->pairs, r->symbol[i], r->symbol[i + 1]);
}

/* The first pair of the lowest merge. */
static size_t first_of(const struct bt_bpe_row *r, size_t n, uint32_t *low)
{
	uint32_t l = r->merge[0];
	size_t i, k = 0;

	for (i = 1; i + 1 < n; i++)
		if (r->merge[i] < l) {
			k = i;
			l = r->merge[i];
		}
	*low = l;
	return k;
}

/* Takes the symbol behind k away, of which n are left. */
static void close_up(struct bt_bpe_row *r, size_t k, size_t n)
{
	size_t i;

	r->end[k] = r->end[k + 1];
	for (i = k + 1; i < n; i++) {
		r->symbol[i] = r->symbol[i + 1];
		r->end[i] = r->end[i + 1];
		r->merge[i - 1] = r->merge[i];
		one_by_one();
	}
}

void bt_bpe_look_row(const struct bt_bpe *m, struct bt_bpe_row *r)
{
	size_t i;

	for (i = 0; i + 1 < r->n; i++)
		r->merge[i] = look(m, r, i);
}

void bt_bpe_merge_row(const struct bt_bpe *m, struct bt_bpe_row *r)
{
	size_t n = r->n, k;
	uint32_t low;

	while (n > 1) {
		k = first_of(r, n, &low);
		if (low >= BT_BPE_RANKS_MERGES)
			break;
		r->symbol[k] = bt_bpe_made(m, low);
		close_up(r, k, --n);
		if (k > 0)
			r->merge[k - 1] = look(m, r, k - 1);
		if (k + 1 < n)
			r->merge[k] = look(m, r, k);
	}
	r->n = n;
}

static bool is_before(const struct bt_bpe_candidate *a,
                      const struct bt_bpe_candidate *b)
{
	return a->merge < b->merge || (a->merge == b->merge && a->at < b->at);
}

/* Adds the pair that begins at symbol at, if it is one. There is room. */
static void push(const struct bt_bpe *m, struct bt_bpe_work *w, int32_t at)
{
	const struct bt_bpe_symbol *s = &w->symbol[at];
	struct bt_bpe_candidate *h = w->heap, c;
	size_t i = w->chances, up;

	if (s->next < 0)
		return;
	c.merge = bt_bpe_ranks_find(&m->pairs, s->id, w->symbol[s->next].id);
	c.at = at;
	if (c.merge == BT_NO_MERGE)
		return;
	w->chances++;
	for (; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!is_before(&c, &h[up]))
			break;
		h[i] = h[up];
	}
	h[i] = c;
}

static struct bt_bpe_candidate pop(struct bt_bpe_work *w)
{
	struct bt_bpe_candidate *h = w->heap, top = h[0], c = h[--w->chances];
	size_t i = 0, down;

	while ((down = 2 * i + 1) < w->chances) {
		if (down + 1 < w->chances && is_before(&h[down + 1], &h[down]))
			down++;
		if (!is_before(&h[down], &c))
			break;
		h[i] = h[down];
		i = down;
	}
	h[i] = c;
	return top;
}

/* Each merge takes one pair away and adds two at most: 3 n are room enough. */
void bt_bpe_merge_long(const struct bt_bpe *m, struct bt_bpe_work *w)
{
	struct bt_bpe_symbol *s = w->symbol, *right;
	struct bt_bpe_candidate c;
	size_t i, n = 0;

	w->chances = 0;
	for (i = 0; i < w->n; i++)
		push(m, w, (int32_t)i);
	while (w->chances > 0) {
		c = pop(w);
		if (s[c.at].len == 0 || s[c.at].next < 0)
			continue;
		right = &s[s[c.at].next];
		if (bt_bpe_ranks_find(&m->pairs, s[c.at].id, right->id) !=
		    c.merge)
			continue; /* its halves have changed */
		s[c.at].id = bt_bpe_made(m, c.merge);
		s[c.at].len += right->len;
		s[c.at].next = right->next;
		right->len = 0;
		if (right->next >= 0)
			s[right->next].prev = c.at;
		if (s[c.at].prev >= 0)
			push(m, w, s[c.at].prev);
		push(m, w, c.at);
	}
	for (i = 0; i < w->n; i++)
		if (s[i].len != 0)
			s[n++] = s[i];
	w->n = n;
}
