/* SPDX-License-Identifier: MIT */
/* Vocabularies in training: the packed tables, and that what they leave out of
 * a few bytes, as large counts, many tokens and long words, is told apart. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "vocab_train/trainer_int.h"
#include "vocab_train/varint_int.h"

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
static void counts_long_words(void **state)
{
	struct bt_word_counts part = {0}, sum = {0};
	static char word[70000];
	struct bt_word_counts_at at = {0};
	struct bt_word w;
	uint32_t i;
	size_t n = 0;

	(void)state;
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
static void counts_words(void **state)
{
	struct bt_word_counts one = {0}, part = {0}, sum = {0};
	struct bt_word_counts_at at = {0};
	struct bt_word w;
	size_t n;
	int i;

	(void)state;
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

static void counts_up_to_a_limit(void **state)
{
	struct bt_word_counts w = {0};

	(void)state;
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
static void trains_the_same(void **state)
{
	static const uint64_t scale[] = {1, 3, 500, (uint64_t)1 << 30};
	struct bt_trainer made = {0}, other = {0};
	struct bt_word_counts w = {0};
	size_t i;

	(void)state;
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

static void numbers_of_pairs(void **state)
{
	struct bt_trainer_pairs p = {0};
	uint64_t i, key, seed;
	int round;

	(void)state;
	assert_int_equal(bt_trainer_pairs_get(&p, 0), 0);
	for (round = 1; round <= 3; round++)
		for (i = 0, seed = 1; i < 100000; i++) {
			key =
			    bt_trainer_key(draw(&seed) & 0xffffff, (uint32_t)i);
			assert_ok(bt_trainer_pairs_add(&p, key, i * i));
		}
	for (i = 0, seed = 1; i < 100000; i++) {
		key = bt_trainer_key(draw(&seed) & 0xffffff, (uint32_t)i);
		assert_int_equal(bt_trainer_pairs_get(&p, key), 3 * i * i);
		assert_ok(bt_trainer_pairs_add(&p, key, 0 - 3 * i * i));
		assert_int_equal(bt_trainer_pairs_get(&p, key), 0);
	}
	bt_trainer_pairs_clear(&p);
}

/* A list of n places that begins at a place: each is one more away. */
static uint64_t put_list(struct bt_trainer_chances *c, uint64_t place,
                         uint64_t n)
{
	uint64_t list = 0, at, i;
	size_t bytes = bt_varint_size(place);
	uint8_t *p;

	if (n == 1)
		return bt_trainer_list_of_one(place);
	for (i = 1; i < n; i++)
		bytes += bt_varint_size(i);
	assert_ok(bt_trainer_lists_add(&c->lists, bytes, &list, &at));
	p = bt_varint_put((uint8_t *)c->lists.mem.base + at, place);
	for (i = 1; i < n; i++)
		p = bt_varint_put(p, i);
	return list;
}

static void check_list(const struct bt_trainer_chances *c, uint64_t list,
                       uint64_t place, uint64_t n)
{
	struct bt_trainer_list_at at;
	uint64_t i;

	bt_trainer_list_begin(&c->lists, list, &at);
	for (i = 0; i < n; i++) {
		place += i;
		assert_true(bt_trainer_list_next(&at));
		assert_int_equal(at.place, place);
	}
	assert_false(bt_trainer_list_next(&at));
}

/* What comes first has the larger count, then the smaller key, then was there
 * first; whatever was put back with less, and lists were moved. */
static void chances_in_order(void **state)
{
	struct bt_trainer_chances c = {0};
	struct bt_trainer_chance x, last = {UINT64_MAX, 0, 0, 0};
	uint64_t seed = 5, n = 0, key, count;
	int r;

	(void)state;
	for (key = 0; key < 30000; key++) {
		count = draw(&seed) % 1000;
		if (key % 1000 == 0)
			count <<= 33;
		assert_ok(bt_trainer_chances_put(
		    &c, key / 2, 2 * count,
		    put_list(&c, 1 + key / 2 * key, 1 + key / 2 % 50)));
	}
	while ((r = bt_trainer_chances_take(&c, &x)) == 1) {
		assert_true(x.count <= last.count);
		assert_true(x.count < last.count || x.key >= last.key);
		last = x;
		if (x.count % 2 == 0 && x.count > 0) {
			assert_ok(bt_trainer_chances_put(
			    &c, x.key, (x.count / 4) | 1, x.list));
			continue;
		}
		n++;
		bt_trainer_lists_free(&c.lists, x.list);
		assert_ok(bt_trainer_chances_tidy(&c));
	}
	assert_int_equal(r, 0);
	assert_in_range(n, 29900, 30000); /* those of count 0 stay */
	bt_trainer_chances_clear(&c);
}

/* A list says the same after others before it went. */
static void lists_are_moved(void **state)
{
	struct bt_trainer_chances c = {0};
	struct bt_trainer_chance x;
	uint64_t key;

	(void)state;
	for (key = 0; key < 3000; key++)
		assert_ok(bt_trainer_chances_put(
		    &c, key, 1 + (key * 7919) % 3000,
		    put_list(&c, 1 + key * key, key % 100 + 1)));
	while (bt_trainer_chances_take(&c, &x) == 1) {
		check_list(&c, x.list, 1 + x.key * x.key, x.key % 100 + 1);
		bt_trainer_lists_free(&c.lists, x.list);
		assert_ok(bt_trainer_chances_tidy(&c));
		assert_true(c.lists.freed <= c.lists.end);
	}
	assert_true(c.lists.end < 100000); /* of 150 kB */
	bt_trainer_chances_clear(&c);
}

static void words_as_tokens(void **state)
{
	static const uint64_t counts[] = {1,
	                                  1022,
	                                  1023,
	                                  1024,
	                                  65535,
	                                  ((uint64_t)1 << 26) - 1,
	                                  (uint64_t)1 << 47};
	static const size_t sizes[] = {2, 62, 63, 64, 5000};
	struct bt_trainer_text t = {0};
	struct bt_trainer_word w;
	uint64_t at, need;
	size_t i, k;
	int wide;

	(void)state;
	for (wide = 0; wide < 2; wide++) {
		t = (struct bt_trainer_text){.units = BT_TRAINER_FIRST,
		                             .wide = wide != 0};
		assert_ok(bt_arena_init(&t.mem, 1 << 20));
		assert_int_equal(bt_trainer_text_need(&t, 1, 5), 0);
		for (i = 0; i < 35; i++) {
			need = bt_trainer_text_need(&t, sizes[i / 7],
			                            counts[i % 7]);
			at = t.units;
			bt_trainer_text_add(&t, sizes[i / 7], counts[i % 7],
			                    &w);
			assert_int_equal(t.units, at + need);
			for (k = 0; k < w.n; k++)
				bt_trainer_text_set(&t, w.first + k,
				                    k % 3 ? BT_SYMBOL_NONE
				                          : 65534);
		}
		for (i = 0, at = BT_TRAINER_FIRST; i < 35; i++, at += need) {
			need = bt_trainer_text_need(&t, sizes[i / 7],
			                            counts[i % 7]);
			bt_trainer_text_word(&t, at, &w);
			assert_int_equal(w.n, sizes[i / 7]);
			assert_int_equal(w.count, counts[i % 7]);
			assert_int_equal(w.first + w.n, at + need);
			assert_int_equal(bt_trainer_text_get(&t, w.first),
			                 65534);
			assert_int_equal(bt_trainer_text_get(&t, w.first + 1),
			                 BT_SYMBOL_NONE);
			bt_trainer_text_shorten(&t, at, w.n - 1);
			bt_trainer_text_word(&t, at, &w);
			assert_int_equal(w.n, sizes[i / 7] - 1);
			assert_int_equal(w.count, counts[i % 7]);
		}
		assert_int_equal(t.longest, 5000);
		bt_arena_clear(&t.mem);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counts_words),
	    cmocka_unit_test(counts_long_words),
	    cmocka_unit_test(counts_up_to_a_limit),
	    cmocka_unit_test(trains_the_same),
	    cmocka_unit_test(numbers_of_pairs),
	    cmocka_unit_test(chances_in_order),
	    cmocka_unit_test(lists_are_moved),
	    cmocka_unit_test(words_as_tokens)};

	return RUN(tests);
}
