/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* The rows of an update: each once, in order, and whose they are. */
#include "test.h"

#include <string.h>

#include "optim/row_set.h"

TEST(rows_of_texts)
{
	static const int32_t first[] = {7, 3, 7, 0}, second[] = {9, 3, 4};
	static const int32_t all[] = {0, 3, 4, 7, 9};
	static const size_t owned[] = {0, 4, 4, 10}, at[] = {0, 2, 2, 5};
	struct bt_error err = {0};
	struct bt_row_set s;
	int32_t i;

	assert_ok(bt_row_set_init(&s, 10, 5, 3, &err));
	for (i = 0; i < 3; i++) { /* nothing stays of the last update */
		bt_row_set_begin(&s);
		bt_row_set_add(&s, &i, 1);
		bt_row_set_end(&s, owned);
		assert_int_equal(s.n, 1);
		assert_int_equal(s.ids[0], i);
		assert_int_equal(s.at[3], 1);
	}
	bt_row_set_begin(&s);
	bt_row_set_add(&s, first, 4);
	bt_row_set_add(&s, second, 3);
	bt_row_set_add(&s, NULL, 0);
	bt_row_set_end(&s, owned);
	assert_int_equal(s.n, 5);
	assert_memory_equal(s.ids, all, sizeof(all));
	assert_memory_equal(s.at, at, sizeof(at));
	for (i = 0; i < 5; i++)
		assert_int_equal(s.slot[all[i]], i + 1);
	assert_int_equal(s.slot[1], 0);
	assert_int_equal(s.slot[8], 0);
	bt_row_set_begin(&s);
	bt_row_set_end(&s, owned);
	assert_int_equal(s.n, 0);
	assert_int_equal(s.at[3], 0);
	bt_row_set_clear(&s);
}
