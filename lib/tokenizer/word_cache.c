/* SPDX-License-Identifier: MIT */
#include "tokenizer/word_cache.h"

#define FIRST 10 /* bits of the first size: 64 KB */
#define STEP 2   /* bits more each time */

#define WHOLE UINT64_MAX
#define BITS(n) (WHOLE >> (64 - 8 * (n)))

const uint64_t bt_word_mask[BT_WORD_SHORT + 1][2] = {
    {0},
    {BITS(1)},
    {BITS(2)},
    {BITS(3)},
    {BITS(4)},
    {BITS(5)},
    {BITS(6)},
    {BITS(7)},
    {WHOLE},
    {WHOLE, BITS(1)},
    {WHOLE, BITS(2)},
    {WHOLE, BITS(3)},
    {WHOLE, BITS(4)},
    {WHOLE, BITS(5)},
    {WHOLE, BITS(6)},
    {WHOLE, BITS(7)},
};

/* Up to eight bytes, none behind them read, and zeros. */
static uint64_t few(const uint8_t *p, size_t n)
{
	uint32_t a, b;

	if (n == 8)
		return bt_word_eight(p);
	if (n >= 4) {
		memcpy(&a, p, 4);
		memcpy(&b, p + n - 4, 4);
		return a | (uint64_t)b << 8 * (n - 4);
	}
	if (n == 0)
		return 0;
	/* of two bytes the second twice, of one this three times */
	return p[0] | (uint32_t)p[n / 2] << 8 * (n / 2) |
	       (uint32_t)p[n - 1] << 8 * (n - 1);
}

void bt_word_seek_any(const struct bt_word_cache *c, const uint8_t *p, size_t n,
                      struct bt_word_query *q)
{
	q->n = n;
	q->line = NULL;
	if (c->line == NULL || n > BT_WORD_KEY)
		return;
	q->more = 0;
	if (n > BT_WORD_SHORT) {
		q->key[0] = bt_word_eight(p);
		q->key[1] = bt_word_eight(p + 8) | (uint64_t)BT_WORD_LONG << 56;
		q->more = few(p + BT_WORD_SHORT, n - BT_WORD_SHORT);
	} else {
		q->key[0] = few(p, n < 8 ? n : 8);
		q->key[1] = (uint64_t)n << 56;
		if (n > 8)
			q->key[1] |= few(p + 8, n - 8);
	}
	q->line = bt_word_place(c, q->key);
	__builtin_prefetch(q->line);
}

static int take(struct bt_word_cache *c, unsigned bits)
{
	size_t size = ((size_t)1 << bits) * sizeof(*c->line);

	if (bt_arena_init(&c->arena, size) != BT_OK)
		return BT_ENOMEM;
	bt_arena_take(&c->arena);
	c->line = c->arena.base;
	c->bits = bits;
	c->shift = 64 - bits;
	c->quick = BT_WORD_SHORT;
	c->kept = 0;
	return BT_OK;
}

int bt_word_cache_init(struct bt_word_cache *c, unsigned most)
{
	c->most = most;
	return take(c, most < FIRST ? most : FIRST);
}

/* Half a line for a short word: the newer of two is the first. */
static struct bt_word_slot *half_of(struct bt_word_line *l)
{
	if (bt_word_mark(&l->second) == BT_WORD_LONG)
		memset(&l->second, 0, sizeof(l->second));
	else if (bt_word_mark(&l->first) != 0)
		l->second = l->first;
	return &l->first;
}

static struct bt_word_line *beside(const struct bt_word_cache *c,
                                   const struct bt_word_line *l)
{
	return &c->line[(size_t)(l - c->line) ^ 1];
}

static bool is_free(const struct bt_word_line *l)
{
	return bt_word_mark(&l->first) == 0;
}

/* The line, or its neighbour, that is to keep a word that is short or not. */
static struct bt_word_line *choose(const struct bt_word_cache *c,
                                   struct bt_word_line *l, bool is_short)
{
	struct bt_word_line *other = beside(c, l);

	if (is_free(l) || (is_short && bt_word_mark(&l->second) == 0))
		return l;
	if (is_free(other) || (is_short && bt_word_mark(&other->second) == 0))
		return other;
	return l;
}

static void move_short(const struct bt_word_cache *c,
                       const struct bt_word_slot *s)
{
	*half_of(choose(c, bt_word_place(c, s->key), true)) = *s;
}

void bt_word_cache_grow(struct bt_word_cache *c)
{
	struct bt_word_cache old = *c;
	const struct bt_word_line *l;
	size_t i;

	if (take(c, old.bits + STEP < c->most ? old.bits + STEP : c->most) !=
	    BT_OK) {
		*c = old;
		c->kept = 0; /* another time */
		return;
	}
	for (i = 0; i >> old.bits == 0; i++) {
		l = &old.line[i];
		if (is_free(l))
			continue;
		if (bt_word_mark(&l->second) == BT_WORD_LONG) {
			*choose(c, bt_word_place(c, l->first.key), false) = *l;
			continue;
		}
		if (bt_word_mark(&l->second) != 0)
			move_short(c, &l->second);
		move_short(c, &l->first);
	}
	bt_arena_clear(&old.arena);
}

void bt_word_cache_clear(struct bt_word_cache *c)
{
	bt_arena_clear(&c->arena);
	c->line = NULL;
	c->quick = 0;
}

const struct bt_word_slot *bt_word_find_beside(const struct bt_word_cache *c,
                                               struct bt_word_query *q)
{
	struct bt_word_line *own = q->line;
	const struct bt_word_slot *s;

	if (own == NULL)
		return NULL;
	q->line = beside(c, own);
	s = bt_word_find_in(q);
	if (s == NULL)
		q->line = own;
	return s;
}

void bt_word_recall_many(const struct bt_word_line *l, struct bt_piece *p)
{
	uint32_t end = p[2].end;
	int i, n = l->first.n;

	p[2].end = p[2].start + l->more.size[0];
	for (i = 3; i < n; i++) {
		p[i].id = l->more.id[i - BT_WORD_FEW];
		p[i].start = p[i - 1].end;
		p[i].end = p[i].start + l->more.size[i - 2];
	}
	p[n - 1].end = end;
}

/* Sets the slot but for what its line has more. */
static void fill(struct bt_word_slot *s, const struct bt_word_query *q,
                 const struct bt_piece *p, size_t n)
{
	size_t i;

	memset(s, 0, sizeof(*s));
	s->key[0] = q->key[0];
	s->key[1] = q->key[1];
	s->n = (uint8_t)n;
	for (i = 0; i < n && i < BT_WORD_FEW; i++)
		s->id[i] = p[i].id;
	for (i = 0; i < n && i < 2; i++)
		s->size[i] = (uint8_t)(p[i].end - p[i].start);
}

static void fill_more(struct bt_word_more *m, const struct bt_word_query *q,
                      const struct bt_piece *p, size_t n)
{
	size_t i;

	memset(m, 0, sizeof(*m));
	m->both = BT_WORD_LONG;
	m->len = (uint8_t)q->n;
	m->key = q->n > BT_WORD_SHORT ? q->more : 0;
	for (i = BT_WORD_FEW; i < n; i++)
		m->id[i - BT_WORD_FEW] = p[i].id;
	for (i = 2; i < n; i++)
		m->size[i - 2] = (uint8_t)(p[i].end - p[i].start);
}

void bt_word_keep(struct bt_word_cache *c, const struct bt_word_query *q,
                  size_t from, const struct bt_piece *p, size_t n)
{
	bool is_short = q->n <= BT_WORD_SHORT && n <= BT_WORD_FEW;
	struct bt_word_line *l = q->line;
	size_t i, at = from;

	if (l == NULL || n == 0 || n > BT_WORD_KEPT)
		return;
	for (i = 0; i < n; at = p[i++].end)
		if (p[i].start != at)
			return;
	if (at != from + q->n)
		return;
	c->kept++;
	l = choose(c, l, is_short);
	if (is_short) {
		fill(half_of(l), q, p, n);
		return;
	}
	fill(&l->first, q, p, n);
	fill_more(&l->more, q, p, n);
}
