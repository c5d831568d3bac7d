/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* How many examples go to a device at a time. */
#include "test.h"

#include <string.h>

#include "base/mem.h"
#include "finetune/device_texts.h"

#define TEXTS 20000
#define LENGTH 50
#define LABELLED 10 /* tokens of a text, where some have a class */

static void fill(struct bt_dataset *d, bool labelled)
{
	int32_t ids[LENGTH] = {0}, class[LENGTH];
	uint8_t types[LENGTH] = {0};
	struct bt_token_rec rec = {
	    .ids = ids, .types = types, .n = LENGTH, .weight = 1};
	struct bt_error err = {0};
	size_t i;

	for (i = 0; i < TEXTS; i++)
		assert_ok(bt_dataset_add(d, &rec, 0, &err));
	if (!labelled)
		return;
	for (i = 0; i < LENGTH; i++)
		class[i] = i < LABELLED ? 7 : BT_TOKEN_INSIDE;
	d->token_label =
	    bt_array((size_t)TEXTS * LENGTH, sizeof(*d->token_label));
	for (i = 0; i < TEXTS; i++)
		memcpy(d->token_label + i * LENGTH, class, sizeof(class));
	d->per_token = d->selects = true;
}

TEST(by_tokens)
{
	struct bt_dataset d = {0};

	fill(&d, false);
	assert_int_equal(bt_device_examples_fit(&d, 0, 3), (1 << 18) / LENGTH);
	assert_int_equal(bt_device_examples_fit(&d, TEXTS - 7, 3), 7);
	bt_dataset_clear(&d);
}

/* The logits of a token with a class are a row as wide as a vocabulary. */
TEST(by_logits)
{
	struct bt_dataset d = {0};

	fill(&d, true);
	assert_int_equal(bt_device_examples_fit(&d, 0, 3), (1 << 18) / LENGTH);
	assert_int_equal(bt_device_examples_fit(&d, 5, 30522),
	                 (1 << 28) / 30522 / LABELLED);
	assert_int_equal(bt_device_examples_fit(&d, 5, 250002),
	                 (1 << 28) / 250002 / LABELLED);
	assert_int_equal(bt_device_examples_fit(&d, 5, 1 << 28), 1);
	bt_dataset_clear(&d);
}
