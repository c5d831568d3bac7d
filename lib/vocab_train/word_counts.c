/* SPDX-License-Identifier: MIT */
#include "vocab_train/word_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "vocab_train/varint_int.h"

#define MIN_SLOTS ((size_t)1024)
#define CHUNK_BITS 16
#define CHUNK ((size_t)1 << CHUNK_BITS)
#define MAX_CHUNKS (((size_t)1 << (32 - CHUNK_BITS)) - 1)
#define COUNT_BYTES 6
#define COUNT_MAX (((uint64_t)1 << 8 * COUNT_BYTES) - 1)

/*
 * Words lie one behind the other: the count, the number of bytes, the bytes.
 * They never move, so that chunks need not be copied to grow, and can be freed
 * one after the other. A word that is longer than a chunk has one of its own.
 */
struct bt_word_counts_chunk {
	struct bt_arena mem;
	size_t used;
};

static uint8_t *place(const struct bt_word_counts_part *t, uint32_t slot)
{
	const struct bt_word_counts_chunk *c =
	    &t->chunk[(slot - 1) >> CHUNK_BITS];

	return (uint8_t *)c->mem.base + ((slot - 1) & (CHUNK - 1));
}

/* Reads the word at p and returns what follows it. */
static const uint8_t *read_word(const uint8_t *p, struct bt_word *w)
{
	uint64_t n;

	w->count = 0;
	memcpy(&w->count, p, COUNT_BYTES);
	w->p = bt_varint_get(p + COUNT_BYTES, &n);
	w->n = n;
	return w->p + n;
}

/* Where the word is, or would be. */
static uint32_t *find_slot(const struct bt_word_counts_part *t, uint64_t hash,
                           const void *word, size_t n)
{
	uint32_t *slot = t->slot.base;
	size_t i = (size_t)hash & (t->slots - 1);
	struct bt_word k;

	for (; slot[i] != 0; i = (i + 1) & (t->slots - 1)) {
		read_word(place(t, slot[i]), &k);
		if (k.n == n && memcmp(k.p, word, n) == 0)
			break;
	}
	return &slot[i];
}

static int more_slots(struct bt_word_counts_part *t)
{
	size_t slots = t->slots == 0 ? MIN_SLOTS : 2 * t->slots, c, at;
	struct bt_arena old = t->slot;
	const uint8_t *start, *p;
	struct bt_word w;

	if (bt_arena_init(&t->slot, slots * sizeof(uint32_t)) != BT_OK) {
		t->slot = old;
		return BT_ENOMEM;
	}
	bt_arena_clear(&old);
	t->slots = slots;
	for (c = 0; c < t->chunks; c++) {
		start = t->chunk[c].mem.base;
		for (at = 0; at < t->chunk[c].used; at = (size_t)(p - start)) {
			p = read_word(start + at, &w);
			*find_slot(t, bt_hash(w.p, w.n), w.p, w.n) =
			    (uint32_t)(c << CHUNK_BITS | at) + 1;
		}
	}
	return BT_OK;
}

/* Makes room for a word of n bytes in all; *slot is where. */
static int room(struct bt_word_counts_part *t, size_t n, uint32_t *slot)
{
	struct bt_word_counts_chunk *c =
	    t->chunks == 0 ? NULL : &t->chunk[t->chunks - 1];

	if (c == NULL || c->used + n > c->mem.size) {
		if (t->chunks == MAX_CHUNKS)
			return BT_ELIMIT;
		if (bt_grow(&t->chunk, &t->chunks_cap, t->chunks + 1,
		            sizeof(*t->chunk)) != BT_OK)
			return BT_ENOMEM;
		c = &t->chunk[t->chunks];
		c->used = 0;
		if (bt_arena_init(&c->mem, n > CHUNK ? n : CHUNK) != BT_OK)
			return BT_ENOMEM;
		t->chunks++;
	}
	*slot = (uint32_t)((t->chunks - 1) << CHUNK_BITS | c->used) + 1;
	c->used += n;
	return BT_OK;
}

static int add_count(uint8_t *p, uint64_t count)
{
	uint64_t now = 0;

	memcpy(&now, p, COUNT_BYTES);
	if (count > COUNT_MAX - now)
		return BT_ELIMIT;
	now += count;
	memcpy(p, &now, COUNT_BYTES);
	return BT_OK;
}

static int add(struct bt_word_counts *w, const struct bt_word *word)
{
	uint64_t hash = bt_hash(word->p, word->n);
	struct bt_word_counts_part *t = &w->part[hash >> 59];
	uint32_t *slot;
	uint8_t *p;
	int r;

	_Static_assert(BT_WORD_COUNTS_PARTS == 32, "five bits");
	/* three of four slots are taken at most */
	if (4 * t->n >= 3 * t->slots && more_slots(t) != BT_OK)
		return BT_ENOMEM;
	slot = find_slot(t, hash, word->p, word->n);
	if (*slot == 0) {
		r = room(t, COUNT_BYTES + bt_varint_size(word->n) + word->n,
		         slot);
		if (r != BT_OK)
			return r;
		p = place(t, *slot);
		memset(p, 0, COUNT_BYTES);
		p = bt_varint_put(p + COUNT_BYTES, word->n);
		if (word->n != 0)
			memcpy(p, word->p, word->n);
		t->n++;
	}
	return add_count(place(t, *slot), word->count);
}

int bt_word_counts_add(struct bt_word_counts *w, const void *word, size_t n,
                       uint64_t count)
{
	return add(w, &(struct bt_word){word, n, count});
}

/* Empties a part, which will be filled again; a long word's chunk is not for
 * others. */
static void reset(struct bt_word_counts_part *t)
{
	while (t->chunks > 1 ||
	       (t->chunks == 1 && t->chunk[0].mem.size != CHUNK))
		bt_arena_clear(&t->chunk[--t->chunks].mem);
	if (t->chunks == 1)
		t->chunk[0].used = 0;
	if (t->slots != 0)
		memset(t->slot.base, 0, t->slots * sizeof(uint32_t));
	t->n = 0;
}

int bt_word_counts_move(struct bt_word_counts *to, struct bt_word_counts *from,
                        int part)
{
	struct bt_word_counts_part *t = &from->part[part];
	const uint8_t *p, *end;
	struct bt_word w;
	size_t c;
	int r = BT_OK;

	for (c = 0; c < t->chunks; c++) {
		p = t->chunk[c].mem.base;
		end = p + t->chunk[c].used;
		while (r == BT_OK && p < end) {
			p = read_word(p, &w);
			r = add(to, &w);
		}
	}
	reset(t);
	return r;
}

size_t bt_word_counts_n(const struct bt_word_counts *w)
{
	size_t n = 0;
	int i;

	for (i = 0; i < BT_WORD_COUNTS_PARTS; i++)
		n += w->part[i].n;
	return n;
}

static size_t most_chunks(const struct bt_word_counts *w)
{
	size_t n = 0;
	int i;

	for (i = 0; i < BT_WORD_COUNTS_PARTS; i++)
		if (w->part[i].chunks > n)
			n = w->part[i].chunks;
	return n;
}

/* Goes through the first chunks of all parts, then the second ones and so on,
 * which is about the order in which they were made. */
static bool next(const struct bt_word_counts *w, struct bt_word_counts_at *at,
                 bool take, struct bt_word *word)
{
	struct bt_word_counts_chunk *c;
	const uint8_t *start;

	for (; at->chunk < most_chunks(w); at->chunk++, at->part = 0) {
		for (; at->part < BT_WORD_COUNTS_PARTS;
		     at->part++, at->at = 0) {
			if (at->chunk >= w->part[at->part].chunks)
				continue;
			c = &w->part[at->part].chunk[at->chunk];
			start = c->mem.base;
			if (at->at < c->used) {
				at->at =
				    (size_t)(read_word(start + at->at, word) -
				             start);
				return true;
			}
			if (take)
				bt_arena_clear(&c->mem);
		}
	}
	return false;
}

bool bt_word_counts_next(const struct bt_word_counts *w,
                         struct bt_word_counts_at *at, struct bt_word *word)
{
	return next(w, at, false, word);
}

bool bt_word_counts_take(struct bt_word_counts *w, struct bt_word_counts_at *at,
                         struct bt_word *word)
{
	int i;

	for (i = 0; i < BT_WORD_COUNTS_PARTS && w->part[i].slots != 0; i++) {
		bt_arena_clear(&w->part[i].slot);
		w->part[i].slots = 0;
	}
	if (next(w, at, true, word))
		return true;
	bt_word_counts_clear(w);
	return false;
}

void bt_word_counts_clear(struct bt_word_counts *w)
{
	struct bt_word_counts_part *t;
	int i;

	for (i = 0; i < BT_WORD_COUNTS_PARTS; i++) {
		t = &w->part[i];
		while (t->chunks > 0)
			bt_arena_clear(&t->chunk[--t->chunks].mem);
		free(t->chunk);
		bt_arena_clear(&t->slot);
	}
	memset(w, 0, sizeof(*w));
}
