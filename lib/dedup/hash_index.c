/* SPDX-License-Identifier: MIT */
/*
 * Some bits of a hash choose one of TABLES tables of open addressing with
 * linear probing; some others, which stay in the slot beside the number, the
 * home there. A table is at most 3/4 full and grows by half, one at a time: so
 * little of the memory is empty, and little is needed to grow. When all of them
 * have taken the memory there is, their slots go to a file in order, merged
 * with those that went before.
 */
#include "dedup/hash_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dedup/hash_index_file.h"

#define TABLES BT_HASH_INDEX_FILE_TABLES
#define LEAST ((size_t)1 << 15) /* slots */

struct table {
	uint64_t *slot; /* hash << bits | number + 1, 0: free */
	size_t slots, used;
};

struct bt_hash_index {
	struct table table[TABLES];
	size_t slots, most; /* of all tables */
	unsigned bits;
	struct bt_hash_index_file
	    *run; /* slots that were in the tables, or NULL */
};

struct bt_hash_index *bt_hash_index_new(size_t memory, unsigned bits)
{
	struct bt_hash_index *s = bt_array0(1, sizeof(*s));

	s->bits = bits;
	s->most = memory / sizeof(*s->table->slot);
	if (s->most < LEAST)
		s->most = LEAST;
	return s;
}

void bt_hash_index_free(struct bt_hash_index *s)
{
	int i;

	if (s == NULL)
		return;
	for (i = 0; i < TABLES; i++)
		free(s->table[i].slot);
	bt_hash_index_file_free(s->run);
	free(s);
}

/* What of a hash, or of a slot, says which hash it is. */
static uint64_t high(const struct bt_hash_index *s, uint64_t hash)
{
	return hash >> s->bits << s->bits;
}

static size_t home(const struct bt_hash_index *s, const struct table *t,
                   uint64_t slot)
{
	return (size_t)((high(s, slot) >> 32) * t->slots >> 32);
}

static size_t next(const struct table *t, size_t i)
{
	return i + 1 < t->slots ? i + 1 : 0;
}

static void put(const struct bt_hash_index *s, struct table *t, uint64_t slot)
{
	size_t i = home(s, t, slot);

	while (t->slot[i] != 0)
		i = next(t, i);
	t->slot[i] = slot;
}

static size_t more_slots(const struct table *t)
{
	return t->slots + t->slots / 2 + 16;
}

static int grow(struct bt_hash_index *s, struct table *t, struct bt_error *err)
{
	struct table old = *t;
	size_t i;

	t->slots = more_slots(&old);
	t->slot = bt_array0(t->slots, sizeof(*t->slot));
	if (t->slot == NULL) {
		*t = old;
		return bt_error_nomem(err, "looking for duplicates");
	}
	for (i = 0; i < old.slots; i++)
		if (old.slot[i] != 0)
			put(s, t, old.slot[i]);
	free(old.slot);
	s->slots += t->slots - old.slots;
	return BT_OK;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Moves all slots to the file. */
static int move(struct bt_hash_index *s, struct bt_error *err)
{
	struct bt_hash_index_file_part part[TABLES];
	struct bt_hash_index_file *run;
	struct table *t;
	size_t k, n;
	int i, r;

	for (i = 0; i < TABLES; i++) {
		/* those that are used go to the front, in ascending order */
		t = &s->table[i];
		for (k = n = 0; k < t->slots; k++)
			if (t->slot[k] != 0)
				t->slot[n++] = t->slot[k];
		if (n > 1)
			qsort(t->slot, n, sizeof(*t->slot), ascending);
		part[i].slot = t->slot;
		part[i].n = t->used;
	}
	r = bt_hash_index_file_merge(s->run, part, &run, err);
	if (r != BT_OK)
		return r;
	bt_hash_index_file_free(s->run);
	s->run = run;
	for (i = 0; i < TABLES; i++) {
		t = &s->table[i];
		if (t->used > 0)
			memset(t->slot, 0, t->slots * sizeof(*t->slot));
		t->used = 0;
	}
	return BT_OK;
}

int bt_hash_index_add(struct bt_hash_index *s, uint64_t hash, uint64_t number,
                      struct bt_error *err)
{
	struct table *t = &s->table[hash % TABLES];
	size_t more = more_slots(t) - t->slots;
	int r = BT_OK;

	if (4 * (t->used + 1) > 3 * t->slots)
		r = s->slots + more > s->most && t->used > 0 ? move(s, err)
		                                             : grow(s, t, err);
	if (r != BT_OK)
		return r;
	put(s, t, high(s, hash) | (number + 1));
	t->used++;
	return BT_OK;
}

/* Those in the file. */
static int find_moved(struct bt_hash_index *s, uint64_t hash,
                      bt_hash_index_fn *fn, void *arg, struct bt_error *err)
{
	const uint64_t first = high(s, hash);
	const unsigned char *p;
	uint64_t slot;
	size_t n, i;
	int r;

	r = bt_hash_index_file_find(s->run, (unsigned)(hash % TABLES), first,
	                            &p, &n, err);
	for (i = 0; r == BT_OK && i < n; i++) {
		memcpy(&slot, p + i * sizeof(slot), sizeof(slot));
		if (high(s, slot) == first)
			r = fn(arg, slot - first - 1, err);
	}
	return r;
}

void bt_hash_index_prefetch(const struct bt_hash_index *s, uint64_t hash)
{
	const struct table *t = &s->table[hash % TABLES];

	if (t->slots > 0)
		__builtin_prefetch(&t->slot[home(s, t, hash)]);
}

int bt_hash_index_find(struct bt_hash_index *s, uint64_t hash,
                       bt_hash_index_fn *fn, void *arg, struct bt_error *err)
{
	const struct table *t = &s->table[hash % TABLES];
	const uint64_t first = high(s, hash);
	uint64_t slot;
	size_t i;
	int r = 0;

	if (s->run != NULL)
		r = find_moved(s, hash, fn, arg, err);
	if (r != 0 || t->slots == 0)
		return r;
	for (i = home(s, t, first); (slot = t->slot[i]) != 0; i = next(t, i)) {
		if (high(s, slot) != first)
			continue;
		r = fn(arg, slot - first - 1, err);
		if (r != 0)
			return r;
	}
	return 0;
}
