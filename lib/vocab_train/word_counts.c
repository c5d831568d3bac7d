/* SPDX-License-Identifier: MIT */
#include "vocab_train/word_counts.h"

#include <string.h>

#include "base/hash.h"

#define MIN_SLOTS ((size_t)1024)
#define MIN_BYTES ((size_t)64 << 10)
#define MAX_BYTES ((size_t)UINT32_MAX)
#define COUNT_MAX (((uint64_t)1 << 48) - 1)

/* Words lie one after the other: a head, then the bytes. */
struct head {
	uint64_t count;
	uint32_t n; /* bytes */
} __attribute__((packed));

/* Reads the word at p and returns what follows it. */
static const uint8_t *read_word(const uint8_t *p, struct bt_word *w)
{
	struct head h;

	memcpy(&h, p, sizeof(h));
	w->count = h.count;
	w->n = h.n;
	w->p = p + sizeof(h);
	return w->p + w->n;
}

/* Where the word is, or would be. */
static uint32_t *find_slot(const struct bt_word_counts_part *t, uint64_t hash,
                           const void *word, size_t n)
{
	const uint8_t *start = t->words.base;
	uint32_t *slot = t->slot.base;
	size_t i = (size_t)hash & (t->slots - 1);
	struct bt_word k;

	for (; slot[i] != 0; i = (i + 1) & (t->slots - 1)) {
		read_word(start + slot[i] - 1, &k);
		if (k.n == n && memcmp(k.p, word, n) == 0)
			break;
	}
	return &slot[i];
}

static int more_slots(struct bt_word_counts_part *t)
{
	size_t slots = t->slots == 0 ? MIN_SLOTS : 2 * t->slots, at;
	const uint8_t *start = t->words.base;
	struct bt_arena slot;
	struct bt_word w;

	if (bt_arena_init(&slot, slots * sizeof(uint32_t)) != BT_OK)
		return BT_ENOMEM;
	bt_arena_clear(&t->slot);
	t->slot = slot;
	t->slots = slots;
	for (at = 0; at < t->used; at = (size_t)(w.p + w.n - start)) {
		read_word(start + at, &w);
		*find_slot(t, bt_hash(w.p, w.n), w.p, w.n) = (uint32_t)at + 1;
	}
	return BT_OK;
}

/* Makes room for n more bytes. */
static int more_room(struct bt_word_counts_part *t, size_t n)
{
	size_t size = t->words.size == 0 ? MIN_BYTES : t->words.size;

	if (n >= MAX_BYTES - t->used)
		return BT_ELIMIT;
	while (size < t->used + n)
		size *= 2;
	return bt_arena_resize(&t->words, size);
}

static int add(struct bt_word_counts *w, const struct bt_word *word)
{
	uint64_t hash = bt_hash(word->p, word->n);
	struct bt_word_counts_part *t = &w->part[hash >> 59];
	struct head h = {0, (uint32_t)word->n};
	uint32_t *slot;
	uint8_t *p;
	int r;

	_Static_assert(BT_WORD_COUNTS_PARTS == 32, "five bits");
	/* three of four slots are taken at most */
	if (4 * t->n >= 3 * t->slots && more_slots(t) != BT_OK)
		return BT_ENOMEM;
	slot = find_slot(t, hash, word->p, word->n);
	if (*slot == 0) {
		r = more_room(t, sizeof(h) + word->n);
		if (r != BT_OK)
			return r;
		*slot = (uint32_t)t->used + 1;
		p = (uint8_t *)t->words.base + t->used;
		memcpy(p, &h, sizeof(h));
		if (word->n != 0)
			memcpy(p + sizeof(h), word->p, word->n);
		t->used += sizeof(h) + word->n;
		t->n++;
	}
	p = (uint8_t *)t->words.base + *slot - 1;
	memcpy(&h, p, sizeof(h));
	if (word->count > COUNT_MAX - h.count)
		return BT_ELIMIT;
	h.count += word->count;
	memcpy(p, &h, sizeof(h));
	return BT_OK;
}

int bt_word_counts_add(struct bt_word_counts *w, const void *word, size_t n,
                       uint64_t count)
{
	return add(w, &(struct bt_word){word, n, count});
}

static void clear_part(struct bt_word_counts_part *t)
{
	bt_arena_clear(&t->words);
	bt_arena_clear(&t->slot);
	memset(t, 0, sizeof(*t));
}

int bt_word_counts_move(struct bt_word_counts *to, struct bt_word_counts *from,
                        int part)
{
	struct bt_word_counts_part *t = &from->part[part];
	const uint8_t *p = t->words.base, *end = p == NULL ? p : p + t->used;
	struct bt_word w;
	int r = BT_OK;

	while (r == BT_OK && p < end) {
		p = read_word(p, &w);
		r = add(to, &w);
	}
	if (t->words.size > MIN_BYTES) {
		clear_part(t);
	} else if (t->n > 0) { /* it will be filled again */
		memset(t->slot.base, 0, t->slots * sizeof(uint32_t));
		t->used = t->n = 0;
	}
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

bool bt_word_counts_next(const struct bt_word_counts *w,
                         struct bt_word_counts_at *at, struct bt_word *word)
{
	const struct bt_word_counts_part *t;
	const uint8_t *start;

	for (; at->part < BT_WORD_COUNTS_PARTS; at->part++, at->at = 0) {
		t = &w->part[at->part];
		if (at->at == t->used)
			continue;
		start = t->words.base;
		at->at = (size_t)(read_word(start + at->at, word) - start);
		return true;
	}
	return false;
}

bool bt_word_counts_take(struct bt_word_counts *w, struct bt_word_counts_at *at,
                         struct bt_word *word)
{
	int before = at->part;
	bool more = bt_word_counts_next(w, at, word);

	for (; before < at->part; before++)
		clear_part(&w->part[before]);
	return more;
}

void bt_word_counts_clear(struct bt_word_counts *w)
{
	int i;

	for (i = 0; i < BT_WORD_COUNTS_PARTS; i++)
		clear_part(&w->part[i]);
}
