/* SPDX-License-Identifier: MIT */
#include "task/folds.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

#define WORDS 624
#define AHEAD 397

/* MT19937 (Matsumoto, Nishimura 1998), seeded as numpy's RandomState(int). */
struct twister {
	uint32_t word[WORDS];
	int next;
};

static void seed_twister(struct twister *t, uint32_t seed)
{
	uint32_t i;

	t->word[0] = seed;
	for (i = 1; i < WORDS; i++)
		t->word[i] =
		    1812433253u * (t->word[i - 1] ^ t->word[i - 1] >> 30) + i;
	t->next = WORDS;
}

static uint32_t draw(struct twister *t)
{
	uint32_t y;
	int i;

	for (i = 0; i < WORDS && t->next == WORDS; i++) {
		y = (t->word[i] & 0x80000000u) |
		    (t->word[(i + 1) % WORDS] & 0x7fffffffu);
		t->word[i] = t->word[(i + AHEAD) % WORDS] ^ y >> 1 ^
		             (y & 1 ? 0x9908b0dfu : 0);
	}
	if (t->next == WORDS)
		t->next = 0;
	y = t->word[t->next++];
	y ^= y >> 11;
	y ^= y << 7 & 0x9d2c5680u;
	y ^= y << 15 & 0xefc60000u;
	return y ^ y >> 18;
}

/* 0 .. max, as numpy's random_interval: by masking and drawing again. */
static uint32_t below(struct twister *t, uint32_t max)
{
	uint32_t mask = max, v;

	mask |= mask >> 1;
	mask |= mask >> 2;
	mask |= mask >> 4;
	mask |= mask >> 8;
	mask |= mask >> 16;
	do
		v = draw(t) & mask;
	while (v > max);
	return v;
}

static void shuffle(struct twister *t, uint32_t *v, uint32_t n)
{
	uint32_t i, j, swap;

	for (i = n; i-- > 1;) {
		j = below(t, i);
		swap = v[i];
		v[i] = v[j];
		v[j] = swap;
	}
}

/* One permutation, cut into blocks, the first n mod folds one longer. */
static void plain(struct twister *t, uint32_t folds, uint32_t n, uint32_t *v,
                  uint8_t *fold)
{
	uint32_t i, k, at = 0;

	for (i = 0; i < n; i++)
		v[i] = i;
	shuffle(t, v, n);
	for (k = 0; k < folds; k++)
		for (i = 0; i < n / folds + (k < n % folds); i++)
			fold[v[at++]] = (uint8_t)k;
}

/*
 * Records sorted by class are dealt to the folds in turn; that says how many of
 * a class each fold gets. Which ones is shuffled for each class by itself.
 * counts: groups + 1 numbers; v: n numbers.
 */
static void stratified(struct twister *t, uint32_t folds, uint32_t n,
                       const uint32_t *group, uint32_t groups, uint32_t *counts,
                       uint32_t *v, uint8_t *fold)
{
	uint32_t c, i, k, at = 0, start = 0, size;

	for (c = 0; c < groups; c++) {
		size = counts[c];
		at = start;
		/* fold k gets the places k, k + folds, ... of start .. */
		for (k = 0; k < folds; k++)
			for (i = start + (k + folds - start % folds) % folds;
			     i < start + size; i += folds)
				v[at++] = k;
		shuffle(t, v + start, size);
		counts[c] = start;
		start += size;
	}
	for (i = 0; i < n; i++)
		fold[i] = (uint8_t)v[counts[group[i]]++];
}

int bt_folds_choose(uint32_t seed, uint32_t folds, uint32_t n,
                    const uint32_t *group, uint32_t groups, uint8_t *fold,
                    struct bt_error *err)
{
	uint32_t *v = bt_array(n, sizeof(*v)), i, most = group != NULL ? 0 : n;
	uint32_t *counts = bt_array0(groups, sizeof(*counts));
	struct twister t;
	int r = BT_OK;

	if (v == NULL || counts == NULL)
		r = bt_error_nomem(err, "making folds");
	for (i = 0; i < n && group != NULL && r == BT_OK; i++)
		if (++counts[group[i]] > most)
			most = counts[group[i]];
	if (r == BT_OK && most < folds)
		r = bt_error_set(err, BT_EFORMAT,
		                 "%u folds need as many records%s", folds,
		                 group != NULL ? " of some value" : "");
	seed_twister(&t, seed);
	if (r == BT_OK && group == NULL)
		plain(&t, folds, n, v, fold);
	else if (r == BT_OK)
		stratified(&t, folds, n, group, groups, counts, v, fold);
	free(counts);
	free(v);
	return r;
}
