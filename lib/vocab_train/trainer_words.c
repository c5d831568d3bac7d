/* SPDX-License-Identifier: MIT */
/* The words of a vocabulary in training, the numbers of their pairs, and its
 * tokens by their text. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "vocab_train/trainer_int.h"

/* A head: the number of tokens in the lower bits of a unit, the count in the
 * others. Where one has no room its bits are all set, and it stands behind in
 * 4 bytes, or 8. */
#define TOKEN_BITS 6
#define TOKENS ((1u << TOKEN_BITS) - 1)

static uint32_t max_count(const struct bt_trainer_text *t)
{
	return (t->wide ? UINT32_MAX : UINT16_MAX) >> TOKEN_BITS;
}

static uint8_t *unit(const struct bt_trainer_text *t, uint64_t at)
{
	return (uint8_t *)t->mem.base + at * (t->wide ? 4 : 2);
}

static size_t head_units(const struct bt_trainer_text *t, size_t n,
                         uint64_t count)
{
	size_t bytes = (n >= TOKENS ? 4 : 0) + (count >= max_count(t) ? 8 : 0);

	return 1 + bytes / (t->wide ? 4 : 2);
}

size_t bt_trainer_text_need(const struct bt_trainer_text *t, size_t n,
                            uint64_t count)
{
	return n < 2 ? 0 : head_units(t, n, count) + n;
}

static void put_head(struct bt_trainer_text *t, uint64_t at, uint32_t head)
{
	uint16_t narrow = (uint16_t)head;

	if (t->wide)
		memcpy(unit(t, at), &head, 4);
	else
		memcpy(unit(t, at), &narrow, 2);
}

static uint32_t get_head(const struct bt_trainer_text *t, uint64_t at)
{
	uint32_t head = 0;

	memcpy(&head, unit(t, at), t->wide ? 4 : 2);
	return head;
}

void bt_trainer_text_add(struct bt_trainer_text *t, size_t n, uint64_t count,
                         struct bt_trainer_word *w)
{
	uint32_t tokens = n < TOKENS ? (uint32_t)n : TOKENS, all = (uint32_t)n;
	uint32_t much = max_count(t);
	uint8_t *p = unit(t, t->units + 1);

	put_head(t, t->units,
	         (count < much ? (uint32_t)count : much) << TOKEN_BITS |
	             tokens);
	if (n >= TOKENS) {
		memcpy(p, &all, 4);
		p += 4;
	}
	if (count >= much)
		memcpy(p, &count, 8);
	w->n = n;
	w->count = count;
	w->first = t->units + head_units(t, n, count);
	t->units = w->first + n;
	t->longest = n > t->longest ? n : t->longest;
}

void bt_trainer_text_word(const struct bt_trainer_text *t, uint64_t at,
                          struct bt_trainer_word *w)
{
	uint32_t head = get_head(t, at), n;
	const uint8_t *p = unit(t, at + 1);

	w->n = head & TOKENS;
	w->count = head >> TOKEN_BITS;
	if (w->n == TOKENS) {
		memcpy(&n, p, 4);
		w->n = n;
		p += 4;
	}
	if (w->count == max_count(t)) {
		memcpy(&w->count, p, 8);
		p += 8;
	}
	w->first =
	    (uint64_t)(p - (const uint8_t *)t->mem.base) / (t->wide ? 4 : 2);
}

void bt_trainer_text_shorten(struct bt_trainer_text *t, uint64_t at, size_t n)
{
	uint32_t head = get_head(t, at), all = (uint32_t)n;

	if ((head & TOKENS) == TOKENS)
		memcpy(unit(t, at + 1), &all, 4);
	else
		put_head(t, at, (head & ~TOKENS) | (uint32_t)n);
}

/* An entry: 6 bytes of the key + 1, 0 where there is none; 4 of the number, or
 * LARGE + where it is among the large ones. */
#define ENTRY 10
#define KEY_MASK 0xffffffffffffu
#define LARGE 0xff000000u
#define MIN_ENTRIES 409 /* a page */

static uint8_t *find(const struct bt_trainer_part *t, uint64_t key,
                     uint64_t hash)
{
	uint64_t i = (hash & UINT32_MAX) * t->cap >> 32, k;
	uint8_t *p = (uint8_t *)t->mem.base + i * ENTRY;

	for (;;) {
		memcpy(&k, p, 8);
		k &= KEY_MASK;
		if (k == 0 || k == key + 1)
			return p;
		p += ENTRY;
		if (++i == t->cap) {
			i = 0;
			p = t->mem.base;
		}
	}
}

static int more_entries(struct bt_trainer_part *t)
{
	struct bt_trainer_part old = *t;
	const uint8_t *p = old.mem.base;
	uint64_t k;
	uint32_t i;

	if (old.cap > UINT32_MAX / 2)
		return BT_ENOMEM;
	t->cap = old.cap == 0 ? MIN_ENTRIES : old.cap + old.cap / 4;
	if (bt_arena_init(&t->mem, (size_t)t->cap * ENTRY) != BT_OK) {
		*t = old;
		return BT_ENOMEM;
	}
	for (i = 0; i < old.cap; i++, p += ENTRY) {
		memcpy(&k, p, 8);
		k &= KEY_MASK;
		if (k != 0)
			memcpy(find(t, k - 1, bt_hash_mix(k - 1)), p, ENTRY);
	}
	bt_arena_clear(&old.mem);
	return BT_OK;
}

static uint64_t number(const struct bt_trainer_pairs *p, const uint8_t *entry)
{
	uint32_t n;

	memcpy(&n, entry + 6, 4);
	return n < LARGE ? n : p->large[n - LARGE];
}

static int set_number(struct bt_trainer_pairs *p, uint8_t *entry, uint64_t v)
{
	uint32_t n;

	memcpy(&n, entry + 6, 4);
	if (n < LARGE && v >= LARGE) {
		if (p->larges == UINT32_MAX - LARGE ||
		    bt_grow(&p->large, &p->larges_cap, p->larges + 1,
		            sizeof(*p->large)) != BT_OK)
			return BT_ENOMEM;
		n = LARGE + (uint32_t)p->larges++;
	}
	if (n >= LARGE)
		p->large[n - LARGE] = v;
	else
		n = (uint32_t)v;
	memcpy(entry + 6, &n, 4);
	return BT_OK;
}

uint64_t bt_trainer_pairs_get(const struct bt_trainer_pairs *p, uint64_t key)
{
	uint64_t hash = bt_hash_mix(key), k;
	const struct bt_trainer_part *t = &p->part[hash >> 58];
	const uint8_t *entry;

	if (t->cap == 0)
		return 0;
	entry = find(t, key, hash);
	memcpy(&k, entry, 8);
	return (k & KEY_MASK) == 0 ? 0 : number(p, entry);
}

int bt_trainer_pairs_add(struct bt_trainer_pairs *p, uint64_t key,
                         uint64_t more)
{
	uint64_t hash = bt_hash_mix(key), k;
	struct bt_trainer_part *t = &p->part[hash >> 58];
	uint8_t *entry;

	_Static_assert(BT_TRAINER_PARTS == 64, "six bits");
	/* four of five are taken at most */
	if (5 * (uint64_t)t->n >= 4 * (uint64_t)t->cap &&
	    more_entries(t) != BT_OK)
		return BT_ENOMEM;
	entry = find(t, key, hash);
	memcpy(&k, entry, 8);
	if ((k & KEY_MASK) == 0) {
		k = key + 1;
		memcpy(entry, &k, 6);
		t->n++;
	}
	return set_number(p, entry, number(p, entry) + more);
}

void bt_trainer_pairs_clear(struct bt_trainer_pairs *p)
{
	int i;

	for (i = 0; i < BT_TRAINER_PARTS; i++)
		bt_arena_clear(&p->part[i].mem);
	free(p->large);
	memset(p, 0, sizeof(*p));
}

/* Where the token is, or would be. */
static size_t find_token(const struct bt_trainer_state *t, struct bt_span s)
{
	size_t i = (size_t)bt_hash(s.p, s.n) & (t->slots - 1);

	while (t->slot[i] != 0 &&
	       !bt_span_equal(t->out->token[t->slot[i] - 1], s))
		i = (i + 1) & (t->slots - 1);
	return i;
}

static int more_slots(struct bt_trainer_state *t)
{
	size_t slots = t->slots == 0 ? 4096 : 2 * t->slots, i;
	uint32_t *slot = bt_array0(slots, sizeof(*slot));

	if (slot == NULL)
		return BT_ENOMEM;
	free(t->slot);
	t->slot = slot;
	t->slots = slots;
	for (i = 0; i < t->out->n; i++)
		slot[find_token(t, t->out->token[i])] = (uint32_t)i + 1;
	return BT_OK;
}

int bt_trainer_intern(struct bt_trainer_state *t, struct bt_span a,
                      struct bt_span b, uint32_t *id)
{
	struct bt_trainer *o = t->out;
	struct bt_span s = {NULL, a.n + b.n};
	char *text = bt_array(s.n + 1, 1);
	size_t i;

	if (text == NULL)
		return BT_ENOMEM;
	memcpy(text, a.p, a.n);
	memcpy(text + a.n, b.p, b.n);
	text[s.n] = 0;
	s.p = text;
	if ((2 * o->n >= t->slots && more_slots(t) != BT_OK) ||
	    bt_grow(&o->token, &o->cap, o->n + 1, sizeof(*o->token)) != BT_OK ||
	    bt_grow(&o->text, &o->texts_cap, o->n + 1, sizeof(*o->text)) !=
	        BT_OK) {
		free(text);
		return BT_ENOMEM;
	}
	i = find_token(t, s);
	if (t->slot[i] != 0) {
		*id = t->slot[i] - 1;
		free(text);
		return BT_OK;
	}
	o->text[o->n] = text;
	o->token[o->n] = s;
	*id = (uint32_t)o->n++;
	t->slot[i] = *id + 1;
	return BT_OK;
}
