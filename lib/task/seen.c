/* SPDX-License-Identifier: MIT */
/*
 * Some bits of the hash of a string choose one of TABLES tables of open
 * addressing with linear probing; some others, which stay in the slot beside
 * the place of the string, its home there. A table is at most 4/5 full and
 * grows by a quarter, one at a time: so little of the memory is empty, and
 * little is needed to grow. When all of them have taken the memory there is for
 * them, their slots go to a file in order, merged with those that went before.
 */
#include "task/seen.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "io/pbwire.h"
#include "task/slotrun.h"
#include "task/spill.h"

#define TABLES BT_RUN_TABLES
#define LEAST_SLOTS ((size_t)1 << 15)
#define PLACE_BITS 42 /* of where the string stands, counted from 1; 4 TB */
#define HASH_BITS (64 - PLACE_BITS)
#define PLACES ((UINT64_C(1) << PLACE_BITS) - 1)

struct table {
	uint64_t *slot; /* hash << PLACE_BITS | place, 0: free */
	size_t slots, used;
};

struct bt_seen {
	struct bt_spill *bytes; /* length as a varint, bytes */
	struct bt_buf one;      /* the string at hand in this form */
	struct table table[TABLES];
	size_t slots, most; /* of all tables */
	struct bt_run *run; /* slots that were in the tables, or NULL */
};

int bt_seen_new(size_t memory, struct bt_seen **res, struct bt_error *err)
{
	struct bt_seen *s = bt_array0(1, sizeof(*s));
	int r;

	if (s == NULL)
		return bt_error_nomem(err, "looking for duplicates");
	s->most = memory / 2 / sizeof(*s->table->slot);
	if (s->most < LEAST_SLOTS)
		s->most = LEAST_SLOTS;
	r = bt_spill_new(memory / 2, &s->bytes, err);
	if (r == BT_OK)
		*res = s;
	else
		bt_seen_free(s);
	return r;
}

void bt_seen_free(struct bt_seen *s)
{
	int i;

	if (s == NULL)
		return;
	for (i = 0; i < TABLES; i++)
		free(s->table[i].slot);
	bt_run_free(s->run);
	bt_spill_free(s->bytes);
	bt_buf_clear(&s->one);
	free(s);
}

static size_t home(const struct table *t, uint64_t hash)
{
	return (size_t)(hash * t->slots >> HASH_BITS);
}

static size_t next(const struct table *t, size_t i)
{
	return i + 1 < t->slots ? i + 1 : 0;
}

static size_t more_slots(const struct table *t)
{
	return t->slots + t->slots / 4 + 16;
}

static int grow(struct table *t)
{
	struct table old = *t;
	size_t i, k;

	t->slots = more_slots(&old);
	t->slot = bt_array0(t->slots, sizeof(*t->slot));
	if (t->slot == NULL) {
		*t = old;
		return BT_ENOMEM;
	}
	for (k = 0; k < old.slots; k++) {
		if (old.slot[k] == 0)
			continue;
		i = home(t, old.slot[k] >> PLACE_BITS);
		while (t->slot[i] != 0)
			i = next(t, i);
		t->slot[i] = old.slot[k];
	}
	free(old.slot);
	return BT_OK;
}

/* Moves the slots that are used to the front, in ascending order: where they
 * are is nearly that. */
static void sort(struct table *t)
{
	size_t i, k, n = 0;
	uint64_t v;

	for (i = 0; i < t->slots; i++) {
		v = t->slot[i];
		if (v == 0)
			continue;
		for (k = n++; k > 0 && t->slot[k - 1] > v; k--)
			t->slot[k] = t->slot[k - 1];
		t->slot[k] = v;
	}
}

/* Moves all slots to the file. */
static int move(struct bt_seen *s, struct bt_error *err)
{
	struct bt_run_part part[TABLES];
	struct bt_run *run;
	struct table *t;
	int i, r;

	for (i = 0; i < TABLES; i++) {
		sort(&s->table[i]);
		part[i].slot = s->table[i].slot;
		part[i].n = s->table[i].used;
	}
	r = bt_run_merge(s->run, part, &run, err);
	if (r != BT_OK)
		return r;
	bt_run_free(s->run);
	s->run = run;
	for (i = 0; i < TABLES; i++) {
		t = &s->table[i];
		if (t->used > 0)
			memset(t->slot, 0, t->slots * sizeof(*t->slot));
		t->used = 0;
	}
	return BT_OK;
}

/* Makes room for one more. */
static int make_room(struct bt_seen *s, struct table *t, struct bt_error *err)
{
	size_t more = more_slots(t) - t->slots;

	if (5 * (t->used + 1) <= 4 * t->slots)
		return BT_OK;
	if (s->slots + more > s->most && t->used > 0)
		return move(s, err);
	if (grow(t) != BT_OK)
		return bt_error_nomem(err, "looking for duplicates");
	s->slots += more;
	return BT_OK;
}

/* 1: the string at hand stands at the place. */
static int is_there(struct bt_seen *s, uint64_t place, struct bt_error *err)
{
	const void *data;
	int r;

	if (bt_spill_size(s->bytes) - place < s->one.len)
		return 0;
	r = bt_spill_get(s->bytes, place, s->one.len, false, &data, err);
	return r == BT_OK ? memcmp(data, s->one.data, s->one.len) == 0 : r;
}

/* 1: it is in the table; 0: it is not, and slot i of t is where it belongs, if
 * it has slots. */
static int find(struct bt_seen *s, const struct table *t, uint64_t hash,
                size_t *i, struct bt_error *err)
{
	uint64_t slot;
	int r;

	if (t->slots == 0)
		return 0;
	for (*i = home(t, hash); (slot = t->slot[*i]) != 0; *i = next(t, *i)) {
		if (slot >> PLACE_BITS != hash)
			continue;
		r = is_there(s, (slot & PLACES) - 1, err);
		if (r != 0)
			return r;
	}
	return 0;
}

/* 1: it is in the file; 0: it is not. */
static int find_moved(struct bt_seen *s, const struct table *t, uint64_t hash,
                      struct bt_error *err)
{
	const unsigned char *p;
	uint64_t slot;
	size_t n, i;
	int r;

	if (s->run == NULL)
		return 0;
	r = bt_run_find(s->run, (unsigned)(t - s->table), hash << PLACE_BITS,
	                &p, &n, err);
	for (i = 0; r == BT_OK && i < n; i++) {
		memcpy(&slot, p + i * sizeof(slot), sizeof(slot));
		if (slot >> PLACE_BITS == hash)
			r = is_there(s, (slot & PLACES) - 1, err);
	}
	return r;
}

/* Makes v the string at hand; *t and *hash are where it belongs. */
static int take(struct bt_seen *s, struct bt_span v, struct table **t,
                uint64_t *hash, struct bt_error *err)
{
	uint64_t h = bt_hash(v.p, v.n);

	bt_buf_reset(&s->one);
	bt_pb_put_varint(&s->one, v.n);
	if (v.n > 0)
		bt_buf_put(&s->one, v.p, v.n);
	*t = &s->table[h % TABLES];
	*hash = h >> PLACE_BITS;
	return s->one.oom ? bt_error_nomem(err, "looking for duplicates")
	                  : BT_OK;
}

int bt_seen_has(struct bt_seen *s, struct bt_span v, struct bt_error *err)
{
	struct table *t;
	uint64_t hash;
	size_t i;
	int r = take(s, v, &t, &hash, err);

	if (r == BT_OK)
		r = find(s, t, hash, &i, err);
	return r == 0 ? find_moved(s, t, hash, err) : r;
}

int bt_seen_add(struct bt_seen *s, struct bt_span v, struct bt_error *err)
{
	uint64_t hash, place = bt_spill_size(s->bytes);
	struct table *t;
	size_t i = 0;
	int r = take(s, v, &t, &hash, err);

	if (r != BT_OK)
		return r;
	if (place >= PLACES)
		return bt_error_set(err, BT_ELIMIT,
		                    "more than 4 TB of different values");
	r = make_room(s, t, err);
	if (r == BT_OK)
		r = find(s, t, hash, &i, err);
	if (r == 0)
		r = find_moved(s, t, hash, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = bt_spill_put(s->bytes, s->one.data, s->one.len, err);
	if (r != BT_OK)
		return r;
	t->slot[i] = hash << PLACE_BITS | (place + 1);
	t->used++;
	return 1;
}
