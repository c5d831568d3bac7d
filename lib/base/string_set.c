/* SPDX-License-Identifier: MIT */
/* Open addressing with linear probing; the table is at most half full. */
#include "base/string_set.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"

struct member {
	size_t start, n; /* its bytes */
	uint64_t hash;
};

struct bt_string_set {
	struct bt_buf bytes;
	struct member *members;
	size_t count, cap;
	size_t *slots;  /* number of a member + 1, 0: free */
	size_t n_slots; /* a power of two, or 0 */
};

struct bt_string_set *bt_string_set_new(void)
{
	return bt_array0(1, sizeof(struct bt_string_set));
}

void bt_string_set_free(struct bt_string_set *s)
{
	if (s == NULL)
		return;
	bt_buf_clear(&s->bytes);
	free(s->members);
	free(s->slots);
	free(s);
}

size_t bt_string_set_count(const struct bt_string_set *s)
{
	return s->count;
}

struct bt_span bt_string_set_get(const struct bt_string_set *s, size_t i)
{
	struct bt_span v = {"", s->members[i].n};

	if (v.n != 0)
		v.p = s->bytes.data + s->members[i].start;
	return v;
}

/* The slot that holds v, or the free one where it belongs. */
static size_t *find(const struct bt_string_set *s, struct bt_span v,
                    uint64_t hash)
{
	size_t i = hash & (s->n_slots - 1);
	const struct member *m;

	for (; s->slots[i] != 0; i = (i + 1) & (s->n_slots - 1)) {
		m = &s->members[s->slots[i] - 1];
		if (m->hash == hash &&
		    bt_span_equal(bt_string_set_get(s, s->slots[i] - 1), v))
			break;
	}
	return &s->slots[i];
}

bool bt_string_set_find(const struct bt_string_set *s, struct bt_span v,
                        size_t *number)
{
	size_t *slot;

	if (s->n_slots == 0)
		return false;
	slot = find(s, v, bt_hash(v.p, v.n));
	if (*slot == 0)
		return false;
	*number = *slot - 1;
	return true;
}

static int grow_slots(struct bt_string_set *s)
{
	size_t n = s->n_slots == 0 ? 64 : 2 * s->n_slots, i, k;
	size_t *slots = bt_array0(n, sizeof(*slots));

	if (slots == NULL)
		return BT_ENOMEM;
	for (k = 0; k < s->count; k++) {
		i = s->members[k].hash & (n - 1);
		while (slots[i] != 0)
			i = (i + 1) & (n - 1);
		slots[i] = k + 1;
	}
	free(s->slots);
	s->slots = slots;
	s->n_slots = n;
	return BT_OK;
}

void bt_string_set_put(struct bt_string_set *s, struct bt_span v)
{
	if (bt_string_set_add(s, v, NULL) != BT_OK)
		abort();
}

int bt_string_set_add(struct bt_string_set *s, struct bt_span v, size_t *number)
{
	uint64_t hash = bt_hash(v.p, v.n);
	size_t *slot;

	if (2 * (s->count + 1) > s->n_slots && grow_slots(s) != BT_OK)
		return BT_ENOMEM;
	slot = find(s, v, hash);
	if (*slot == 0) {
		if (bt_grow(&s->members, &s->cap, s->count + 1,
		            sizeof(*s->members)) != BT_OK)
			return BT_ENOMEM;
		s->members[s->count].start = s->bytes.len;
		s->members[s->count].n = v.n;
		s->members[s->count].hash = hash;
		bt_buf_put(&s->bytes, v.p, v.n);
		if (s->bytes.oom) {
			s->bytes.oom = false; /* the set is as it was */
			return BT_ENOMEM;
		}
		*slot = ++s->count;
	}
	if (number != NULL)
		*number = *slot - 1;
	return BT_OK;
}
