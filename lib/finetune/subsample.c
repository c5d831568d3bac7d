/* SPDX-License-Identifier: MIT */
/* Shares of the examples, as large of each label. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/philox.h"
#include "finetune/dataset.h"

/* Counts the examples of each label, whose numbers become 1 larger: 0 is none.
 * NULL when out of memory. */
static uint32_t *count_labels(const struct bt_dataset *d, size_t *labels)
{
	uint32_t *count;
	size_t i;

	for (i = *labels = 0; i < d->n; i++)
		if ((size_t)(d->label[i] + 1) >= *labels)
			*labels = (size_t)(d->label[i] + 1) + 1;
	count = bt_array0(*labels, sizeof(*count));
	for (i = 0; i < d->n && count != NULL; i++)
		count[d->label[i] + 1]++;
	return count;
}

int bt_dataset_subsample(struct bt_dataset *d, double share, uint64_t seed,
                         struct bt_error *err)
{
	/* left: examples of the labels, from -1 on, that stay */
	uint32_t *order = bt_array(d->n, sizeof(*order)), *left;
	uint8_t *gone = bt_array0(d->n, 1);
	size_t i, k, labels;
	int r;

	left = count_labels(d, &labels);
	if (order == NULL || gone == NULL || left == NULL) {
		r = bt_error_nomem(err, "choosing a share of the examples");
	} else {
		bt_random_order(seed, BT_PURPOSE_SHARE, 0, order,
		                (uint32_t)d->n);
		for (k = 0; k < labels; k++) /* 0.07 * 100 is not to be 8 */
			left[k] = (uint32_t)ceil(share * (double)left[k] *
			                         (1 - 1e-12));
		/* of each label, all that come behind its share go */
		for (i = 0; i < d->n; i++) {
			k = (size_t)(d->label[order[i]] + 1);
			if (left[k] > 0)
				left[k]--;
			else
				gone[order[i]] = 1;
		}
		r = bt_dataset_divide(d, gone, NULL, err);
	}
	free(order);
	free(gone);
	free(left);
	return r;
}

/*
 * Systematic sampling: with the examples of each label side by side, in a
 * random order within it, n of them are chosen at equal distances from a random
 * start. stay: examples of each label, of which one is not chosen.
 */
static void choose(const struct bt_dataset *d, uint64_t n,
                   const uint32_t *order, uint32_t *stay, uint32_t *next,
                   uint8_t *chosen)
{
	uint64_t place, offset = order[0];
	size_t i, k;

	for (i = 0; i < d->n; i++) {
		k = (size_t)(d->label[order[i]] + 1);
		place = next[k]++;
		if ((place * n + offset) / d->n !=
		        ((place + 1) * n + offset) / d->n &&
		    stay[k] > 1) {
			chosen[order[i]] = 1;
			stay[k]--;
		}
	}
}

int bt_dataset_split(struct bt_dataset *d, double share, uint64_t seed,
                     struct bt_dataset *out, struct bt_error *err)
{
	uint32_t *order = bt_array(d->n, sizeof(*order)), *stay, *next;
	uint8_t *chosen = bt_array0(d->n, 1);
	size_t k, labels;
	int r;

	stay = count_labels(d, &labels);
	next = bt_array0(labels, sizeof(*next)); /* places in order of label */
	if (order == NULL || chosen == NULL || stay == NULL || next == NULL) {
		r = bt_error_nomem(err, "splitting the examples");
	} else {
		for (k = 1; k < labels; k++)
			next[k] = next[k - 1] + stay[k - 1];
		bt_random_order(seed, BT_PURPOSE_SPLIT, 0, order,
		                (uint32_t)d->n);
		choose(d, (uint64_t)ceil(share * (double)d->n * (1 - 1e-12)),
		       order, stay, next, chosen);
		r = bt_dataset_divide(d, chosen, out, err);
	}
	free(order);
	free(chosen);
	free(stay);
	free(next);
	return r;
}
