/* SPDX-License-Identifier: MIT */
/* Shares of the examples, as large of each label. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/philox.h"
#include "finetune/dataset.h"

/* The texts of a data set. */
struct texts {
	const struct bt_dataset *d;
	uint32_t *first; /* [n] example of each */
	size_t n;
	uint32_t *order; /* [n] a random one of them */
	uint32_t *count; /* [labels] texts of each label, whose numbers become 1
	                  * larger: 0 is none */
	size_t labels;
	uint8_t *chosen; /* [examples] */
};

static size_t label_of(const struct texts *t, size_t text)
{
	return (size_t)(t->d->label[t->first[text]] + 1);
}

static int find_texts(struct texts *t, const struct bt_dataset *d,
                      uint64_t seed, enum bt_purpose purpose,
                      struct bt_error *err)
{
	size_t i;

	*t = (struct texts){.d = d};
	t->first = bt_dataset_find_texts(d, &t->n);
	t->order = bt_array(t->n, sizeof(*t->order));
	t->chosen = bt_array0(d->n, 1);
	for (i = 0; i < t->n; i++) /* none without memory */
		if (label_of(t, i) >= t->labels)
			t->labels = label_of(t, i) + 1;
	t->count = bt_array0(t->labels, sizeof(*t->count));
	if (t->first == NULL || t->order == NULL || t->chosen == NULL ||
	    t->count == NULL)
		return bt_error_nomem(err, "choosing a share of the examples");
	for (i = 0; i < t->n; i++)
		t->count[label_of(t, i)]++;
	bt_random_order(seed, purpose, 0, t->order, (uint32_t)t->n);
	return BT_OK;
}

static void clear(struct texts *t)
{
	free(t->first);
	free(t->order);
	free(t->count);
	free(t->chosen);
}

/* Moves the windows of chosen texts with them. */
static int divide(const struct texts *t, struct bt_dataset *d,
                  struct bt_dataset *out, struct bt_error *err)
{
	size_t i;

	for (i = 1; i < d->n; i++)
		if (d->continues[i])
			t->chosen[i] = t->chosen[i - 1];
	return bt_dataset_divide(d, t->chosen, out, err);
}

int bt_dataset_subsample(struct bt_dataset *d, double share, uint64_t seed,
                         struct bt_error *err)
{
	struct texts t;
	size_t i, k;
	int r = find_texts(&t, d, seed, BT_PURPOSE_SHARE, err);

	if (r == BT_OK) {
		for (k = 0; k < t.labels; k++) /* 0.07 * 100 is not to be 8 */
			t.count[k] = (uint32_t)ceil(share * (double)t.count[k] *
			                            (1 - 1e-12));
		/* of each label, all that come behind its share go */
		for (i = 0; i < t.n; i++) {
			k = label_of(&t, t.order[i]);
			if (t.count[k] > 0)
				t.count[k]--;
			else
				t.chosen[t.first[t.order[i]]] = 1;
		}
		r = divide(&t, d, NULL, err);
	}
	clear(&t);
	return r;
}

/*
 * Systematic sampling: with the texts of each label side by side, in a random
 * order within it, n of them are chosen at equal distances from a random start,
 * but never all of a label.
 */
static void choose(struct texts *t, uint64_t n, uint32_t *next)
{
	uint64_t place, offset = t->order[0];
	size_t i, k;

	for (i = 0; i < t->n; i++) {
		k = label_of(t, t->order[i]);
		place = next[k]++;
		if ((place * n + offset) / t->n !=
		        ((place + 1) * n + offset) / t->n &&
		    t->count[k] > 1) {
			t->chosen[t->first[t->order[i]]] = 1;
			t->count[k]--;
		}
	}
}

int bt_dataset_split(struct bt_dataset *d, double share, uint64_t seed,
                     struct bt_dataset *out, struct bt_error *err)
{
	uint32_t *next = NULL; /* places in order of label */
	struct texts t;
	size_t k;
	int r = find_texts(&t, d, seed, BT_PURPOSE_SPLIT, err);

	if (r == BT_OK) {
		next = bt_array0(t.labels, sizeof(*next));
		if (next == NULL)
			r = bt_error_nomem(err, "splitting the examples");
	}
	if (r == BT_OK) {
		for (k = 1; k < t.labels; k++)
			next[k] = next[k - 1] + t.count[k - 1];
		choose(&t, (uint64_t)ceil(share * (double)t.n * (1 - 1e-12)),
		       next);
		r = divide(&t, d, out, err);
	}
	free(next);
	clear(&t);
	return r;
}
