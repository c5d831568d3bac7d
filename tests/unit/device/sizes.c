/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Sizes of programs that learn, and pieces of batches. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/philox.h"
#include "device/device_int.h"

#define BATCH 32
#define BATCHES 300
#define PLACES 4096 /* on a device */
#define LARGE 4096

/* Texts like short questions: most of some 15 tokens, some of up to 100. */
static void draw(uint32_t *start, uint32_t batch, size_t n)
{
	uint32_t r[4], counter[4] = {0, batch};
	size_t t;

	start[0] = 0;
	for (t = 0; t < n; t++) {
		counter[0] = (uint32_t)t;
		bt_philox(5, counter, r);
		start[t + 1] =
		    start[t] + 6 + (r[0] % 10 + r[1] % 10) +
		    (r[2] % 12 == 0 ? r[3] % (r[2] % 96 == 0 ? 77 : 40) : 0);
	}
}

/* Places of all batches by the sizes; *tokens is how many they fill. */
static size_t run_all(const struct bt_device_sizes *s, int replicas,
                      uint64_t *tokens, int *kinds)
{
	struct bt_hlo_place place[BATCH];
	uint32_t start[BATCH + 1], b;
	struct bt_device_division v = {start, NULL, replicas, PLACES};
	struct bt_device_piece p;
	struct bt_hlo_size z;
	struct bt_error err = {0};
	size_t places = 0;
	int seen[64][2], n = 0, i;

	for (*tokens = 0, b = 0; b < BATCHES; b++) {
		draw(start, BATCHES + b, BATCH);
		assert_ok(bt_device_piece(&v, 0, BATCH, place, &p, &err));
		assert_int_equal(p.end, BATCH);
		assert_ok(bt_device_fit(s, &v, &p, place, &z, &err));
		for (i = 0; i < BATCH; i++)
			assert_true(place[i].row < (uint32_t)z.rows &&
			            place[i].column + start[i + 1] - start[i] <=
			                (uint32_t)z.length);
		for (i = 0; i < n &&
		            !(seen[i][0] == z.rows && seen[i][1] == z.length);)
			i++;
		if (i == n) {
			assert_true(n < 64);
			seen[n][0] = z.rows;
			seen[n++][1] = z.length;
		}
		places += (size_t)replicas * (size_t)z.rows * (size_t)z.length;
		*tokens += start[BATCH];
	}
	*kinds = n;
	return places;
}

static void choose(struct bt_device_sizes *s, int replicas)
{
	uint32_t start[BATCH + 1], b;
	struct bt_device_division v = {start, NULL, replicas, PLACES};
	struct bt_error err = {0};

	memset(s, 0, sizeof(*s));
	for (b = 0; b < BATCHES; b++) {
		draw(start, b, BATCH);
		assert_ok(bt_device_sizes_count(s, &v, BATCH, &err));
	}
	bt_device_sizes_choose(s);
}

/* Other batches like those that were counted. */
TEST(few_sizes_fill_rows)
{
	struct bt_device_sizes s, again, none = {0};
	uint64_t tokens;
	size_t places;
	int kinds;

	choose(&s, 1);
	assert_in_range(s.n, 2, 4);
	places = run_all(&s, 1, &tokens, &kinds);
	print_message("# %zu sizes, %d used: %.1f %% of places filled\n", s.n,
	              kinds, 100 * (double)tokens / (double)places);
	assert_true((double)tokens >= .9 * (double)places);
	assert_in_range(kinds, 1, s.n + 2);

	choose(&again, 1);
	assert_int_equal(again.n, s.n);
	assert_memory_equal(again.at, s.at, s.n * sizeof(*s.at));
	bt_device_sizes_clear(&again);
	bt_device_sizes_clear(&s);

	/* without any, numbers of rows are rounded up */
	places = run_all(&none, 1, &tokens, &kinds);
	assert_true((double)tokens >= .87 * (double)places);

	choose(&s, 2);
	places = run_all(&s, 2, &tokens, &kinds);
	print_message("# on two devices: %.1f %%\n",
	              100 * (double)tokens / (double)places);
	assert_true((double)tokens >= .8 * (double)places);
	bt_device_sizes_clear(&s);
}

/* A size that costs nothing or little is left out. */
TEST(rare_sizes_are_left_out)
{
	struct bt_device_size at[] = {
	    {8, 64, 1000}, {9, 64, 1}, {10, 64, 1000}, {5, 128, 300}};
	struct bt_device_sizes s = {at, 4, 4};

	bt_device_sizes_choose(&s);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.at[0].rows, 8);
	assert_int_equal(s.at[0].count, 1000);
	assert_int_equal(s.at[1].length, 128);
	assert_int_equal(s.at[1].count, 1301);
}

/* Pieces of a large batch: they follow each other, none is too large, and they
 * are about equal. Texts that are not parted are in the same part of one. */
static void pieces_of(int together, int replicas, size_t limit)
{
	uint32_t *start = malloc((LARGE + 1) * sizeof(*start));
	int32_t *number = malloc(LARGE * sizeof(*number));
	struct bt_device_division v = {start, number, replicas, limit};
	struct bt_hlo_place *place = malloc(LARGE * sizeof(*place));
	struct bt_device_piece p = {.end = 0};
	struct bt_error err = {0};
	size_t end = 0, least = SIZE_MAX, most = 0, n;
	int i;

	draw(start, 7, LARGE);
	for (i = 0; i < LARGE; i++)
		number[i] = i % together;
	while (end < LARGE) {
		assert_ok(bt_device_piece(&v, end, LARGE, place, &p, &err));
		for (i = 0; i <= replicas; i++)
			assert_int_equal(
			    bt_device_cut(&v, p.first, p.end, i, replicas) %
			        (size_t)together,
			    0);
		assert_int_equal(p.first, end);
		assert_true(p.end > p.first);
		assert_true(p.rows * (size_t)p.length <= limit);
		end = p.end;
		n = start[p.end] - start[p.first];
		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	assert_int_equal(end, LARGE);
	assert_true(least >= most * 2 / 3);
	free(start);
	free(number);
	free(place);
}

TEST(large_batches_are_cut)
{
	static const uint32_t start[] = {0, 60, 120, 180};
	struct bt_device_division v = {start, NULL, 1, 16};
	struct bt_hlo_place place[3];
	struct bt_device_piece p;
	struct bt_error err = {0};

	pieces_of(1, 1, PLACES);
	pieces_of(1, 4, PLACES);
	pieces_of(1, 1, 1024);
	pieces_of(2, 1, 1024);
	pieces_of(2, 4, PLACES);

	/* a text, or one on each device, is in one piece */
	assert_ok(bt_device_piece(&v, 0, 3, place, &p, &err));
	assert_int_equal(p.end, 1);
	v.replicas = 2;
	assert_ok(bt_device_piece(&v, 1, 3, place, &p, &err));
	assert_int_equal(p.end, 3);
	assert_int_equal(p.rows, 1);
}

/* Groups of 3 texts and one of 5 are whole in pieces, and in parts of them. */
TEST(groups_are_not_parted)
{
	static const uint32_t start[] = {0,  10, 20,  30,  40,  50, 60,
	                                 70, 80, 100, 110, 120, 130};
	static const int32_t number[] = {0, 1, 2, 3, 4, 0, 1, 2, 0, 1, 2, 0};
	struct bt_device_division v = {start, number, 1, 64};
	struct bt_hlo_place place[12];
	struct bt_device_piece p = {.end = 0};
	struct bt_device_sizes s = {0};
	struct bt_error err = {0};

	assert_ok(bt_device_piece(&v, 0, 12, place, &p, &err));
	assert_int_equal(p.end, 5);
	assert_ok(bt_device_piece(&v, 5, 12, place, &p, &err));
	assert_int_equal(p.end, 8);
	assert_ok(bt_device_piece(&v, 8, 12, place, &p, &err));
	assert_int_equal(p.end, 12);

	/* one that is too large stays whole */
	v.places = 16;
	assert_ok(bt_device_piece(&v, 0, 12, place, &p, &err));
	assert_int_equal(p.end, 5);
	assert_int_equal(bt_device_least(&v, 8, 12), 11);

	v.places = SIZE_MAX;
	v.replicas = 2;
	assert_ok(bt_device_piece(&v, 0, 12, place, &p, &err));
	assert_int_equal(p.end, 12);
	assert_int_equal(bt_device_cut(&v, 0, 12, 1, 2), 8);
	assert_int_equal(bt_device_cut(&v, 5, 12, 1, 2), 8);
	assert_int_equal(bt_device_cut(&v, 0, 12, 2, 2), 12);
	assert_ok(bt_device_sizes_count(&s, &v, 12, &err));
	assert_int_equal(s.n, 1);
	assert_int_equal(s.at[0].rows, 2);
	bt_device_sizes_clear(&s);
}
