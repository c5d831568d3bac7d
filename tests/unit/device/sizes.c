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
	struct bt_device_piece p;
	struct bt_hlo_size z;
	struct bt_error err = {0};
	size_t places = 0;
	int seen[64][2], n = 0, i;

	for (*tokens = 0, b = 0; b < BATCHES; b++) {
		draw(start, BATCHES + b, BATCH);
		assert_ok(bt_device_piece(start, 0, BATCH, 1, replicas, PLACES,
		                          place, &p, &err));
		assert_int_equal(p.end, BATCH);
		assert_ok(bt_device_fit(s, start, &p, replicas, PLACES, place,
		                        &z, &err));
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
	struct bt_error err = {0};

	memset(s, 0, sizeof(*s));
	for (b = 0; b < BATCHES; b++) {
		draw(start, b, BATCH);
		assert_ok(bt_device_sizes_count(s, start, BATCH, 1, replicas,
		                                PLACES, &err));
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
	struct bt_hlo_place *place = malloc(LARGE * sizeof(*place));
	struct bt_device_piece p = {.end = 0};
	struct bt_error err = {0};
	size_t end = 0, least = SIZE_MAX, most = 0, n;
	int i;

	draw(start, 7, LARGE);
	while (end < LARGE) {
		assert_ok(bt_device_piece(start, end, LARGE, together, replicas,
		                          limit, place, &p, &err));
		for (i = 0; i <= replicas; i++)
			assert_int_equal(bt_device_cut(start, &p, i, replicas) %
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
	free(place);
}

TEST(large_batches_are_cut)
{
	static const uint32_t start[] = {0, 60, 120, 180};
	struct bt_hlo_place place[3];
	struct bt_device_piece p;
	struct bt_error err = {0};

	pieces_of(1, 1, PLACES);
	pieces_of(1, 4, PLACES);
	pieces_of(1, 1, 1024);
	pieces_of(2, 1, 1024);
	pieces_of(2, 4, PLACES);

	/* a text, or one on each device, is in one piece */
	assert_ok(bt_device_piece(start, 0, 3, 1, 1, 16, place, &p, &err));
	assert_int_equal(p.end, 1);
	assert_ok(bt_device_piece(start, 1, 3, 1, 2, 16, place, &p, &err));
	assert_int_equal(p.end, 3);
	assert_int_equal(p.rows, 1);
}
