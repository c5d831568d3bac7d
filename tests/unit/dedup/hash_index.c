/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Numbers kept by hash, in memory and in a file. */
#include "test.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "dedup/hash_index.h"

#define KEYS 300
#define NUMBERS 90000 /* more than the least memory holds */

struct seen {
	uint32_t key; /* of the search */
	uint8_t *told;
	unsigned others, count, stop;
};

/* The lower keys have many numbers, the higher ones few. */
static uint32_t key_of(uint64_t number)
{
	return (uint32_t)(bt_hash_mix(number) % KEYS * (number % KEYS) / KEYS);
}

/* Hashes of which the bits that are kept differ. */
static uint64_t hash_of(uint32_t key)
{
	return bt_hash_mix(key);
}

static int note(void *arg, uint64_t number, struct bt_error *err)
{
	struct seen *s = arg;

	(void)err;
	assert_true(number < NUMBERS);
	s->others += key_of(number) != s->key;
	assert_int_equal(s->told[number], 0); /* not twice */
	s->told[number] = 1;
	return ++s->count == s->stop ? 7 : 0;
}

/* All that were added are found by their keys, and nothing else is. */
static void look(struct bt_hash_index *slots, uint64_t added)
{
	uint8_t *told = bt_array0(NUMBERS, 1);
	struct bt_error err = {0};
	struct seen s;
	uint64_t i;
	uint32_t k;

	assert_non_null(told);
	for (k = 0; k < KEYS; k++) {
		s = (struct seen){.key = k, .told = told};
		bt_hash_index_prefetch(slots, hash_of(k));
		assert_ok(
		    bt_hash_index_find(slots, hash_of(k), note, &s, &err));
		assert_int_equal(s.others, 0);
	}
	for (i = 0; i < NUMBERS; i++)
		assert_int_equal(told[i], i < added);
	free(told);
}

TEST(all_are_found)
{
	static const size_t memory[] = {0, 300000, 1 << 24};
	struct bt_error err = {0};
	struct bt_hash_index *s;
	unsigned bits, m;
	uint64_t i;

	for (bits = 20; bits < 50; bits += 11)
		for (m = 0; m < 3; m++) {
			s = bt_hash_index_new(memory[m], bits);
			look(s, 0);
			for (i = 0; i < NUMBERS; i++) {
				assert_ok(bt_hash_index_add(
				    s, hash_of(key_of(i)), i, &err));
				if (i + 1 == NUMBERS / 10)
					look(s, i + 1);
			}
			look(s, NUMBERS);
			bt_hash_index_free(s);
		}
	bt_hash_index_free(NULL);
}

/* What the function returns ends the search. */
TEST(search_ends)
{
	uint8_t *told = bt_array0(NUMBERS, 1);
	struct bt_error err = {0};
	struct bt_hash_index *s;
	struct seen one;
	unsigned stop;
	uint64_t i;

	assert_non_null(told);
	s = bt_hash_index_new(0, 32);
	for (i = 0; i < NUMBERS; i++)
		assert_ok(bt_hash_index_add(s, hash_of(key_of(i)), i, &err));
	for (stop = 1; stop < 1000; stop = stop * 5 + 1) {
		memset(told, 0, NUMBERS);
		one = (struct seen){.told = told, .stop = stop};
		assert_int_equal(
		    bt_hash_index_find(s, hash_of(0), note, &one, &err), 7);
		assert_int_equal(one.count, stop);
	}
	bt_hash_index_free(s);
	free(told);
}
