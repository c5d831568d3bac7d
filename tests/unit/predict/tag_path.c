/* SPDX-License-Identifier: MIT */
/* The likeliest tags that follow a scheme, beside a search of all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/philox.h"
#include "predict/tag_path.h"
#include "test.h"

#define WORDS 4

/* Whether every entity is whole, and every tag but O in one. */
static bool valid(const struct bt_entity_scheme *s,
                  const struct bt_entity_tag *tags, const int *tag)
{
	struct bt_entity_reader r = {bt_entity_outside, false};
	struct bt_entity_step step;
	int i;

	for (i = 0; i <= WORDS; i++) {
		struct bt_entity_tag now =
		    i < WORDS ? tags[tag[i]] : bt_entity_outside;

		step = bt_entity_next(&r, s, now);
		if ((step.ends && !step.whole) || r.open != (now.part != 'O'))
			return false;
	}
	return true;
}

static double sum_of(const float *logits, int n, const int *tag)
{
	double sum = 0;
	int i;

	for (i = 0; i < WORDS; i++)
		sum += (double)logits[i * n + tag[i]];
	return sum;
}

static void try_all(const char *scheme, const char *const *names, int n)
{
	struct bt_error err = {0};
	const struct bt_entity_scheme *s = bt_entity_scheme(scheme, &err);
	struct bt_labels labels = {0}, types = {0};
	struct bt_entity_tag *tags;
	int tag[WORDS], at[WORDS], seed, i, k, whole = 0;
	double best;
	float *logits = malloc((size_t)(WORDS * n) * sizeof(*logits));

	assert_non_null(s);
	assert_non_null(logits);
	for (i = 0; i < n; i++)
		assert_int_equal(
		    bt_labels_add(&labels, bt_span(names[i]), &err), i);
	assert_ok(bt_entity_tags(&labels, &types, &tags, &err));
	for (seed = 0; seed < 40; seed++) {
		for (i = 0; i < WORDS * n; i++)
			logits[i] = (float)bt_random_below(1, 9, (uint32_t)seed,
			                                   (uint64_t)i, 1000) /
			            100;
		assert_ok(bt_tag_path(s, tags, n, logits, WORDS, tag, &err));
		assert_true(valid(s, tags, tag));
		best = -INFINITY;
		memset(at, 0, sizeof(at));
		for (i = 0; i < WORDS;) {
			if (valid(s, tags, at))
				best = fmax(best, sum_of(logits, n, at));
			for (i = 0; i < WORDS && ++at[i] == n; i++)
				at[i] = 0;
		}
		assert_true(fabs(best - sum_of(logits, n, tag)) < 1e-9);
		for (k = 0; k < WORDS; k++)
			whole += tag[k] > 0;
	}
	assert_true(whole > 0);
	free(tags);
	free(logits);
	bt_labels_clear(&labels);
	bt_labels_clear(&types);
}

TEST(the_best_of_all)
{
	static const char *const iob[] = {"O", "B-A", "I-A", "B-B", "I-B"};
	static const char *const ioe[] = {"O", "E-A", "I-A", "E-B", "I-B"};
	static const char *const iobes[] = {"O",   "B-A", "I-A", "E-A", "S-A",
	                                    "B-B", "I-B", "E-B", "S-B"};
	static const char *const bilou[] = {"O",   "B-A", "I-A",
	                                    "L-A", "U-A", "U-B"};

	try_all("iob1", iob, 5);
	try_all("iob2", iob, 5);
	try_all("ioe1", ioe, 5);
	try_all("ioe2", ioe, 5);
	try_all("iobes", iobes, 9);
	try_all("bilou", bilou, 6);
}

TEST(none_fits)
{
	static const struct bt_entity_tag inside[] = {{'I', 0}};
	struct bt_error err = {0};
	const struct bt_entity_scheme *s = bt_entity_scheme("iob2", &err);
	const float logits[] = {0, 0};
	int tag[2];

	assert_err(bt_tag_path(s, inside, 1, logits, 2, tag, &err), BT_EFORMAT,
	           "no tags of the model for a sentence of 2 words follow");
	assert_ok(bt_tag_path(s, inside, 1, logits, 0, tag, &err));
}
