/* SPDX-License-Identifier: MIT */
/* Pairs of tokens, and the queue of merges. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "vocab_train/trainer_int.h"

#define MIN_BYTES ((size_t)64 << 10)
#define MIN_SLOTS ((size_t)1024)
#define CHILDREN 4 /* of a merge in the heap */

/* Makes an array hold at least n elements. */
static int grow(struct bt_arena *a, size_t n, size_t size)
{
	size_t bytes = a->size == 0 ? MIN_BYTES : 2 * a->size;

	return n <= a->size / size ? BT_OK : bt_arena_resize(a, bytes);
}

/* Where the pair is, or would be. */
static uint32_t *find_slot(const struct bt_trainer_pairs *p, uint64_t key)
{
	uint32_t *slot = p->slot.base;
	size_t i = (size_t)bt_hash_mix(key) & (p->slots - 1);

	while (slot[i] != 0 && bt_trainer_pair(p, slot[i] - 1)->key != key)
		i = (i + 1) & (p->slots - 1);
	return &slot[i];
}

static int more_slots(struct bt_trainer_pairs *p)
{
	size_t slots = p->slots == 0 ? MIN_SLOTS : 2 * p->slots;
	struct bt_arena slot;
	uint32_t i;

	if (bt_arena_init(&slot, slots * sizeof(uint32_t)) != BT_OK)
		return BT_ENOMEM;
	bt_arena_clear(&p->slot);
	p->slot = slot;
	p->slots = slots;
	for (i = 0; i < p->n; i++)
		*find_slot(p, bt_trainer_pair(p, i)->key) = i + 1;
	return BT_OK;
}

int bt_trainer_pairs_find(struct bt_trainer_pairs *p, uint64_t key,
                          uint32_t *number)
{
	uint32_t *slot;

	/* three of four slots are taken at most */
	if (4 * p->n >= 3 * p->slots && more_slots(p) != BT_OK)
		return BT_ENOMEM;
	slot = find_slot(p, key);
	if (*slot == 0) {
		if (p->n == UINT32_MAX)
			return BT_ELIMIT;
		if (grow(&p->pair, p->n + 1, sizeof(struct bt_trainer_pair)) !=
		    BT_OK)
			return BT_ENOMEM;
		*slot = (uint32_t)++p->n;
		*bt_trainer_pair(p, *slot - 1) =
		    (struct bt_trainer_pair){key, 0};
	}
	*number = *slot - 1;
	return BT_OK;
}

void bt_trainer_pairs_clear(struct bt_trainer_pairs *p)
{
	bt_arena_clear(&p->pair);
	bt_arena_clear(&p->slot);
	memset(p, 0, sizeof(*p));
}

static bool is_before(const struct bt_trainer_merge *a,
                      const struct bt_trainer_merge *b)
{
	if (a->count != b->count)
		return a->count > b->count;
	if (a->key != b->key)
		return a->key < b->key;
	return a->turn < b->turn;
}

int bt_trainer_queue_put(struct bt_trainer_queue *q,
                         const struct bt_trainer_merge *merge)
{
	struct bt_trainer_merge m = *merge, *h;
	size_t i = q->n, up;

	if (grow(&q->heap, i + 1, sizeof(m)) != BT_OK) {
		bt_trainer_merge_clear(merge);
		return BT_ENOMEM;
	}
	h = q->heap.base;
	m.turn = q->turns++;
	for (q->n++; i > 0; i = up) {
		up = (i - 1) / CHILDREN;
		if (!is_before(&m, &h[up]))
			break;
		h[i] = h[up];
	}
	h[i] = m;
	return BT_OK;
}

bool bt_trainer_queue_take(struct bt_trainer_queue *q,
                           struct bt_trainer_merge *merge)
{
	struct bt_trainer_merge *h = q->heap.base;
	size_t i = 0, first, end, down, k;

	if (q->n == 0)
		return false;
	*merge = h[0];
	q->n--;
	while ((first = CHILDREN * i + 1) < q->n) {
		end = first + CHILDREN < q->n ? first + CHILDREN : q->n;
		for (down = first, k = first + 1; k < end; k++)
			if (is_before(&h[k], &h[down]))
				down = k;
		if (!is_before(&h[down], &h[q->n]))
			break;
		h[i] = h[down];
		i = down;
	}
	h[i] = h[q->n];
	return true;
}

void bt_trainer_queue_clear(struct bt_trainer_queue *q)
{
	const struct bt_trainer_merge *h = q->heap.base;
	size_t i;

	for (i = 0; i < q->n; i++)
		bt_trainer_merge_clear(&h[i]);
	bt_arena_clear(&q->heap);
	memset(q, 0, sizeof(*q));
}
