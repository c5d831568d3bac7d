/* SPDX-License-Identifier: MIT */
/* The pairs of a vocabulary in training, merged one after the other. */
#include <stdlib.h>
#include <string.h>

#include "vocab_train/trainer_int.h"

#define PREFIX_LEN 2

/* A pair that a merge makes, in the words that it changes: a token and what was
 * merged. */
struct new_pair {
	uint32_t pair, replaced; /* numbers of pairs */
	uint32_t neighbour;      /* the token */
	uint32_t last;           /* 1 + the last word found */
	uint32_t listed;         /* words in the list */
	struct bt_trainer_merge merge;
};

/* A word in which a new pair was found. */
struct found {
	uint32_t made, word;
};

/* Which new pairs a token makes on the left and on the right of what is merged:
 * 1 + their numbers, or 0. */
struct sides {
	uint32_t left, right;
};

struct merger {
	struct bt_trainer_state *t;
	struct bt_trainer_pairs pairs; /* those merged keep their count */
	struct bt_trainer_queue queue;
	struct new_pair *made;
	size_t n, cap;
	struct found *found; /* in the order of words */
	size_t founds, founds_cap;
	struct sides *sides; /* [opts->size] */
	uint32_t a, b, id;   /* what is merged */
};

static int add_new_pair(struct merger *m, uint32_t pair, uint32_t replaced,
                        uint32_t neighbour)
{
	struct new_pair f = {pair, replaced, neighbour, 0, 0, {.n = 0}};

	if (bt_grow(&m->made, &m->cap, m->n + 1, sizeof(*m->made)) != BT_OK)
		return BT_ENOMEM;
	f.merge.key = bt_trainer_pair(&m->pairs, pair)->key;
	m->made[m->n++] = f;
	return BT_OK;
}

/* Takes memory for the lists of words of the new pairs that occur. */
static int make_lists(struct merger *m)
{
	struct bt_trainer_merge *f;
	size_t i;

	for (i = 0; i < m->n; i++) {
		f = &m->made[i].merge;
		f->count = bt_trainer_pair(&m->pairs, m->made[i].pair)->count;
		if (f->count == 0 || f->n < 2)
			continue;
		f->word.many = bt_array(f->n, sizeof(*f->word.many));
		if (f->word.many == NULL) {
			f->n = 0;
			return BT_ENOMEM;
		}
	}
	return BT_OK;
}

static void list_word(struct new_pair *p, uint32_t word)
{
	if (p->merge.n == 1)
		p->merge.word.one = word;
	else if (p->merge.count > 0)
		p->merge.word.many[p->listed++] = word;
}

/* Queues the new pairs that occur. r: what making them returned. */
static int queue_new_pairs(struct merger *m, int r)
{
	const struct bt_trainer_merge *f;
	size_t i;

	for (i = 0; i < m->n; i++) {
		f = &m->made[i].merge;
		if (f->count == 0 || f->n == 0)
			continue;
		if (r == BT_OK)
			r = bt_trainer_queue_put(&m->queue, f);
		else
			bt_trainer_merge_clear(f);
	}
	m->n = 0;
	return r;
}

/* Goes through the pairs of a word: counts them or, the second time, lists the
 * word. */
static int scan_word(struct merger *m, uint32_t word, bool list)
{
	const struct bt_trainer_word *w = &m->t->word[word];
	struct new_pair *p;
	uint32_t i, pair;
	int r;

	for (i = 1; i < w->n; i++) {
		if (w->token[i - 1] == BT_SYMBOL_NONE ||
		    w->token[i] == BT_SYMBOL_NONE)
			continue;
		r = bt_trainer_pairs_find(
		    &m->pairs, bt_trainer_key(w->token[i - 1], w->token[i]),
		    &pair);
		if (r == BT_OK && pair == m->n)
			r = add_new_pair(m, pair, 0, 0);
		if (r != BT_OK)
			return r;
		p = &m->made[pair];
		if (!list)
			bt_trainer_pair(&m->pairs, pair)->count += w->count;
		if (p->last == word + 1)
			continue;
		p->last = word + 1;
		if (list)
			list_word(p, word);
		else
			p->merge.n++;
	}
	return BT_OK;
}

/* Queues all pairs of all words. */
static int queue_all_pairs(struct merger *m)
{
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < m->t->words; i++)
		r = scan_word(m, (uint32_t)i, false);
	if (r != BT_OK)
		return r;
	r = make_lists(m);
	for (i = 0; i < m->n; i++)
		m->made[i].last = 0;
	for (i = 0; r == BT_OK && i < m->t->words; i++)
		r = scan_word(m, (uint32_t)i, true);
	return queue_new_pairs(m, r);
}

/* The new pair of x on the left of id, or on its right. */
static int find_new_pair(struct merger *m, uint32_t x, bool left,
                         uint32_t *made)
{
	uint32_t *number = left ? &m->sides[x].left : &m->sides[x].right;
	uint32_t pair, replaced;
	int r = BT_OK;

	if (*number == 0) {
		r = bt_trainer_pairs_find(&m->pairs,
		                          left ? bt_trainer_key(x, m->id)
		                               : bt_trainer_key(m->id, x),
		                          &pair);
		if (r == BT_OK)
			r = bt_trainer_pairs_find(&m->pairs,
			                          left
			                              ? bt_trainer_key(x, m->a)
			                              : bt_trainer_key(m->b, x),
			                          &replaced);
		if (r == BT_OK)
			r = add_new_pair(m, pair, replaced, x);
		if (r == BT_OK)
			*number = (uint32_t)m->n;
	}
	*made = *number - 1;
	return r;
}

static int add_found(struct merger *m, uint32_t made, uint32_t word)
{
	if (m->made[made].last == word + 1)
		return BT_OK;
	if (bt_grow(&m->found, &m->founds_cap, m->founds + 1,
	            sizeof(*m->found)) != BT_OK)
		return BT_ENOMEM;
	m->made[made].last = word + 1;
	m->made[made].merge.n++;
	m->found[m->founds++] = (struct found){made, word};
	return BT_OK;
}

/* Counts that in a word id now stands beside x. */
static int add_neighbour(struct merger *m, uint32_t x, bool left, uint32_t word)
{
	uint64_t count = m->t->word[word].count;
	uint32_t made;
	int r;

	if (x == BT_SYMBOL_NONE)
		return BT_OK;
	r = find_new_pair(m, x, left, &made);
	if (r != BT_OK)
		return r;
	bt_trainer_pair(&m->pairs, m->made[made].pair)->count += count;
	bt_trainer_pair(&m->pairs, m->made[made].replaced)->count -= count;
	/* id beside itself is one pair, which has one list */
	if (x == m->id && !left)
		r = find_new_pair(m, x, true, &made);
	return r == BT_OK ? add_found(m, made, word) : r;
}

/* Merges a and b to id wherever they stand in a word. */
static int merge_word(struct merger *m, uint32_t word)
{
	struct bt_trainer_word *w = &m->t->word[word];
	uint32_t *s = w->token, from, to;
	int r = BT_OK;

	for (from = to = 0; r == BT_OK && from < w->n; from++, to++) {
		if (s[from] != m->a || from + 1 == w->n ||
		    s[from + 1] != m->b) {
			s[to] = s[from];
			continue;
		}
		if (to > 0)
			r = add_neighbour(m, s[to - 1], true, word);
		s[to] = m->id;
		from++;
		if (r == BT_OK && from + 1 < w->n)
			r = add_neighbour(m, s[from + 1], false, word);
	}
	w->n = to;
	return r;
}

static int merge(struct merger *m, const struct bt_trainer_merge *c)
{
	const struct bt_trainer *o = m->t->out;
	struct bt_span second;
	uint32_t i;
	int r;

	m->a = bt_trainer_key_a(c->key);
	m->b = bt_trainer_key_b(c->key);
	second = o->token[m->b];
	if (m->t->opts->kind != BT_WORDS_BYTES) {
		second.p += PREFIX_LEN;
		second.n -= PREFIX_LEN;
	}
	r = bt_trainer_intern(m->t, o->token[m->a], second, &m->id);
	if (r != BT_OK || o->n == m->t->opts->size)
		return r; /* the last one */
	for (i = 0; r == BT_OK && i < c->n; i++)
		r = merge_word(m, c->n > 1 ? c->word.many[i] : c->word.one);
	for (i = 0; i < m->n; i++)
		m->sides[m->made[i].neighbour] = (struct sides){0, 0};
	if (r != BT_OK)
		return r;
	r = make_lists(m);
	for (i = 0; r == BT_OK && i < m->founds; i++)
		list_word(&m->made[m->found[i].made], m->found[i].word);
	m->founds = 0;
	return queue_new_pairs(m, r);
}

static int add_rule(struct bt_trainer *o, uint64_t key)
{
	if (bt_grow(&o->merge, &o->merges_cap, o->merges + 1,
	            sizeof(*o->merge)) != BT_OK)
		return BT_ENOMEM;
	o->merge[o->merges++] = (struct bt_trainer_merge_rule){
	    bt_trainer_key_a(key), bt_trainer_key_b(key)};
	return BT_OK;
}

/* Of merges of the same pair, leaves the last. */
static int drop_repeats(struct bt_trainer *o)
{
	struct bt_trainer_pairs seen = {0};
	size_t i = o->merges, to = o->merges, before;
	uint32_t number;
	int r = BT_OK;

	while (r == BT_OK && i-- > 0) {
		before = seen.n;
		r = bt_trainer_pairs_find(
		    &seen, bt_trainer_key(o->merge[i].a, o->merge[i].b),
		    &number);
		if (seen.n > before)
			o->merge[--to] = o->merge[i];
	}
	bt_trainer_pairs_clear(&seen);
	o->merges -= to;
	if (to > 0 && o->merges > 0)
		memmove(o->merge, o->merge + to, o->merges * sizeof(*o->merge));
	return r;
}

static int merge_all(struct merger *m)
{
	const struct bt_trainer_opts *o = m->t->opts;
	struct bt_trainer_merge c;
	uint32_t pair;
	uint64_t now;
	int r = BT_OK;

	if (m->t->out->n < o->size)
		r = queue_all_pairs(m);
	while (r == BT_OK && m->t->out->n < o->size &&
	       bt_trainer_queue_take(&m->queue, &c)) {
		r = bt_trainer_pairs_find(&m->pairs, c.key, &pair);
		now = r == BT_OK ? bt_trainer_pair(&m->pairs, pair)->count : 0;
		if (r == BT_OK && c.count > 0 && c.count != now) {
			c.count = now; /* other merges changed it */
			r = bt_trainer_queue_put(&m->queue, &c);
			continue;
		}
		if (r != BT_OK || c.count == 0 || c.count < o->min_count) {
			bt_trainer_merge_clear(&c);
			break;
		}
		r = add_rule(m->t->out, c.key);
		if (r == BT_OK)
			r = merge(m, &c);
		bt_trainer_merge_clear(&c);
	}
	return r == BT_OK ? drop_repeats(m->t->out) : r;
}

int bt_trainer_merge(struct bt_trainer_state *t)
{
	struct merger m = {.t = t};
	int r = BT_ENOMEM;

	m.sides = bt_array0(t->opts->size, sizeof(*m.sides));
	if (m.sides != NULL)
		r = merge_all(&m);
	bt_trainer_pairs_clear(&m.pairs);
	bt_trainer_queue_clear(&m.queue);
	free(m.made);
	free(m.found);
	free(m.sides);
	return r;
}
