/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Texts in rows of a fixed length. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/philox.h"
#include "op/ops.h"
#include "stablehlo/rows.h"

#define TEXTS 3000
#define LENGTH 128

/* Lengths like those of short questions: most of some 10, few of 100. */
static void draw(uint32_t *start)
{
	uint32_t r[4], n, counter[4] = {0};
	int t;

	start[0] = 0;
	for (t = 0; t < TEXTS; t++) {
		counter[0] = (uint32_t)t;
		bt_philox(7, counter, r);
		n = 8 + r[0] % 12 + (r[1] % 16 == 0 ? r[2] % 90 : 0);
		start[t + 1] = start[t] + n;
	}
}

TEST(no_two_overlap)
{
	uint32_t *start = malloc((TEXTS + 1) * sizeof(*start));
	struct bt_hlo_place *place = malloc(TEXTS * sizeof(*place));
	struct bt_error err = {0};
	char *used;
	size_t rows, t, i, n;

	draw(start);
	assert_ok(bt_hlo_place(start, TEXTS, LENGTH, place, &rows, &err));
	used = calloc(rows, LENGTH);
	for (t = 0; t < TEXTS; t++) {
		n = start[t + 1] - start[t];
		assert_true(place[t].row < rows);
		assert_true(place[t].column + n <= LENGTH);
		assert_true(place[t].number <
		            (uint32_t)bt_hlo_row_texts(LENGTH));
		for (i = 0; i < n; i++)
			assert_int_equal(
			    used[place[t].row * LENGTH + place[t].column + i]++,
			    0);
	}
	/* real tokens are at least 97 % of all */
	assert_true(start[TEXTS] * 100.0 >= 97.0 * (double)rows * LENGTH);
	free(used);
	free(place);
	free(start);
}

/* Many short texts: a row has room for so many. */
TEST(rows_are_bounded)
{
	uint32_t start[101];
	struct bt_hlo_place place[100];
	struct bt_error err = {0};
	size_t rows, t;

	for (t = 0; t < 101; t++)
		start[t] = (uint32_t)(2 * t);
	assert_ok(bt_hlo_place(start, 100, 64, place, &rows, &err));
	assert_int_equal(rows, 7);
	assert_ok(bt_hlo_place(start, 0, 64, place, &rows, &err));
	assert_int_equal(rows, 0);
}

TEST(arguments_of_a_text)
{
	static const int32_t ids[] = {5, 1, 1, 7};
	static const uint8_t types[] = {0, 0, 1, 1};
	static const int32_t position[] = {2, 1, 1, 3};
	struct bt_hlo_place place = {1, 3, 1};
	struct bt_hlo_size size = {2, 16, 8, 1, 0};
	struct bt_param_spec table = {.rows = 10, .cols = 2}, one = {.cols = 2};
	struct bt_embed_args a = {
	    .type = -1, .beta = -1, .pad = 1, .position0 = 2};
	struct bt_error err = {0};
	struct bt_hlo_batch b;
	struct bt_graph g;
	int i;

	bt_graph_init(&g, &err);
	a.word = bt_graph_param(&g, &table, "word");
	a.position = bt_graph_param(&g, &table, "position");
	a.gamma = bt_graph_param(&g, &one, "gamma");
	bt_op_embed(&g, &a);
	assert_ok(bt_graph_done(&g));
	assert_ok(bt_hlo_batch_init(&b, &g, &size, false, &err));
	assert_int_equal(bt_hlo_batch_add(&b, &place, ids, types, 4), 5);
	for (i = 0; i < 4; i++) {
		assert_int_equal(b.arg[BT_HLO_ARG_IDS][19 + i], ids[i]);
		assert_int_equal(b.arg[BT_HLO_ARG_TYPES][19 + i], types[i]);
		assert_int_equal(b.arg[BT_HLO_ARG_PLACES][19 + i], i);
		assert_int_equal(b.arg[BT_HLO_ARG_SEGMENTS][19 + i], 5);
		assert_int_equal(b.arg[BT_HLO_ARG_POSITIONS][19 + i],
		                 position[i]);
	}
	assert_int_equal(b.arg[BT_HLO_ARG_SEGMENTS][18], -1);
	assert_int_equal(b.arg[BT_HLO_ARG_SEGMENTS][23], -1);
	for (i = 0; i < 8; i++) /* 32: the tokens; of text 5 alone its own */
		assert_int_equal(b.arg[BT_HLO_ARG_FIRST][i],
		                 i == 5 ? 19 : 32 + i);
	assert_true(bt_hlo_batch_select(&b, &place, 2));
	assert_false(bt_hlo_batch_select(&b, &place, 3));
	assert_int_equal(b.arg[BT_HLO_ARG_SELECTED][0], 21);
	bt_hlo_batch_empty(&b);
	assert_int_equal(b.arg[BT_HLO_ARG_SEGMENTS][19], -1);
	bt_hlo_batch_clear(&b);
	bt_graph_clear(&g);
}
