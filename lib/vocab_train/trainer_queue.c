/* SPDX-License-Identifier: MIT */
/* The merges that are to be considered, and the words they would change. */
#include <stdlib.h>
#include <string.h>

#include "vocab_train/trainer_int.h"
#include "vocab_train/varint_int.h"

/* One that waits: 6 bytes of the key, 4 of the count, 5 of the list. */
#define PACKED 15
#define AT_COUNT 6
#define AT_LIST 10
#define SLACK 8 /* bytes behind the last, so that 8 can be read of each */

#define KEY_MASK 0xffffffffffffu
#define LIST_MASK 0xffffffffffu
#define FIRST_LEAST ((uint64_t)1 << 32) /* all that wait have less */
#define MIN_BYTES ((size_t)64 << 10)

static int more_room(struct bt_arena *a, size_t need)
{
	size_t size = a->size + a->size / 2;

	if (need <= a->size)
		return BT_OK;
	if (size < MIN_BYTES)
		size = MIN_BYTES;
	return bt_arena_resize(a, size < need ? need : size);
}

/* A list is the number of its bytes, then its places. */
int bt_trainer_lists_add(struct bt_trainer_lists *l, size_t bytes,
                         uint64_t *list, uint64_t *at)
{
	uint64_t from = l->end == 0 ? 1 : l->end;
	uint64_t start = from + bt_varint_size(bytes);

	if (start + bytes > LIST_MASK >> 1 ||
	    more_room(&l->mem, start + bytes) != BT_OK)
		return BT_ENOMEM;
	bt_varint_put((uint8_t *)l->mem.base + from, bytes);
	l->end = start + bytes;
	*list = from << 1;
	*at = start;
	return BT_OK;
}

static bool lies(uint64_t list)
{
	return list != 0 && (list & 1) == 0;
}

/* The bytes that a list takes. */
static uint64_t list_size(const struct bt_trainer_lists *l, uint64_t list)
{
	const uint8_t *p = (const uint8_t *)l->mem.base + (list >> 1), *q;
	uint64_t bytes;

	q = bt_varint_get(p, &bytes);
	return (uint64_t)(q - p) + bytes;
}

void bt_trainer_lists_free(struct bt_trainer_lists *l, uint64_t list)
{
	if (lies(list))
		l->freed += list_size(l, list);
}

void bt_trainer_list_begin(const struct bt_trainer_lists *l, uint64_t list,
                           struct bt_trainer_list_at *at)
{
	uint64_t bytes;

	memset(at, 0, sizeof(*at));
	if (lies(list)) {
		at->p = bt_varint_get(
		    (const uint8_t *)l->mem.base + (list >> 1), &bytes);
		at->end = at->p + bytes;
	} else if (list != 0) {
		at->place = list >> 1;
		at->one = true;
	}
}

bool bt_trainer_list_next(struct bt_trainer_list_at *at)
{
	uint64_t gap;

	if (at->p == at->end) {
		gap = at->one;
		at->one = false;
		return gap != 0;
	}
	at->p = bt_varint_get(at->p, &gap);
	at->place += gap;
	return true;
}

static bool is_before(const struct bt_trainer_chance *a,
                      const struct bt_trainer_chance *b)
{
	if (a->count != b->count)
		return a->count > b->count;
	if (a->key != b->key)
		return a->key < b->key;
	return a->turn < b->turn;
}

static int push(struct bt_trainer_chances *c, uint64_t key, uint64_t count,
                uint64_t list)
{
	struct bt_trainer_chance x = {count, key, list, c->turns++}, *h;
	size_t i = c->n, up;

	if (bt_grow(&c->heap, &c->cap, i + 1, sizeof(*c->heap)) != BT_OK)
		return BT_ENOMEM;
	h = c->heap;
	for (c->n++; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!is_before(&x, &h[up]))
			break;
		h[i] = h[up];
	}
	h[i] = x;
	return BT_OK;
}

/* Puts x where h[i], of a heap of n, was. */
static void sink(struct bt_trainer_chance *h, size_t n, size_t i,
                 struct bt_trainer_chance x)
{
	size_t down;

	while ((down = 2 * i + 1) < n) {
		if (down + 1 < n && is_before(&h[down + 1], &h[down]))
			down++;
		if (!is_before(&h[down], &x))
			break;
		h[i] = h[down];
		i = down;
	}
	h[i] = x;
}

static uint8_t *packed(const struct bt_trainer_chances *c, size_t i)
{
	return (uint8_t *)c->wait.base + i * PACKED;
}

static uint32_t packed_count(const uint8_t *p)
{
	uint32_t count;

	memcpy(&count, p + AT_COUNT, 4);
	return count;
}

static uint64_t packed_list(const uint8_t *p)
{
	uint64_t list;

	memcpy(&list, p + AT_LIST, 8);
	return list & LIST_MASK;
}

static uint64_t packed_key(const uint8_t *p)
{
	uint64_t key;

	memcpy(&key, p, 8);
	return key & KEY_MASK;
}

/* Makes a list the last one that lies there. */
static int move_list(struct bt_trainer_lists *l, uint64_t *list)
{
	uint64_t from = *list >> 1, n = list_size(l, *list);

	if (l->end + n > LIST_MASK >> 1 ||
	    more_room(&l->mem, l->end + n) != BT_OK)
		return BT_ENOMEM;
	memcpy((uint8_t *)l->mem.base + l->end, (uint8_t *)l->mem.base + from,
	       n);
	*list = l->end << 1;
	l->end += n;
	l->freed += n;
	return BT_OK;
}

static int put_aside(struct bt_trainer_chances *c, uint64_t key, uint32_t count,
                     uint64_t list)
{
	uint8_t *p;

	if (lies(list) && list < c->last_list &&
	    move_list(&c->lists, &list) != BT_OK)
		return BT_ENOMEM;
	if (more_room(&c->wait, (c->waiting + 1) * PACKED + SLACK) != BT_OK)
		return BT_ENOMEM;
	if (lies(list))
		c->last_list = list;
	p = packed(c, c->waiting++);
	memcpy(p, &key, 6);
	memcpy(p + AT_COUNT, &count, 4);
	memcpy(p + AT_LIST, &list, 5);
	return BT_OK;
}

int bt_trainer_chances_put(struct bt_trainer_chances *c, uint64_t key,
                           uint64_t count, uint64_t list)
{
	if (c->least == 0)
		c->least = FIRST_LEAST;
	return count >= c->least ? push(c, key, count, list)
	                         : put_aside(c, key, (uint32_t)count, list);
}

/* Lets the next ones into the heap: those that occur three quarters as often as
 * the most frequent, or more. */
static int let_in(struct bt_trainer_chances *c)
{
	uint32_t most = 0, count;
	size_t i, to = 0;
	uint8_t *p;
	int r = BT_OK;

	for (i = 0; i < c->waiting; i++) {
		count = packed_count(packed(c, i));
		most = count > most ? count : most;
	}
	if (most == 0)
		return BT_OK;
	c->least = most - most / 4;
	for (i = 0; r == BT_OK && i < c->waiting; i++) {
		p = packed(c, i);
		count = packed_count(p);
		if (count >= c->least)
			r = push(c, packed_key(p), count, packed_list(p));
		else if (to++ < i)
			memmove(packed(c, to - 1), p, PACKED);
	}
	c->waiting = to;
	return r;
}

int bt_trainer_chances_take(struct bt_trainer_chances *c,
                            struct bt_trainer_chance *chance)
{
	if (c->n == 0 && let_in(c) != BT_OK)
		return BT_ENOMEM;
	if (c->n == 0)
		return 0;
	*chance = c->heap[0];
	c->n--;
	sink(c->heap, c->n, 0, c->heap[c->n]);
	return 1;
}

static int by_list(const void *a, const void *b)
{
	const struct bt_trainer_chance *x = a, *y = b;

	return (x->list > y->list) - (x->list < y->list);
}

/* Moves a list down to where the last one ends. */
static uint64_t slide(struct bt_trainer_lists *l, uint64_t list, uint64_t *end)
{
	uint64_t n = list_size(l, list), to = *end;

	memmove((uint8_t *)l->mem.base + to,
	        (uint8_t *)l->mem.base + (list >> 1), n);
	*end += n;
	return to << 1;
}

int bt_trainer_chances_tidy(struct bt_trainer_chances *c)
{
	uint64_t end = 1, list;
	size_t i = 0, k = 0;

	if (c->lists.freed < MIN_BYTES || c->lists.freed < c->lists.end / 4)
		return BT_OK;
	if (c->n > 0)
		qsort(c->heap, c->n, sizeof(*c->heap), by_list);
	c->last_list = 0;
	while (i < c->n || k < c->waiting) {
		list = k < c->waiting ? packed_list(packed(c, k)) : 0;
		if (k < c->waiting && !lies(list)) {
			k++;
		} else if (i < c->n && !lies(c->heap[i].list)) {
			i++;
		} else if (i < c->n &&
		           (k == c->waiting || c->heap[i].list < list)) {
			c->heap[i].list =
			    slide(&c->lists, c->heap[i].list, &end);
			i++;
		} else {
			list = slide(&c->lists, list, &end);
			memcpy(packed(c, k++) + AT_LIST, &list, 5);
			c->last_list = list;
		}
	}
	c->lists.end = end;
	c->lists.freed = 0;
	for (i = c->n / 2; i-- > 0;)
		sink(c->heap, c->n, i, c->heap[i]);
	return bt_arena_resize(&c->lists.mem, end + end / 4 + MIN_BYTES);
}

void bt_trainer_chances_clear(struct bt_trainer_chances *c)
{
	free(c->heap);
	bt_arena_clear(&c->wait);
	bt_arena_clear(&c->lists.mem);
	memset(c, 0, sizeof(*c));
}
