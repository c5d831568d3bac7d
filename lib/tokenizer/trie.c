/* SPDX-License-Identifier: MIT */
/*
 * The strings are sorted; a node is a range of them that agree in their first
 * bytes. Children of a node lie in one block of 256 units, since their places
 * differ in the low eight bits only. Several are put into one of the few blocks
 * that are open, the newest first. One alone, as the nodes of a string's own
 * end are, fits anywhere and fills what is left of the blocks that were closed.
 */
#include "tokenizer/trie.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BLOCK 256
#define AHEAD 8 /* strings that are on their way to the processor */
#define OPEN_BLOCKS 4
#define MAX_UNITS ((size_t)1 << 31)
#define NO_PARENT (BT_TRIE_NONE - 1) /* of the root, whose place is taken */

/* A string and its number. */
struct entry {
	uint64_t head[2]; /* its first bytes, the first one highest, and zeros,
	                   * and those behind */
	const char *p;
	uint32_t n, number;
};
#define HEADS 16 /* bytes */

/* What is sorted first. */
struct key {
	uint64_t head;
	uint32_t number;
};

/* A node still to be filled: its strings are first .. last-1, which agree in
 * depth bytes. */
struct task {
	uint32_t node, first, last, depth;
};

/* Which units of the block that begins at first are free. */
struct block {
	uint64_t free[BLOCK / 64];
	uint32_t first, left; /* left: how many */
};

struct build {
	struct bt_trie *t;
	size_t cap; /* units */
	struct block open[OPEN_BLOCKS];
	size_t opened;        /* the newest is open[(opened - 1) % ...] */
	struct block *closed; /* with free units */
	size_t closes, closed_cap;
	struct block single; /* single nodes take its units */
	unsigned word;       /* of single.free: those before have none */
	struct entry *entry;
	size_t entries;
	struct task *task;
	size_t tasks, tasks_cap;
	uint8_t label[BLOCK];   /* of the children of the node at hand */
	size_t from[BLOCK + 1]; /* where each child's strings begin */
	int labels;
	size_t *same; /* of bt_trie_init */
};

/* The first eight bytes behind at. */
static uint64_t head_of(struct bt_span s, size_t at)
{
	uint64_t h = 0;
	size_t i, n = s.n > at ? s.n - at : 0;

	if (n >= 8) {
		memcpy(&h, s.p + at, 8);
		return __builtin_bswap64(h);
	}
	for (i = 0; i < n; i++)
		h |= (uint64_t)(uint8_t)s.p[at + i] << (56 - 8 * i);
	return h;
}

/* Heads decide for nearly all strings, without a look at these. Where they are
 * equal and one is all of a string, this begins the other. */
static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int c = 0, i;

	for (i = 0; i < 2; i++)
		if (x->head[i] != y->head[i])
			return x->head[i] < y->head[i] ? -1 : 1;
	if (x->n > HEADS && y->n > HEADS)
		c = bt_span_compare(
		    (struct bt_span){x->p + HEADS, x->n - HEADS},
		    (struct bt_span){y->p + HEADS, y->n - HEADS});
	else if (x->n != y->n)
		c = x->n < y->n ? -1 : 1;
	if (c != 0)
		return c;
	return (x->number > y->number) - (x->number < y->number);
}

/* Adds a block of free units. */
static int add_block(struct build *b, struct block *k)
{
	size_t i, first = b->t->n, n = first + BLOCK;
	int r = n > MAX_UNITS ? BT_ENOMEM : BT_OK;

	if (r == BT_OK)
		r = bt_grow(&b->t->unit, &b->cap, n, sizeof(*b->t->unit));
	if (r != BT_OK)
		return r;
	for (i = first; i < n; i++) {
		b->t->unit[i].base = 0;
		b->t->unit[i].parent = BT_TRIE_NONE;
	}
	b->t->n = n;
	memset(k->free, 0xff, sizeof(k->free));
	k->first = (uint32_t)first;
	k->left = BLOCK;
	return BT_OK;
}

/* Opens a new block in place of the oldest one. */
static int open_block(struct build *b, struct block **now)
{
	struct block *k = &b->open[b->opened % OPEN_BLOCKS];
	int r = BT_OK;

	if (b->opened >= OPEN_BLOCKS && k->left > 0) {
		r = bt_grow(&b->closed, &b->closed_cap, b->closes + 1,
		            sizeof(*b->closed));
		if (r == BT_OK)
			b->closed[b->closes++] = *k;
	}
	if (r == BT_OK)
		r = add_block(b, k);
	b->opened += r == BT_OK;
	*now = k;
	return r;
}

/* Makes a unit of the block to a child of parent. */
static void take(struct build *b, struct block *k, uint32_t to, uint32_t parent)
{
	b->t->unit[to].parent = parent;
	k->free[to % BLOCK / 64] &= ~((uint64_t)1 << to % 64);
	k->left--;
}

/* Finds units for single nodes. */
static int next_single(struct build *b)
{
	int r = BT_OK;

	while (++b->word < BLOCK / 64)
		if (b->single.free[b->word] != 0)
			return BT_OK;
	if (b->closes > 0)
		b->single = b->closed[--b->closes];
	else
		r = add_block(b, &b->single);
	for (b->word = 0; r == BT_OK && b->single.free[b->word] == 0;)
		b->word++;
	return r;
}

/* Makes a free unit to the only child of parent, by the byte c; *to is the
 * unit. */
static inline int take_one(struct build *b, uint32_t parent, uint8_t c,
                           uint32_t *to)
{
	uint64_t *is_free = b->single.free;
	int r;

	if (is_free[b->word] == 0) {
		r = next_single(b);
		if (r != BT_OK)
			return r;
	}
	*to = b->single.first + b->word * 64 +
	      (uint32_t)__builtin_ctzll(is_free[b->word]);
	is_free[b->word] &= is_free[b->word] - 1;
	b->t->unit[*to].parent = parent;
	b->t->unit[parent].base = (*to ^ c) << 1;
	return BT_OK;
}

/* Swaps the bits of w that are by apart, the lower ones in mask, if on is 1. */
static inline uint64_t swap_some(uint64_t w, unsigned by, uint64_t mask,
                                 unsigned on)
{
	uint64_t differ = ((w >> by) ^ w) & mask & -(uint64_t)on;

	return w ^ differ ^ differ << by;
}

/* Bit i of the result is bit i ^ by of w; without branches, which would be
 * guessed wrong. */
static inline uint64_t swap_bits(uint64_t w, unsigned by)
{
	w = swap_some(w, 1, 0x5555555555555555u, by & 1);
	w = swap_some(w, 2, 0x3333333333333333u, by >> 1 & 1);
	w = swap_some(w, 4, 0x0f0f0f0f0f0f0f0fu, by >> 2 & 1);
	w = swap_some(w, 8, 0x00ff00ff00ff00ffu, by >> 3 & 1);
	w = swap_some(w, 16, 0x0000ffff0000ffffu, by >> 4 & 1);
	return swap_some(w, 32, 0x00000000ffffffffu, by >> 5 & 1);
}

/* Looks for a base that puts every child on a free unit of a block. */
static bool search_block(const struct build *b, const struct block *k,
                         uint32_t *base)
{
	uint64_t left;
	unsigned w, label;
	int i;

	for (w = 0; w < BLOCK / 64; w++) {
		if (k->free[w] == 0)
			continue;
		/* the places of the first child, as the others see them */
		left = k->free[w];
		for (i = 1; left != 0 && i < b->labels; i++) {
			label = b->label[i] ^ b->label[0];
			left &= swap_bits(k->free[w ^ label / 64], label % 64);
		}
		if (left == 0)
			continue;
		*base = (k->first + w * 64 + (uint32_t)__builtin_ctzll(left)) ^
		        b->label[0];
		return true;
	}
	return false;
}

/* Finds a base for the children whose labels are listed, and its block. */
static int find_base(struct build *b, uint32_t *base, struct block **k)
{
	size_t n;
	int r;

	for (n = 1; n <= OPEN_BLOCKS && n <= b->opened; n++) {
		*k = &b->open[(b->opened - n) % OPEN_BLOCKS];
		if ((*k)->left >= (uint32_t)b->labels &&
		    search_block(b, *k, base))
			return BT_OK;
	}
	r = open_block(b, k);
	*base = (*k)->first;
	return r;
}

/* The byte of a string that is longer than depth; most are in the head. */
static uint8_t byte_at(const struct entry *e, size_t depth)
{
	return depth < HEADS
	           ? (uint8_t)(e->head[depth / 8] >> (56 - 8 * (depth % 8)))
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

/* Finds the labels of a node's children and where their strings begin, from
 * the string i on, which does not end here. */
static void list_children(struct build *b, const struct task *k, size_t i)
{
	uint8_t c;

	b->labels = 0;
	while (i < k->last) {
		c = byte_at(&b->entry[i], k->depth);
		b->label[b->labels] = c;
		b->from[b->labels++] = i;
		i = skip_equal(b, i, k->last, k->depth);
	}
	b->from[b->labels] = k->last;
}

static int push(struct build *b, uint32_t node, size_t first, size_t last,
                size_t depth)
{
	struct task *k;
	int r =
	    bt_grow(&b->task, &b->tasks_cap, b->tasks + 1, sizeof(*b->task));

	if (r != BT_OK)
		return r;
	k = &b->task[b->tasks++];
	k->node = node;
	k->first = (uint32_t)first;
	k->last = (uint32_t)last;
	k->depth = (uint32_t)depth;
	return BT_OK;
}

/* The nodes of a string behind its node in that depth, which is no other's. */
static int fill_tail(struct build *b, uint32_t node, const struct entry *e,
                     size_t depth)
{
	uint32_t to;
	uint8_t c;
	int r = BT_OK;

	for (; r == BT_OK && depth < e->n; depth++) {
		c = byte_at(e, depth);
		if (c == BT_TRIE_END)
			return BT_EARG;
		r = take_one(b, node, c, &to);
		node = to;
	}
	if (r == BT_OK)
		r = take_one(b, node, BT_TRIE_END, &to);
	if (r == BT_OK) {
		b->t->unit[node].base |= 1;
		b->t->unit[to].base = e->number;
	}
	return r;
}

static int fill_node(struct build *b, struct task k)
{
	bool ends = b->entry[k.first].n == k.depth;
	struct block *block;
	uint32_t base;
	int children, i, r;

	if (k.first + AHEAD < b->entries)
		__builtin_prefetch(&b->entry[k.first + AHEAD]);
	if (ends && k.last - k.first > 1 &&
	    b->entry[k.first + 1].n == k.depth) {
		b->same[0] = b->entry[k.first].number;
		b->same[1] = b->entry[k.first + 1].number;
		return BT_EFORMAT;
	}
	list_children(b, &k, k.first + ends);
	children = b->labels;
	if (children > 0 && b->label[children - 1] == BT_TRIE_END)
		return BT_EARG;
	if (ends)
		b->label[b->labels++] = BT_TRIE_END;
	r = find_base(b, &base, &block);
	if (r != BT_OK)
		return r;
	b->t->unit[k.node].base = base << 1 | ends;
	for (i = 0; i < b->labels; i++)
		take(b, block, base ^ b->label[i], k.node);
	if (ends)
		b->t->unit[base ^ BT_TRIE_END].base = b->entry[k.first].number;
	for (i = 0; r == BT_OK && i < children; i++)
		if (b->from[i + 1] - b->from[i] == 1)
			r = fill_tail(b, base ^ b->label[i],
			              &b->entry[b->from[i]], k.depth + 1);
	/* the last task is done next: push backwards, to go depth first */
	for (i = children - 1; r == BT_OK && i >= 0; i--) {
		if (b->from[i + 1] - b->from[i] > 1)
			r = push(b, base ^ b->label[i], b->from[i],
			         b->from[i + 1], k.depth + 1);
	}
	return r;
}

static int fill(struct build *b)
{
	struct block *first;
	int r = open_block(b, &first);

	b->word = BLOCK / 64 - 1; /* no unit of single is free */
	if (r == BT_OK)
		take(b, first, BT_TRIE_ROOT, NO_PARENT);
	if (r == BT_OK && b->entries > 0)
		r = push(b, BT_TRIE_ROOT, 0, b->entries, 0);
	while (r == BT_OK && b->tasks > 0)
		r = fill_node(b, b->task[--b->tasks]);
	return r;
}

#define FEW 8    /* entries that are sorted by putting them in */
#define DIGIT 11 /* bits that are sorted by at a time */
#define DIGITS 6

/* Sorts n keys, those of equal heads as they stood; spare has room for as
 * many. */
static void sort_keys(struct key *key, struct key *spare, size_t n)
{
	uint32_t at[DIGITS][1 << DIGIT] = {{0}}, sum, count;
	struct key *from = key, *to = spare, *swap;
	size_t i, k;
	int d;

	for (i = 0; i < n; i++)
		for (d = 0; d < DIGITS; d++)
			at[d][key[i].head >> d * DIGIT & ((1 << DIGIT) - 1)]++;
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
	_Static_assert(DIGITS % 2 == 0, "the keys end where they began");
}

/* Sorts n entries whose first heads are equal. */
static void sort_equal(struct entry *e, size_t n)
{
	struct entry x;
	size_t i, k;

	if (n > FEW) {
		qsort(e, n, sizeof(*e), compare);
		return;
	}
	for (i = 1; i < n; i++) {
		x = e[i];
		for (k = i; k > 0 && compare(&e[k - 1], &x) > 0; k--)
			e[k] = e[k - 1];
		e[k] = x;
	}
}

/* Makes the entries of n keys. What is looked at is all over the memory, and is
 * let come before. */
static void make_entries(struct build *b, const struct bt_span *strings,
                         const struct key *key, size_t n)
{
	size_t i, from;
	struct bt_span s;

	for (i = 0; i < n; i++) {
		if (i + 2 * AHEAD < n)
			__builtin_prefetch(&strings[key[i + 2 * AHEAD].number]);
		if (i + AHEAD < n)
			__builtin_prefetch(strings[key[i + AHEAD].number].p +
			                   8);
		s = strings[key[i].number];
		b->entry[i] = (struct entry){{key[i].head, head_of(s, 8)},
		                             s.p,
		                             (uint32_t)s.n,
		                             key[i].number};
	}
	for (from = 0, i = 1; i <= n; i++) {
		if (i < n && key[i].head == key[from].head)
			continue;
		if (i - from > 1)
			sort_equal(b->entry + from, i - from);
		from = i;
	}
	b->entries = n;
}

/* Sorts the strings that are not empty. */
static int sort_entries(struct build *b, const struct bt_span *strings,
                        size_t n, struct bt_error *err)
{
	struct key *key = bt_array(n, sizeof(*key));
	size_t i, k = 0;

	if (key == NULL)
		return BT_ENOMEM;
	for (i = 0; i < n; i++) {
		if (strings[i].n == 0)
			continue;
		if (strings[i].n > UINT32_MAX) {
			free(key);
			return bt_error_set(err, BT_ELIMIT,
			                    "a string of %zu bytes is too long",
			                    strings[i].n);
		}
		key[k].head = head_of(strings[i], 0);
		key[k++].number = (uint32_t)i;
	}
	/* an entry has room for a key */
	sort_keys(key, (struct key *)(void *)b->entry, k);
	make_entries(b, strings, key, k);
	free(key);
	return BT_OK;
}

int bt_trie_init(struct bt_trie *t, const struct bt_span *strings, size_t n,
                 size_t same[2], struct bt_error *err)
{
	struct bt_trie made = {NULL, 0};
	struct build b = {.t = &made, .same = same};
	int r = BT_ENOMEM;

	b.entry = n < MAX_UNITS ? bt_array(n, sizeof(*b.entry)) : NULL;
	if (b.entry != NULL)
		r = sort_entries(&b, strings, n, err);
	if (r == BT_OK)
		r = fill(&b);
	if (r == BT_EARG)
		bt_error_set(err, BT_EARG, "a string holds the byte 0xff");
	if (r == BT_ENOMEM)
		bt_error_nomem(err, "indexing a vocabulary");
	free(b.entry);
	free(b.task);
	free(b.closed);
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
