/* SPDX-License-Identifier: MIT */
/* Vocabularies in training: the tables of words and pairs, and the queue of
 * merges. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "vocab_train/trainer_int.h"

#define WORDS 20000
#define LONGEST 100000

static struct bt_error err;

static uint32_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* Word i: 2 to 13 letters, the same one for each i; some far longer. */
static size_t make_word(uint32_t i, char *word, size_t room)
{
	uint64_t state = i;
	size_t n = 2 + draw(&state) % 12, k;

	if (i % 5000 == 77)
		n = room - i / 5000;
	for (k = 0; k < n; k++)
		word[k] = (char)('a' + draw(&state) % 5 * (draw(&state) % 4));
	return n;
}

static char long_word[LONGEST];

static void add_words(struct bt_word_counts *w, uint32_t from, uint32_t to,
                      size_t longest, uint64_t scale)
{
	uint32_t i, k;

	for (k = from; k != to; k = from < to ? k + 1 : k - 1) {
		i = from < to ? k : k - 1;
		assert_ok(bt_word_counts_add(
		    w, long_word, make_word(i, long_word, longest),
		    (1 + 100000 / (1 + (uint64_t)i)) * scale));
	}
}

static void move_all(struct bt_word_counts *to, struct bt_word_counts *from)
{
	int i;

	for (i = 0; i < BT_WORD_COUNTS_PARTS; i++)
		assert_ok(bt_word_counts_move(to, from, i));
	assert_int_equal(bt_word_counts_n(from), 0);
}

/* Parts that began with a word longer than a chunk are filled again. */
TEST(counts_long_words)
{
	struct bt_word_counts part = {0}, sum = {0};
	static char word[70000];
	struct bt_word_counts_at at = {0};
	struct bt_word w;
	uint32_t i;
	size_t n = 0;

	memset(word, 'x', sizeof(word));
	for (i = 0; i < 400; i++) {
		memcpy(word, &i, sizeof(i));
		assert_ok(bt_word_counts_add(&part, word, sizeof(word), 1));
	}
	move_all(&sum, &part);
	for (i = 0; i < 20000; i++) {
		memcpy(word, &i, sizeof(i));
		assert_ok(bt_word_counts_add(&part, word, 250, i + 1));
	}
	move_all(&sum, &part);
	while (bt_word_counts_next(&sum, &at, &w)) {
		memcpy(&i, w.p, sizeof(i));
		assert_int_equal(w.count, w.n == 250 ? i + 1 : 1);
		n++;
	}
	assert_int_equal(n, 20400);
	bt_word_counts_clear(&part);
	bt_word_counts_clear(&sum);
}

/* Counting in two tables is counting in one; all words come out once. */
TEST(counts_words)
{
	struct bt_word_counts one = {0}, part = {0}, sum = {0};
	struct bt_word_counts_at at = {0};
	struct bt_word w;
	size_t n;
	int i;

	add_words(&one, 0, WORDS, LONGEST, 4);
	for (i = 0; i < 4; i++) {
		add_words(&part, 0, WORDS, LONGEST, 1);
		move_all(&sum, &part);
	}
	n = bt_word_counts_n(&one);
	assert_int_equal(bt_word_counts_n(&sum), n);
	while (bt_word_counts_next(&sum, &at, &w)) {
		n--; /* takes as much away as there is */
		assert_ok(bt_word_counts_add(&part, w.p, w.n, w.count));
	}
	assert_int_equal(n, 0);
	assert_int_equal(bt_word_counts_n(&part), bt_word_counts_n(&one));
	memset(&at, 0, sizeof(at));
	while (bt_word_counts_take(&part, &at, &w)) {
		n += w.count;
		assert_ok(bt_word_counts_add(&one, w.p, w.n, w.count));
	}
	memset(&at, 0, sizeof(at));
	while (bt_word_counts_take(&one, &at, &w))
		n -= w.count / 2; /* each had the same count */
	assert_int_equal(n, 0);
	bt_word_counts_clear(&sum);
	bt_word_counts_clear(&part);
	bt_word_counts_clear(&one);
}

TEST(counts_up_to_a_limit)
{
	struct bt_word_counts w = {0};

	assert_ok(bt_word_counts_add(&w, "a", 1, ((uint64_t)1 << 48) - 2));
	assert_ok(bt_word_counts_add(&w, "a", 1, 1));
	assert_int_equal(bt_word_counts_add(&w, "a", 1, 1), BT_ELIMIT);
	bt_word_counts_clear(&w);
}

static void train(struct bt_word_counts *w, size_t size, uint64_t min_count,
                  struct bt_trainer *made)
{
	struct bt_span special = {"[UNK]", 5};
	struct bt_trainer_opts how = {.kind = BT_WORDS_BERT,
	                              .size = size,
	                              .min_count = min_count,
	                              .special = &special,
	                              .specials = 1};

	assert_ok(bt_trainer_train(w, &how, made, &err));
	bt_word_counts_clear(w);
}

static void assert_same(const struct bt_trainer *a, const struct bt_trainer *b)
{
	size_t i, n = a->n < b->n ? a->n : b->n;

	assert_int_not_equal(n, 0);
	for (i = 0; i < n; i++)
		assert_true(bt_span_equal(a->token[i], b->token[i]));
}

/* The same words, in another order, in other units of count, with a vocabulary
 * whose ids need more bytes. */
TEST(trains_the_same)
{
	static const uint64_t scale[] = {1, 3, 500, (uint64_t)1 << 30};
	struct bt_trainer made = {0}, other = {0};
	struct bt_word_counts w = {0};
	size_t i;

	add_words(&w, 0, WORDS, 300, 1);
	train(&w, 3000, 2, &made);
	assert_int_equal(made.n, 3000);
	for (i = 0; i < sizeof(scale) / sizeof(scale[0]); i++) {
		add_words(&w, WORDS, 0, 300, scale[i]);
		train(&w, 3000, 2 * scale[i], &other);
		assert_int_equal(other.n, 3000);
		assert_int_equal(other.merges, made.merges);
		assert_same(&other, &made);
		bt_trainer_clear(&other);
	}
	add_words(&w, 0, WORDS, 300, 1);
	train(&w, 70000, 2, &other);
	assert_true(other.n > 3000);
	assert_same(&other, &made);
	bt_trainer_clear(&other);
	bt_trainer_clear(&made);
}

static struct bt_trainer_pair *find(struct bt_trainer_pairs *p, uint64_t key)
{
	uint32_t number;

	assert_ok(bt_trainer_pairs_find(p, key, &number));
	return bt_trainer_pair(p, number);
}

TEST(numbers_of_pairs)
{
	struct bt_trainer_pairs p = {0};
	uint64_t i, key, seed;
	int round;

	for (round = 1; round <= 3; round++)
		for (i = 0, seed = 1; i < 100000; i++) {
			key =
			    bt_trainer_key(draw(&seed) & 0xffffff, (uint32_t)i);
			find(&p, key)->count += i * i;
		}
	assert_int_equal(p.n, 100000);
	for (i = 0, seed = 1; i < 100000; i++) {
		key = bt_trainer_key(draw(&seed) & 0xffffff, (uint32_t)i);
		assert_int_equal(find(&p, key)->key, key);
		assert_int_equal(find(&p, key)->count, 3 * i * i);
	}
	bt_trainer_pairs_clear(&p);
}

/* What comes first has the larger count, then the smaller key, then was there
 * first; whatever was put back with less. */
TEST(merges_in_order)
{
	struct bt_trainer_queue q = {0};
	struct bt_trainer_merge x, last = {.count = UINT64_MAX};
	uint64_t seed = 5, n = 0, key;

	assert_false(bt_trainer_queue_take(&q, &x));
	for (key = 0; key < 30000; key++) {
		x = (struct bt_trainer_merge){
		    .key = key / 2, .count = 2 * (draw(&seed) % 1000), .n = 1};
		x.word.one = (uint32_t)key;
		if (key % 1000 == 0)
			x.count <<= 33;
		if (key % 3 == 0) {
			x.n = 2;
			x.word.many = malloc(2 * sizeof(uint32_t));
			assert_non_null(x.word.many);
			x.word.many[0] = (uint32_t)key;
		}
		assert_ok(bt_trainer_queue_put(&q, &x));
	}
	while (bt_trainer_queue_take(&q, &x)) {
		assert_true(x.count <= last.count);
		assert_true(x.count < last.count || x.key >= last.key);
		assert_true(x.count < last.count || x.key > last.key ||
		            x.turn > last.turn);
		last = x;
		if (x.count % 2 == 0 && x.count > 0) {
			x.count = (x.count / 4) | 1;
			assert_ok(bt_trainer_queue_put(&q, &x));
			continue;
		}
		key = x.n == 1 ? x.word.one : x.word.many[0];
		assert_int_equal(key / 2, x.key);
		bt_trainer_merge_clear(&x);
		if (++n == 20000)
			break;
	}
	assert_int_equal(n, 20000);
	bt_trainer_queue_clear(&q); /* frees the lists of the others */
}
