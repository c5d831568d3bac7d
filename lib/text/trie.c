/* SPDX-License-Identifier: MIT */
/*
 * The strings are sorted; a node is a range of them that agree in their first
 * bytes. Children of a node lie in one block of 256 units, since their places
 * differ in the low eight bits only. Places are looked for in the last few
 * blocks; a node that fits into none of them opens a new one.
 */
#include "text/trie.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BLOCK 256
#define AHEAD 8       /* strings that are on their way to the processor */
#define OPEN_BLOCKS 4 /* blocks that are searched for a place */
#define MAX_UNITS ((size_t)1 << 31)
#define NO_PARENT (BT_TRIE_NONE - 1) /* of the root, whose place is taken */

/* A string and its number. */
struct entry {
	uint64_t head; /* its first bytes, the first one highest, and zeros */
	const char *p;
	uint32_t n, number;
};

/* A node still to be filled: its strings are first .. last-1, which agree in
 * depth bytes. */
struct task {
	uint32_t node;
	size_t first, last, depth;
};

/* Which units of a block are free. */
struct block {
	uint64_t free[BLOCK / 64];
};

struct build {
	struct bt_trie *t;
	size_t cap; /* units */
	struct block *block;
	size_t blocks_cap;
	struct entry *entry;
	size_t entries;
	struct task *task;
	size_t tasks, tasks_cap;
	uint8_t label[BLOCK];   /* of the children of the node at hand */
	size_t from[BLOCK + 1]; /* where each child's strings begin */
	int labels;
};

static uint64_t head_of(struct bt_span s)
{
	uint64_t h = 0;
	size_t i;

	for (i = 0; i < 8; i++)
		h = h << 8 | (i < s.n ? (uint8_t)s.p[i] : 0);
	return h;
}

static struct bt_span span_of(const struct entry *e)
{
	return (struct bt_span){e->p, e->n};
}

/* Heads decide for nearly all strings, without a look at these. */
static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int c;

	if (x->head != y->head)
		return x->head < y->head ? -1 : 1;
	c = bt_span_compare(span_of(x), span_of(y));
	if (c != 0)
		return c;
	return (x->number > y->number) - (x->number < y->number);
}

static int add_block(struct build *b)
{
	size_t i, blocks = b->t->n / BLOCK, n = b->t->n + BLOCK;
	int r = n > MAX_UNITS ? BT_ENOMEM : BT_OK;

	if (r == BT_OK)
		r = bt_grow(&b->t->unit, &b->cap, n, sizeof(*b->t->unit));
	if (r == BT_OK)
		r = bt_grow(&b->block, &b->blocks_cap, blocks + 1,
		            sizeof(*b->block));
	if (r != BT_OK)
		return r;
	for (i = b->t->n; i < n; i++) {
		b->t->unit[i].base = 0;
		b->t->unit[i].parent = BT_TRIE_NONE;
	}
	memset(&b->block[blocks], 0xff, sizeof(*b->block));
	b->t->n = n;
	return BT_OK;
}

/* Makes the unit at to a child of parent. */
static void take(struct build *b, uint32_t to, uint32_t parent)
{
	b->t->unit[to].parent = parent;
	b->block[to / BLOCK].free[to % BLOCK / 64] &= ~((uint64_t)1 << to % 64);
}

/* Bit i of the result is bit i ^ by of w. */
static inline uint64_t swap_bits(uint64_t w, unsigned by)
{
	if (by & 1)
		w = (w >> 1 & 0x5555555555555555u) | (w & 0x5555555555555555u)
		                                         << 1;
	if (by & 2)
		w = (w >> 2 & 0x3333333333333333u) | (w & 0x3333333333333333u)
		                                         << 2;
	if (by & 4)
		w = (w >> 4 & 0x0f0f0f0f0f0f0f0fu) | (w & 0x0f0f0f0f0f0f0f0fu)
		                                         << 4;
	if (by & 8)
		w = (w >> 8 & 0x00ff00ff00ff00ffu) | (w & 0x00ff00ff00ff00ffu)
		                                         << 8;
	if (by & 16)
		w = (w >> 16 & 0x0000ffff0000ffffu) | (w & 0x0000ffff0000ffffu)
		                                          << 16;
	return by & 32 ? w >> 32 | w << 32 : w;
}

/* Looks for a base that puts every child on a free unit of block k. */
static bool search_block(const struct build *b, size_t k, uint32_t *base)
{
	const uint64_t *is_free = b->block[k].free;
	uint64_t left;
	unsigned w, label;
	int i;

	for (w = 0; w < BLOCK / 64; w++) {
		if (is_free[w] == 0)
			continue;
		/* the places of the first child, as the others see them */
		left = is_free[w];
		for (i = 1; left != 0 && i < b->labels; i++) {
			label = b->label[i] ^ b->label[0];
			left &= swap_bits(is_free[w ^ label / 64], label % 64);
		}
		if (left == 0)
			continue;
		*base = ((uint32_t)(k * BLOCK + w * 64) +
		         (uint32_t)__builtin_ctzll(left)) ^
		        b->label[0];
		return true;
	}
	return false;
}

static int find_base(struct build *b, uint32_t *base)
{
	size_t blocks = b->t->n / BLOCK, k;
	int r;

	for (k = blocks > OPEN_BLOCKS ? blocks - OPEN_BLOCKS : 0; k < blocks;
	     k++)
		if (search_block(b, k, base))
			return BT_OK;
	r = add_block(b);
	*base = (uint32_t)(blocks * BLOCK);
	return r;
}

/* The byte of a string that is longer than depth; most are in the head. */
static uint8_t byte_at(const struct entry *e, size_t depth)
{
	return depth < 8 ? (uint8_t)(e->head >> (56 - 8 * depth))
	                 : (uint8_t)e->p[depth];
}

/* The first of entries at .. last-1 that has not the byte of entry at in this
 * depth: near ones are found at once, others by halving what is left. */
static size_t skip_equal(const struct build *b, size_t at, size_t last,
                         size_t depth)
{
	uint8_t c = byte_at(&b->entry[at], depth);
	size_t step = 1, mid;

	if (byte_at(&b->entry[last - 1], depth) == c)
		return last;
	while (byte_at(&b->entry[at + step], depth) == c) {
		at += step;
		step = at + 2 * step < last ? 2 * step : 1;
	}
	for (last = at + step; last - at > 1;) {
		mid = at + (last - at) / 2;
		if (byte_at(&b->entry[mid], depth) == c)
			at = mid;
		else
			last = mid;
	}
	return last;
}

/* Finds the labels of a node's children and where their strings begin. */
static void list_children(struct build *b, const struct task *k)
{
	size_t i = k->first;
	uint8_t c;

	b->labels = 0;
	if (b->entry[i].n == k->depth)
		i++; /* the string that ends here: the first */
	while (i < k->last) {
		c = byte_at(&b->entry[i], k->depth);
		b->label[b->labels] = c;
		b->from[b->labels++] = i;
		i = skip_equal(b, i, k->last, k->depth);
	}
	b->from[b->labels] = k->last;
}

static int push(struct build *b, struct task k)
{
	int r =
	    bt_grow(&b->task, &b->tasks_cap, b->tasks + 1, sizeof(*b->task));

	if (r == BT_OK)
		b->task[b->tasks++] = k;
	return r;
}

static int fill_node(struct build *b, struct task k)
{
	bool ends = b->entry[k.first].n == k.depth;
	uint32_t base, to;
	int children, i, r;

	if (k.first + AHEAD < b->entries)
		__builtin_prefetch(b->entry[k.first + AHEAD].p + 8);
	list_children(b, &k);
	children = b->labels;
	if (ends)
		b->label[b->labels++] = BT_TRIE_END;
	r = find_base(b, &base);
	if (r != BT_OK)
		return r;
	b->t->unit[k.node].base = base << 1 | ends;
	for (i = 0; i < b->labels; i++)
		take(b, base ^ b->label[i], k.node);
	if (ends)
		b->t->unit[base ^ BT_TRIE_END].base = b->entry[k.first].number;
	/* the last task is done next: push backwards, to go depth first */
	for (i = children - 1; r == BT_OK && i >= 0; i--) {
		to = base ^ b->label[i];
		r = push(b, (struct task){to, b->from[i], b->from[i + 1],
		                          k.depth + 1});
	}
	return r;
}

static int fill(struct build *b, size_t n)
{
	int r = add_block(b);

	if (r == BT_OK)
		take(b, BT_TRIE_ROOT, NO_PARENT);
	if (r == BT_OK && n > 0)
		r = push(b, (struct task){BT_TRIE_ROOT, 0, n, 0});
	while (r == BT_OK && b->tasks > 0)
		r = fill_node(b, b->task[--b->tasks]);
	return r;
}

#define FEW 4096 /* entries that are sorted by comparing */
#define DIGIT 11 /* bits that are sorted by at a time */
#define DIGITS 6

/* Sorts n entries by their heads, those of equal heads as they stood; spare has
 * room for as many. */
static void sort_heads(struct entry *e, struct entry *spare, size_t n)
{
	uint32_t at[DIGITS][1 << DIGIT] = {{0}}, sum, count;
	struct entry *from = e, *to = spare, *swap;
	size_t i, k;
	int d;

	for (i = 0; i < n; i++)
		for (d = 0; d < DIGITS; d++)
			at[d][e[i].head >> d * DIGIT & ((1 << DIGIT) - 1)]++;
	for (d = 0; d < DIGITS; d++) {
		for (sum = 0, k = 0; k < 1 << DIGIT; k++) {
			count = at[d][k];
			at[d][k] = sum;
			sum += count;
		}
		for (i = 0; i < n; i++) {
			k = from[i].head >> d * DIGIT & ((1 << DIGIT) - 1);
			to[at[d][k]++] = from[i];
		}
		swap = from;
		from = to;
		to = swap;
	}
	_Static_assert(DIGITS % 2 == 0, "the entries end where they began");
}

/* Sorts n entries; spare has room for as many. */
static void sort(struct entry *e, struct entry *spare, size_t n)
{
	size_t i, from;

	if (n < FEW) {
		qsort(e, n, sizeof(*e), compare);
		return;
	}
	sort_heads(e, spare, n);
	for (from = 0, i = 1; i <= n; i++) {
		if (i < n && e[i].head == e[from].head)
			continue;
		if (i - from > 1)
			qsort(e + from, i - from, sizeof(*e), compare);
		from = i;
	}
}

/* Sorts the strings that are not empty; *m is their number. */
static int sort_entries(struct build *b, const struct bt_span *strings,
                        size_t n, size_t *m, size_t same[2],
                        struct bt_error *err)
{
	struct entry *spare;
	size_t i, k = 0;

	for (i = 0; i < n; i++) {
		if (strings[i].n == 0)
			continue;
		if (strings[i].n > UINT32_MAX)
			return bt_error_set(err, BT_ELIMIT,
			                    "a string of %zu bytes is too long",
			                    strings[i].n);
		if (memchr(strings[i].p, BT_TRIE_END, strings[i].n) != NULL)
			return bt_error_set(err, BT_EARG,
			                    "a string holds the byte 0xff");
		b->entry[k].head = head_of(strings[i]);
		b->entry[k].p = strings[i].p;
		b->entry[k].n = (uint32_t)strings[i].n;
		b->entry[k++].number = (uint32_t)i;
	}
	spare = bt_array(k, sizeof(*spare));
	if (spare == NULL)
		return BT_ENOMEM;
	sort(b->entry, spare, k);
	free(spare);
	for (i = 1; i < k; i++)
		if (b->entry[i - 1].head == b->entry[i].head &&
		    bt_span_equal(span_of(&b->entry[i - 1]),
		                  span_of(&b->entry[i]))) {
			same[0] = b->entry[i - 1].number;
			same[1] = b->entry[i].number;
			return BT_EFORMAT;
		}
	b->entries = *m = k;
	return BT_OK;
}

int bt_trie_init(struct bt_trie *t, const struct bt_span *strings, size_t n,
                 size_t same[2], struct bt_error *err)
{
	struct bt_trie made = {NULL, 0};
	struct build b = {.t = &made};
	size_t m = 0;
	int r = BT_ENOMEM;

	b.entry = n < MAX_UNITS ? bt_array(n, sizeof(*b.entry)) : NULL;
	if (b.entry != NULL)
		r = sort_entries(&b, strings, n, &m, same, err);
	if (r == BT_OK)
		r = fill(&b, m);
	if (r == BT_ENOMEM)
		bt_error_nomem(err, "indexing a vocabulary");
	free(b.entry);
	free(b.task);
	free(b.block);
	if (r != BT_OK) {
		bt_trie_clear(&made);
		return r;
	}
	*t = made;
	return BT_OK;
}

void bt_trie_clear(struct bt_trie *t)
{
	free(t->unit);
	t->unit = NULL;
	t->n = 0;
}

uint32_t bt_trie_walk(const struct bt_trie *t, const void *s, size_t n)
{
	const uint8_t *p = s;
	uint32_t node = BT_TRIE_ROOT;
	size_t i;

	for (i = 0; i < n && node != BT_TRIE_NONE; i++)
		node = p[i] == BT_TRIE_END ? BT_TRIE_NONE
		                           : bt_trie_step(t, node, p[i]);
	return node;
}

int64_t bt_trie_find(const struct bt_trie *t, const void *s, size_t n)
{
	uint32_t node = bt_trie_walk(t, s, n);

	if (node == BT_TRIE_NONE || !bt_trie_is_end(t, node))
		return -1;
	return bt_trie_number(t, node);
}
