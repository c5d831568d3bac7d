/* SPDX-License-Identifier: MIT */
#include "text/wordcache.h"

int bt_word_cache_init(struct bt_word_cache *c, unsigned bits)
{
	size_t size = ((size_t)1 << bits) * sizeof(*c->slot);

	if (bt_arena_init(&c->arena, size) != BT_OK)
		return BT_ENOMEM;
	c->slot = c->arena.base;
	c->bits = bits;
	return BT_OK;
}

void bt_word_cache_clear(struct bt_word_cache *c)
{
	bt_arena_clear(&c->arena);
	c->slot = NULL;
}

void bt_word_keep(const struct bt_word_query *q, size_t from,
                  const struct bt_piece *p, size_t n)
{
	struct bt_word_slot *s = q->slot;
	size_t i, at = from;

	if (s == NULL || n > BT_WORD_KEPT)
		return;
	for (i = 0; i < n; at = p[i++].end)
		if (p[i].start != at)
			return;
	memcpy(s->key, q->key, sizeof(s->key));
	s->len = (uint8_t)q->n;
	s->n = (uint8_t)n;
	for (i = 0; i < n; i++) {
		s->id[i] = p[i].id;
		s->size[i] = (uint8_t)(p[i].end - p[i].start);
	}
}
