/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Which tokens are masked, and what stands in their place. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files.h"
#include "finetune/masking.h"
#include "record/record.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer_file/tokenizer_file.h"

#define WORDS 50 /* of each, "##" or not */
#define FIRST 5
#define TOKENS (FIRST + 2 * WORDS)
#define CLS 2
#define SEP 3
#define MASK 4
#define LENGTH 42
#define TEXTS 2000

static struct bt_tok *open_tok(void)
{
	struct bt_tok_opts o = BT_TOK_OPTS_INIT;
	struct bt_error err = {0};
	struct bt_tok *tok;
	struct bt_buf b = BT_BUF_INIT;
	int i;

	bt_buf_puts(&b, "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n");
	for (i = 0; i < 2 * WORDS; i++)
		bt_buf_printf(&b, "%sw%d\n", i < WORDS ? "" : "##", i);
	file_put("vocab.txt", b.data, b.len);
	bt_buf_clear(&b);
	assert_ok(bt_tok_open("vocab.txt", &o, &tok, &err));
	return tok;
}

static bool goes_on(int32_t id)
{
	return id >= FIRST + WORDS;
}

/* A text of words that are one, two or three tokens long. */
static void make(uint64_t number, int32_t *ids)
{
	size_t i;

	ids[0] = CLS;
	ids[LENGTH - 1] = SEP;
	for (i = 1; i + 1 < LENGTH; i++)
		ids[i] = (int32_t)(FIRST + (number * 7 + i) % WORDS +
		                   (i % 6 == 2 || i % 6 > 3 ? WORDS : 0));
}

static struct bt_masking open_masking(double share, bool words)
{
	struct bt_tok *tok = open_tok();
	struct bt_error err = {0};
	struct bt_masking m;

	assert_ok(bt_masking_init(&m, tok, share, words, 7, &err));
	bt_tok_free(tok);
	return m;
}

/* 80 % masks, 10 % others, 10 % themselves: within four standard deviations. */
TEST(replaces)
{
	struct bt_masking m = open_masking(.15, false);
	int32_t ids[LENGTH], was[LENGTH], label[LENGTH];
	double n = 0, masks = 0, same = 0;
	uint64_t t;
	size_t i;

	for (t = 0; t < TEXTS; t++) {
		make(t, was);
		memcpy(ids, was, sizeof(ids));
		assert_int_equal(bt_masking_count(&m, 3, t, LENGTH, ids), 6);
		assert_int_equal(bt_masking_apply(&m, 3, t, LENGTH, ids, label),
		                 6);
		for (i = 0; i < LENGTH; i++) {
			if (label[i] == BT_TOKEN_INSIDE) {
				assert_int_equal(ids[i], was[i]);
				continue;
			}
			assert_int_equal(label[i], was[i]);
			assert_true(i > 0 && i + 1 < LENGTH);
			assert_true(ids[i] >= MASK && ids[i] < TOKENS);
			masks += ids[i] == MASK;
			same += ids[i] == was[i];
			n++;
		}
	}
	assert_int_equal(n, 6 * TEXTS);
	assert_true(fabs(masks / n - .8) < 4 * sqrt(.16 / n));
	/* one in a hundred of the others is the token itself */
	assert_true(fabs(same / n - .1 - .1 / (2 * WORDS)) < 4 * sqrt(.09 / n));
	bt_masking_clear(&m);
}

/* All tokens of a word, or none; as many as fit in. */
TEST(masks_words)
{
	struct bt_masking m = open_masking(.2, true);
	int32_t ids[LENGTH], label[LENGTH];
	size_t i, n, most = bt_masking_most(&m, LENGTH - 2);
	double all = 0;
	uint64_t t;

	assert_int_equal(most, 8);
	for (t = 0; t < TEXTS; t++) {
		make(t, ids);
		n = bt_masking_count(&m, 0, t, LENGTH, ids);
		assert_true(n <= most && n + 2 >= most);
		assert_int_equal(bt_masking_apply(&m, 0, t, LENGTH, ids, label),
		                 n);
		all += (double)n;
		make(t, ids);
		for (i = 1; i + 1 < LENGTH; i++)
			if (goes_on(ids[i]))
				assert_int_equal(label[i] == BT_TOKEN_INSIDE,
				                 label[i - 1] ==
				                     BT_TOKEN_INSIDE);
	}
	assert_true(all / TEXTS > (double)most - .5);
	bt_masking_clear(&m);
}

/* A function of seed, step and number alone; texts without tokens have none. */
TEST(is_a_function)
{
	struct bt_masking m = open_masking(.15, false);
	int32_t a[LENGTH], b[LENGTH], label[LENGTH], special[2] = {CLS, SEP};
	size_t i, differ[3] = {0};

	make(1, a);
	bt_masking_apply(&m, 1, 1, LENGTH, a, label);
	for (i = 0; i < 3; i++) {
		make(1, b);
		m.seed += i == 2;
		bt_masking_apply(&m, 1 + (i == 1), 1, LENGTH, b, label);
		differ[i] = memcmp(a, b, sizeof(a)) != 0;
	}
	assert_int_equal(differ[0], 0);
	assert_int_equal(differ[1], 1);
	assert_int_equal(differ[2], 1);
	assert_int_equal(bt_masking_apply(&m, 1, 1, 2, special, label), 0);
	assert_int_equal(special[0], CLS);
	assert_int_equal(bt_masking_most(&m, 0), 0);
	assert_int_equal(bt_masking_most(&m, 1), 1);
	bt_masking_clear(&m);
}
