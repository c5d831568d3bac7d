/* SPDX-License-Identifier: MIT */
/* The pairs of a vocabulary in training, merged one after the other. */
#include <stdlib.h>
#include <string.h>

#include "vocab_train/trainer_int.h"
#include "vocab_train/varint_int.h"

#define PREFIX_LEN 2
#define PLACE_BITS 39

/* A pair that is found anew in some words: while these are counted, then while
 * their list is written. */
struct fresh {
	uint64_t key;
	uint64_t count; /* in these words */
	uint64_t gone;  /* of a pair that there was in its stead: the key */
	uint64_t place; /* the last one */
	uint64_t places, bytes, at, list;
	uint32_t token; /* the neighbour of what was merged */
};

/* Where a token stands beside what is merged: which of fresh, 1 + its number,
 * it makes on the left and on the right. */
struct beside {
	uint32_t left, right;
};

struct merger {
	struct bt_trainer_state *t;
	struct bt_trainer_pairs
	    pairs; /* counts; what is merged stays counted */
	struct bt_trainer_chances chances;
	struct fresh *fresh;
	size_t n, cap;
	uint64_t *found; /* [founds] which of fresh, and a place; in order */
	size_t founds, founds_cap;
	struct beside *beside; /* [opts->size] */
	uint32_t *word;        /* [longest] */
	uint32_t a, b, id;     /* what is merged */
};

static int new_fresh(struct merger *m, uint64_t key, uint64_t *number)
{
	if (bt_grow(&m->fresh, &m->cap, m->n + 1, sizeof(*m->fresh)) != BT_OK)
		return BT_ENOMEM;
	m->fresh[m->n] = (struct fresh){.key = key};
	*number = ++m->n;
	return BT_OK;
}

/* Adds a place to the list of one that is fresh; false: it has it. */
static bool add_place(struct fresh *f, uint64_t place)
{
	if (f->place == place)
		return false;
	f->bytes += bt_varint_size(place - f->place);
	f->places++;
	f->place = place;
	return true;
}

/* Takes memory for the lists of what is fresh. */
static int begin_lists(struct merger *m)
{
	struct fresh *f;
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < m->n; i++) {
		f = &m->fresh[i];
		if (f->places == 0 ||
		    bt_trainer_pairs_get(&m->pairs, f->key) == 0)
			continue;
		if (f->places == 1)
			f->list = bt_trainer_list_of_one(f->place);
		else
			r = bt_trainer_lists_add(&m->chances.lists, f->bytes,
			                         &f->list, &f->at);
		f->place = 0;
	}
	return r;
}

static void write_place(struct merger *m, struct fresh *f, uint64_t place)
{
	uint8_t *base = m->chances.lists.mem.base, *p;

	if (f->list == 0 || f->places == 1 || f->place == place)
		return;
	p = bt_varint_put(base + f->at, place - f->place);
	f->at = (uint64_t)(p - base);
	f->place = place;
}

/* Makes chances of what is fresh. */
static int end_lists(struct merger *m)
{
	const struct fresh *f;
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < m->n; i++) {
		f = &m->fresh[i];
		if (f->list != 0)
			r = bt_trainer_chances_put(
			    &m->chances, f->key,
			    bt_trainer_pairs_get(&m->pairs, f->key), f->list);
	}
	m->n = 0;
	return r;
}

/* Goes through all pairs of all words, for the first or the second time. */
static int all_pairs(struct merger *m, struct bt_trainer_pairs *index,
                     bool write)
{
	const struct bt_trainer_text *t = &m->t->text;
	uint64_t at, i, end, key, number;
	struct bt_trainer_word w;
	uint32_t a, b;

	for (at = BT_TRAINER_FIRST; at < t->units; at = end) {
		bt_trainer_text_word(t, at, &w);
		end = w.first + w.n;
		b = bt_trainer_text_get(t, w.first);
		for (i = w.first + 1; i < end; i++) {
			a = b;
			b = bt_trainer_text_get(t, i);
			if (a == BT_SYMBOL_NONE || b == BT_SYMBOL_NONE)
				continue;
			key = bt_trainer_key(a, b);
			number = bt_trainer_pairs_get(index, key);
			if (write) {
				write_place(m, &m->fresh[number - 1], at);
				continue;
			}
			if (number == 0 &&
			    (new_fresh(m, key, &number) != BT_OK ||
			     bt_trainer_pairs_add(index, key, number) != BT_OK))
				return BT_ENOMEM;
			m->fresh[number - 1].count += w.count;
			(void)add_place(&m->fresh[number - 1], at);
		}
	}
	return BT_OK;
}

static int count_pairs(struct merger *m)
{
	struct bt_trainer_pairs index = {0};
	int r = all_pairs(m, &index, false);
	size_t i;

	for (i = 0; r == BT_OK && i < m->n; i++)
		r = bt_trainer_pairs_add(&m->pairs, m->fresh[i].key,
		                         m->fresh[i].count);
	if (r == BT_OK)
		r = begin_lists(m);
	if (r == BT_OK)
		r = all_pairs(m, &index, true);
	bt_trainer_pairs_clear(&index);
	return r == BT_OK ? end_lists(m) : r;
}

/* What is fresh of x on the left of id, or on its right. */
static int find_fresh(struct merger *m, uint32_t x, bool left, uint64_t *number)
{
	uint32_t *which = left ? &m->beside[x].left : &m->beside[x].right;
	struct fresh *f;

	*number = *which;
	if (*number != 0)
		return BT_OK;
	if (new_fresh(
	        m, left ? bt_trainer_key(x, m->id) : bt_trainer_key(m->id, x),
	        number) != BT_OK)
		return BT_ENOMEM;
	*which = (uint32_t)*number;
	f = &m->fresh[*number - 1];
	f->gone = left ? bt_trainer_key(x, m->a) : bt_trainer_key(m->b, x);
	f->token = x;
	return BT_OK;
}

/* Notes that in a word id now stands beside x. */
static int touch(struct merger *m, uint32_t x, bool left, uint64_t place,
                 uint64_t count)
{
	uint64_t number;

	if (x == BT_SYMBOL_NONE)
		return BT_OK;
	if (find_fresh(m, x, left, &number) != BT_OK)
		return BT_ENOMEM;
	m->fresh[number - 1].count += count;
	/* id beside itself is one pair, which has one list */
	if (x == m->id && !left && find_fresh(m, x, true, &number) != BT_OK)
		return BT_ENOMEM;
	if (!add_place(&m->fresh[number - 1], place))
		return BT_OK;
	if (bt_grow(&m->found, &m->founds_cap, m->founds + 1,
	            sizeof(*m->found)) != BT_OK)
		return BT_ENOMEM;
	m->found[m->founds++] = (number - 1) << PLACE_BITS | place;
	return BT_OK;
}

/* Merges a and b to id wherever they stand in a word. */
static int merge_word(struct merger *m, uint64_t place)
{
	struct bt_trainer_text *t = &m->t->text;
	struct bt_trainer_word w;
	uint32_t *s = m->word;
	size_t from, to;
	int r = BT_OK;

	bt_trainer_text_word(t, place, &w);
	for (from = 0; from < w.n; from++)
		s[from] = bt_trainer_text_get(t, w.first + from);
	for (from = to = 0; r == BT_OK && from < w.n; from++, to++) {
		s[to] = s[from];
		if (s[from] != m->a || from + 1 == w.n || s[from + 1] != m->b)
			continue;
		s[to] = m->id;
		if (to > 0)
			r = touch(m, s[to - 1], true, place, w.count);
		from++;
		if (r == BT_OK && from + 1 < w.n)
			r = touch(m, s[from + 1], false, place, w.count);
	}
	if (to == w.n)
		return r;
	for (from = 0; from < to; from++)
		bt_trainer_text_set(t, w.first + from, s[from]);
	bt_trainer_text_shorten(t, place, to);
	return r;
}

/* Counts what the words' changes made fresh, and makes chances of it. */
static int settle(struct merger *m)
{
	uint64_t place = ((uint64_t)1 << PLACE_BITS) - 1;
	const struct fresh *f;
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < m->n; i++) {
		f = &m->fresh[i];
		m->beside[f->token] = (struct beside){0, 0};
		if (f->count == 0)
			continue;
		r = bt_trainer_pairs_add(&m->pairs, f->key, f->count);
		if (r == BT_OK)
			r = bt_trainer_pairs_add(&m->pairs, f->gone,
			                         0 - f->count);
	}
	if (r == BT_OK)
		r = begin_lists(m);
	if (r != BT_OK)
		return r;
	for (i = 0; i < m->founds; i++)
		write_place(m, &m->fresh[m->found[i] >> PLACE_BITS],
		            m->found[i] & place);
	m->founds = 0;
	return end_lists(m);
}

/* Merges a pair in the words of a chance. */
static int merge(struct merger *m, const struct bt_trainer_chance *c)
{
	const struct bt_trainer *o = m->t->out;
	struct bt_trainer_list_at at;
	struct bt_span second;
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
	bt_trainer_list_begin(&m->chances.lists, c->list, &at);
	while (r == BT_OK && bt_trainer_list_next(&at))
		r = merge_word(m, at.place);
	bt_trainer_lists_free(&m->chances.lists, c->list);
	return r == BT_OK ? settle(m) : r;
}

/* Notes the merge, for the last time if the pair was merged before. */
static int note(struct merger *m, uint64_t key)
{
	struct bt_trainer *o = m->t->out;

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
	size_t i = o->merges, to = o->merges;
	uint64_t key;
	int r = BT_OK;

	while (r == BT_OK && i-- > 0) {
		key = bt_trainer_key(o->merge[i].a, o->merge[i].b);
		if (bt_trainer_pairs_get(&seen, key) != 0)
			continue;
		r = bt_trainer_pairs_add(&seen, key, 1);
		o->merge[--to] = o->merge[i];
	}
	bt_trainer_pairs_clear(&seen);
	o->merges -= to;
	if (to > 0 && o->merges > 0)
		memmove(o->merge, o->merge + to, o->merges * sizeof(*o->merge));
	return r;
}

static int run(struct merger *m)
{
	const struct bt_trainer_opts *o = m->t->opts;
	struct bt_trainer_chance c;
	uint64_t now;
	int r = BT_OK;

	if (m->t->out->n < o->size)
		r = count_pairs(m);
	while (r == BT_OK && m->t->out->n < o->size) {
		r = bt_trainer_chances_take(&m->chances, &c);
		if (r <= 0)
			break;
		now = bt_trainer_pairs_get(&m->pairs, c.key);
		if (now != c.count) { /* other merges took some away */
			r = bt_trainer_chances_put(&m->chances, c.key, now,
			                           c.list);
			continue;
		}
		r = BT_OK;
		if (now < o->min_count)
			break;
		r = note(m, c.key);
		if (r == BT_OK)
			r = merge(m, &c);
		if (r == BT_OK)
			r = bt_trainer_chances_tidy(&m->chances);
	}
	return r == BT_OK ? drop_repeats(m->t->out) : r;
}

int bt_trainer_merge(struct bt_trainer_state *t)
{
	struct merger m = {.t = t};
	int r = BT_ENOMEM;

	m.beside = bt_array0(t->opts->size, sizeof(*m.beside));
	m.word = bt_array(t->text.longest, sizeof(*m.word));
	if (m.beside != NULL && m.word != NULL)
		r = run(&m);
	bt_trainer_pairs_clear(&m.pairs);
	bt_trainer_chances_clear(&m.chances);
	free(m.fresh);
	free(m.found);
	free(m.beside);
	free(m.word);
	return r;
}
