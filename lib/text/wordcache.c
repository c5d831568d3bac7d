/* SPDX-License-Identifier: MIT */
#include "text/wordcache.h"

#define FIRST 10 /* bits of the first size: 64 KB */
#define STEP 2   /* bits more each time */

#define WHOLE UINT64_MAX
#define BITS(n) (WHOLE >> (64 - 8 * (n)))

const uint64_t bt_word_mask[BT_WORD_KEY + 1][3] = {
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
    {WHOLE, WHOLE},
    {WHOLE, WHOLE, BITS(1)},
    {WHOLE, WHOLE, BITS(2)},
    {WHOLE, WHOLE, BITS(3)},
    {WHOLE, WHOLE, BITS(4)},
    {WHOLE, WHOLE, BITS(5)},
    {WHOLE, WHOLE, BITS(6)},
    {WHOLE, WHOLE, BITS(7)},
    {WHOLE, WHOLE, WHOLE},
};

static int take(struct bt_word_cache *c, unsigned bits)
{
	size_t size = ((size_t)1 << bits) * sizeof(*c->line);

	if (bt_arena_init(&c->arena, size) != BT_OK)
		return BT_ENOMEM;
	memset(c->arena.base, 0, size); /* a fault a page, not two */
	c->line = c->arena.base;
	c->bits = bits;
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
	if (l->second.len == BT_WORD_BOTH)
		l->second.len = 0;
	else if (l->first.len != 0)
		l->second = l->first;
	return &l->first;
}

/* Moves what a line keeps to its places in c. */
static void move(struct bt_word_cache *c, const struct bt_word_line *l)
{
	const struct bt_word_slot *s = &l->first;
	uint64_t key[3] = {s->key[0], s->key[1], 0};

	if (s->len == 0)
		return;
	if (l->second.len == BT_WORD_BOTH) {
		key[2] = l->more.key;
		*bt_word_place(c, key, s->len) = *l;
		return;
	}
	*half_of(bt_word_place(c, key, s->len)) = *s;
	s = &l->second;
	key[0] = s->key[0];
	key[1] = s->key[1];
	if (s->len != 0)
		*half_of(bt_word_place(c, key, s->len)) = *s;
}

void bt_word_cache_grow(struct bt_word_cache *c)
{
	struct bt_word_cache old = *c;
	size_t i;

	if (take(c, old.bits + STEP < c->most ? old.bits + STEP : c->most) !=
	    BT_OK) {
		*c = old;
		c->kept = 0; /* another time */
		return;
	}
	for (i = 0; i >> old.bits == 0; i++)
		move(c, &old.line[i]);
	bt_arena_clear(&old.arena);
}

void bt_word_cache_clear(struct bt_word_cache *c)
{
	bt_arena_clear(&c->arena);
	c->line = NULL;
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
	s->len = (uint8_t)q->n;
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
	m->len = BT_WORD_BOTH;
	m->key = q->key[2];
	for (i = BT_WORD_FEW; i < n; i++)
		m->id[i - BT_WORD_FEW] = p[i].id;
	for (i = 2; i < n; i++)
		m->size[i - 2] = (uint8_t)(p[i].end - p[i].start);
}

void bt_word_keep(struct bt_word_cache *c, const struct bt_word_query *q,
                  size_t from, const struct bt_piece *p, size_t n)
{
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
	if (q->n <= BT_WORD_SHORT && n <= BT_WORD_FEW) {
		fill(half_of(l), q, p, n);
		return;
	}
	fill(&l->first, q, p, n);
	fill_more(&l->more, q, p, n);
}
