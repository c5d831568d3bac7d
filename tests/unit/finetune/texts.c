/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Shares of a data set leave the windows of a text together. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "finetune/dataset.h"

#define TEXTS 60
#define LABELS 3

static size_t windows_of(size_t text)
{
	return 1 + text * text % 5;
}

/* Text i is of label i % LABELS, and its token is i. */
static void fill(struct bt_dataset *d)
{
	struct bt_error err = {0};
	uint8_t type = 0;
	size_t i, k;
	int32_t id;

	for (i = 0; i < TEXTS; i++)
		for (k = 0; k < windows_of(i); k++) {
			struct bt_token_rec rec = {.ids = &id,
			                           .types = &type,
			                           .n = 1,
			                           .window = (int64_t)k,
			                           .weight = 1 + (float)i};

			id = (int32_t)i;
			assert_ok(
			    bt_dataset_add(d, &rec, (int32_t)i % LABELS, &err));
		}
}

/* Adds 1 to seen[text] for each text of d, all whole; returns their number. */
static size_t count(const struct bt_dataset *d, int *seen)
{
	size_t i, k, texts = 0;

	for (i = 0; i < d->n; i += k, texts++) {
		size_t text = (size_t)d->ids[d->start[i]];

		seen[text]++;
		for (k = 0; k < windows_of(text); k++) {
			assert_int_equal(d->ids[d->start[i + k]], text);
			assert_int_equal(d->continues[i + k], k > 0);
		}
	}
	assert_int_equal(texts, bt_dataset_texts(d));
	return texts;
}

TEST(shares)
{
	struct bt_dataset d = {0}, out = {0};
	struct bt_error err = {0};
	int seen[TEXTS] = {0}, left[LABELS] = {0};
	uint64_t seed;
	size_t i;

	for (seed = 0; seed < 20; seed++) {
		memset(seen, 0, sizeof(seen));
		memset(left, 0, sizeof(left));
		fill(&d);
		assert_ok(bt_dataset_split(&d, .15, seed, &out, &err));
		assert_int_equal(count(&out, seen), 9);
		assert_int_equal(count(&d, seen), TEXTS - 9);
		for (i = 0; i < TEXTS; i++)
			assert_int_equal(seen[i], 1);
		memset(seen, 0, sizeof(seen));
		assert_ok(bt_dataset_subsample(&d, .5, seed, &err));
		count(&d, seen);
		for (i = 0; i < TEXTS; i++)
			left[i % LABELS] += seen[i];
		for (i = 0; i < LABELS; i++) /* 17 each are there, on average */
			assert_true(left[i] >= 8 && left[i] <= 10);
		bt_dataset_clear(&d);
		bt_dataset_clear(&out);
	}
}

TEST(weights)
{
	struct bt_dataset d = {0}, whole = {0};
	double sum[TEXTS] = {0};
	uint32_t crc;
	size_t i;

	fill(&d);
	crc = d.crc;
	bt_dataset_share_weights(&d);
	assert_true(d.has_weights);
	assert_true(d.crc != crc);
	for (i = 0; i < d.n; i++)
		sum[d.ids[d.start[i]]] += (double)d.weight[i];
	for (i = 0; i < TEXTS; i++)
		assert_true(fabs(sum[i] - 1 - (double)i) < 1e-5);
	memset(d.continues, 0, d.n);
	crc = d.crc;
	bt_dataset_share_weights(&d);
	assert_int_equal(d.crc, crc);
	bt_dataset_clear(&d);
	bt_dataset_share_weights(&whole);
	assert_false(whole.has_weights);
}
