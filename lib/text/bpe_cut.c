/* SPDX-License-Identifier: MIT */
/* Cutting a word with the table of pairs. */
#include "text/bpe_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/utf8.h"
#include "text/wordrun.h"

#define SHORT 40 /* symbols that are scanned for the next merge */

int bt_bpe_work_new(const struct bt_model *model, void **work)
{
	struct bt_bpe_work *w = bt_array0(1, sizeof(*w));

	(void)model;
	if (w == NULL)
		return BT_ENOMEM;
	if (bt_word_cache_init(&w->words, BT_WORD_BITS) != BT_OK) {
		free(w);
		return BT_ENOMEM;
	}
	*work = w;
	return BT_OK;
}

void bt_bpe_work_free(void *work)
{
	struct bt_bpe_work *w = work;

	if (w == NULL)
		return;
	bt_word_cache_clear(&w->words);
	free(w->symbol);
	free(w->heap);
	free(w);
}

/* The node behind n bytes of the text, as the vocabulary writes them. */
static uint32_t walk(const struct bt_bpe *m, uint32_t node, const uint8_t *p,
                     size_t n)
{
	size_t i, k;

	for (i = 0; i < n && node != BT_TRIE_NONE; i++) {
		if (!m->opts.bytes) {
			node = bt_trie_step(m->trie, node, p[i]);
			continue;
		}
		for (k = 0; k < m->byte_len[p[i]] && node != BT_TRIE_NONE; k++)
			node =
			    bt_trie_step(m->trie, node, m->byte_text[p[i]][k]);
	}
	return node;
}

/* The token of one character, or byte, of a word; -1: there is none. */
static int32_t find_symbol(const struct bt_bpe *m, const uint8_t *p, size_t n,
                           bool first, bool last)
{
	const struct bt_span *end = &m->opts.suffix;
	uint32_t node = first ? BT_TRIE_ROOT : m->more;
	size_t i;

	node = walk(m, node, p, n);
	for (i = 0; last && i < end->n && node != BT_TRIE_NONE; i++)
		node = bt_trie_step(m->trie, node, (uint8_t)end->p[i]);
	if (node == BT_TRIE_NONE || !bt_trie_is_end(m->trie, node))
		return -1;
	return (int32_t)bt_trie_number(m->trie, node);
}

static void add(struct bt_bpe_work *w, int32_t id, size_t len)
{
	struct bt_symbol *s = &w->symbol[w->n];

	s->id = id;
	s->len = (uint32_t)len;
	s->prev = (int32_t)w->n - 1;
	s->next = -1;
	if (w->n > 0)
		s[-1].next = (int32_t)w->n;
	w->n++;
}

/* A character as the tokens of its bytes; false: some are missing. */
static bool fall_back(const struct bt_bpe *m, struct bt_bpe_work *w,
                      const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (m->fallback[p[i]] < 0)
			return false;
	for (i = 0; i < n; i++)
		add(w, m->fallback[p[i]], 1);
	return true;
}

/* The word as single characters or bytes. What is unknown waits until it is
 * known whether the next is, too. */
static void begin(const struct bt_bpe *m, struct bt_bpe_work *w,
                  const uint8_t *p, const uint8_t *end)
{
	const uint8_t *start = p;
	bool single = m->opts.bytes && m->opts.prefix.n + m->opts.suffix.n == 0;
	size_t waits = 0, n;
	int32_t id;

	for (; p < end; p += n) {
		n = m->opts.bytes ? 1 : bt_utf8_len(*p);
		id = single ? m->byte_id[*p]
		            : find_symbol(m, p, n, p == start, p + n == end);
		if (id >= 0) {
			if (waits > 0)
				add(w, m->opts.unknown, waits);
			waits = 0;
			add(w, id, n);
			continue;
		}
		if (m->opts.byte_fallback && fall_back(m, w, p, n))
			continue;
		if (m->opts.unknown < 0)
			continue;
		if (waits > 0 && !m->opts.fuse_unk) {
			add(w, m->opts.unknown, waits);
			waits = 0;
		}
		waits += n;
	}
	if (waits > 0)
		add(w, m->opts.unknown, waits);
}

static uint32_t rank_of(const struct bt_bpe *m, const struct bt_symbol *s,
                        int32_t *id)
{
	const struct bt_pair *p = bt_bpe_find(m, s[0].id, s[1].id);

	if (p == NULL)
		return BT_NO_RANK;
	*id = p->id;
	return p->rank;
}

static void merge_short(const struct bt_bpe *m, struct bt_bpe_work *w)
{
	struct bt_symbol *s = w->symbol;
	uint32_t rank[SHORT];
	int32_t id[SHORT] = {0};
	size_t n = w->n, i, k;

	for (i = 0; i + 1 < n; i++)
		bt_bpe_expect(m, s[i].id, s[i + 1].id);
	for (i = 0; i + 1 < n; i++)
		rank[i] = rank_of(m, s + i, &id[i]);
	while (n > 1) {
		for (k = 0, i = 1; i + 1 < n; i++)
			if (rank[i] < rank[k])
				k = i;
		if (rank[k] == BT_NO_RANK)
			break;
		s[k].id = id[k];
		s[k].len += s[k + 1].len;
		if (k > 0)
			bt_bpe_expect(m, s[k - 1].id, s[k].id);
		if (k + 2 < n)
			bt_bpe_expect(m, s[k].id, s[k + 2].id);
		n--;
		for (i = k + 1; i < n; i++)
			s[i] = s[i + 1];
		for (i = k + 1; i + 1 < n; i++) {
			rank[i] = rank[i + 1];
			id[i] = id[i + 1];
		}
		if (k > 0)
			rank[k - 1] = rank_of(m, s + k - 1, &id[k - 1]);
		if (k + 1 < n)
			rank[k] = rank_of(m, s + k, &id[k]);
	}
	w->n = n;
}

static bool is_before(const struct bt_chance *a, const struct bt_chance *b)
{
	return a->rank < b->rank || (a->rank == b->rank && a->at < b->at);
}

/* Adds the pair that begins at symbol at, if it is one. There is room. */
static void push(const struct bt_bpe *m, struct bt_bpe_work *w, int32_t at)
{
	const struct bt_symbol *s = &w->symbol[at];
	const struct bt_pair *p;
	struct bt_chance *h = w->heap, c;
	size_t i = w->chances, up;

	if (s->next < 0)
		return;
	p = bt_bpe_find(m, s->id, w->symbol[s->next].id);
	if (p == NULL)
		return;
	c = (struct bt_chance){p->rank, at, p->id};
	w->chances++;
	for (; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!is_before(&c, &h[up]))
			break;
		h[i] = h[up];
	}
	h[i] = c;
}

static struct bt_chance pop(struct bt_bpe_work *w)
{
	struct bt_chance *h = w->heap, top = h[0], c = h[--w->chances];
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
static void merge_long(const struct bt_bpe *m, struct bt_bpe_work *w)
{
	struct bt_symbol *s = w->symbol, *right;
	const struct bt_pair *p;
	struct bt_chance c;
	size_t i, n = 0;

	w->chances = 0;
	for (i = 0; i < w->n; i++)
		push(m, w, (int32_t)i);
	while (w->chances > 0) {
		c = pop(w);
		if (s[c.at].len == 0 || s[c.at].next < 0)
			continue;
		right = &s[s[c.at].next];
		p = bt_bpe_find(m, s[c.at].id, right->id);
		if (p == NULL || p->id != c.id)
			continue; /* its halves have changed */
		s[c.at].id = c.id;
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

/* Sets w->symbol[0 .. n-1] to the pieces of the word. */
static int cut(const struct bt_bpe *m, struct bt_bpe_work *w,
               const uint8_t *text, size_t n)
{
	uint32_t node;
	int r;

	r = bt_grow(&w->symbol, &w->symbol_cap, n, sizeof(*w->symbol));
	if (r != BT_OK)
		return r;
	w->n = 0;
	if (m->opts.ignore_merges) {
		node = walk(m, BT_TRIE_ROOT, text, n);
		if (node != BT_TRIE_NONE && bt_trie_is_end(m->trie, node)) {
			add(w, (int32_t)bt_trie_number(m->trie, node), n);
			return BT_OK;
		}
	}
	begin(m, w, text, text + n);
	if (w->n < 2)
		return BT_OK;
	if (w->n <= SHORT) {
		merge_short(m, w);
		return BT_OK;
	}
	r = bt_grow(&w->heap, &w->heap_cap, 3 * w->n, sizeof(*w->heap));
	if (r == BT_OK)
		merge_long(m, w);
	return r;
}

/* Appends the pieces of a word that is new. */
static int cut_new(const void *model, void *work, const uint8_t *text,
                   size_t from, size_t to, struct bt_pieces *out)
{
	struct bt_bpe_work *w = work;
	uint32_t at = (uint32_t)from;
	struct bt_piece *p;
	size_t i;

	if (bt_pieces_room(out, to - from) != BT_OK ||
	    cut(model, w, text + from, to - from) != BT_OK)
		return BT_ENOMEM;
	p = out->piece + out->n;
	for (i = 0; i < w->n; i++) {
		p[i].id = w->symbol[i].id;
		p[i].start = at;
		at += w->symbol[i].len;
		p[i].end = at;
	}
	out->n += w->n;
	return BT_OK;
}

int bt_bpe_cut(const struct bt_model *model, void *work, const uint8_t *text,
               size_t from, size_t to, struct bt_pieces *out)
{
	struct bt_bpe_work *w = work;
	const struct bt_word_run run = {&w->words, cut_new, model, work};

	return bt_word_run(&run, text, from, to, out);
}

int bt_bpe_cut_words(const struct bt_model *model, void *work,
                     const uint8_t *text, size_t end,
                     const struct bt_stretch *word, size_t n,
                     struct bt_pieces *out)
{
	struct bt_bpe_work *w = work;
	const struct bt_word_run run = {&w->words, cut_new, model, work};

	return bt_word_run_many(&run, text, end, word, n, out);
}
