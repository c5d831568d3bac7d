/* SPDX-License-Identifier: MIT */
/* Open addressing with linear probing; the table is at most 3/4 full. */
#include "task/seen.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "task/store.h"

struct slot {
	uint32_t hash;
	uint32_t member; /* its number in the store + 1, 0: free */
};

struct bt_seen {
	struct bt_store *store;
	struct slot *slots;
	size_t n_slots; /* a power of two, or 0 */
};

int bt_seen_new(size_t memory, struct bt_seen **res, struct bt_error *err)
{
	struct bt_seen *s = bt_array0(1, sizeof(*s));
	int r;

	if (s == NULL)
		return bt_error_nomem(err, "looking for duplicates");
	r = bt_store_new(memory, &s->store, err);
	if (r == BT_OK)
		*res = s;
	else
		bt_seen_free(s);
	return r;
}

void bt_seen_free(struct bt_seen *s)
{
	if (s == NULL)
		return;
	bt_store_free(s->store);
	free(s->slots);
	free(s);
}

/* The first free slot for the hash. */
static struct slot *place(struct slot *slots, size_t n, uint32_t hash)
{
	size_t i = hash & (n - 1);

	while (slots[i].member != 0)
		i = (i + 1) & (n - 1);
	return &slots[i];
}

static int grow(struct bt_seen *s)
{
	size_t n = s->n_slots == 0 ? 64 : 2 * s->n_slots, i;
	struct slot *slots = bt_array0(n, sizeof(*slots));

	if (slots == NULL)
		return BT_ENOMEM;
	for (i = 0; i < s->n_slots; i++)
		if (s->slots[i].member != 0)
			*place(slots, n, s->slots[i].hash) = s->slots[i];
	free(s->slots);
	s->slots = slots;
	s->n_slots = n;
	return BT_OK;
}

/* 1: *slot holds v; 0: it is free and where v belongs. */
static int find(struct bt_seen *s, struct bt_span v, uint32_t hash,
                struct slot **slot, struct bt_error *err)
{
	size_t i = hash & (s->n_slots - 1);
	struct bt_span w;
	const void *data;
	int r;

	for (; s->slots[i].member != 0; i = (i + 1) & (s->n_slots - 1)) {
		if (s->slots[i].hash != hash)
			continue;
		r = bt_store_get(s->store, s->slots[i].member - 1, &data, &w.n,
		                 err);
		if (r != BT_OK)
			return r;
		w.p = data;
		if (bt_span_equal(v, w))
			break;
	}
	*slot = &s->slots[i];
	return s->slots[i].member != 0;
}

int bt_seen_add(struct bt_seen *s, struct bt_span v, struct bt_error *err)
{
	uint32_t hash = (uint32_t)bt_hash(v.p, v.n);
	size_t n = bt_store_count(s->store);
	struct slot *slot;
	int r;

	if (n >= UINT32_MAX - 1)
		return bt_error_set(err, BT_ELIMIT,
		                    "more than %zu different values", n);
	if (4 * (n + 1) > 3 * s->n_slots && grow(s) != BT_OK)
		return bt_error_nomem(err, "looking for duplicates");
	r = find(s, v, hash, &slot, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = bt_store_put(s->store, v.p, v.n, err);
	if (r != BT_OK)
		return r;
	slot->hash = hash;
	slot->member = (uint32_t)n + 1;
	return 1;
}
