/* SPDX-License-Identifier: MIT */
#include "text/wordcache.h"

#define FIRST 10 /* bits of the first size: 64 KB */
#define STEP 2   /* bits more each time */

static int take(struct bt_word_cache *c, unsigned bits)
{
	size_t size = ((size_t)1 << bits) * sizeof(*c->slot);

	if (bt_arena_init(&c->arena, size) != BT_OK)
		return BT_ENOMEM;
	c->slot = c->arena.base;
	c->bits = bits;
	c->kept = 0;
	return BT_OK;
}

int bt_word_cache_init(struct bt_word_cache *c, unsigned most)
{
	c->most = most;
	return take(c, most < FIRST ? most : FIRST);
}

void bt_word_cache_grow(struct bt_word_cache *c)
{
	struct bt_word_cache old = *c;
	const struct bt_word_slot *s;
	size_t i;

	if (take(c, old.bits + STEP < c->most ? old.bits + STEP : c->most) !=
	    BT_OK) {
		*c = old;
		c->kept = 0; /* another time */
		return;
	}
	for (i = 0; i >> old.bits == 0; i++) {
		s = &old.slot[i];
		if (s->len != 0)
			*bt_word_place(c, s->key, s->len) = *s;
	}
	bt_arena_clear(&old.arena);
}

void bt_word_cache_clear(struct bt_word_cache *c)
{
	bt_arena_clear(&c->arena);
	c->slot = NULL;
}

void bt_word_keep(struct bt_word_cache *c, const struct bt_word_query *q,
                  size_t from, const struct bt_piece *p, size_t n)
{
	struct bt_word_slot *s = q->slot;
	size_t i, at = from;

	if (s == NULL || n > BT_WORD_KEPT)
		return;
	for (i = 0; i < n; at = p[i++].end)
		if (p[i].start != at)
			return;
	c->kept++;
	memcpy(s->key, q->key, sizeof(s->key));
	s->len = (uint8_t)q->n;
	s->n = (uint8_t)n;
	for (i = 0; i < n; i++) {
		s->id[i] = p[i].id;
		s->size[i] = (uint8_t)(p[i].end - p[i].start);
	}
}
