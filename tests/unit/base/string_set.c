/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
#include "test.h"

#include <stdio.h>

#include "base/string_set.h"

TEST(a_set_numbers_its_members)
{
	struct bt_string_set *set = bt_string_set_new();
	struct bt_span v;
	char name[16];
	size_t number;
	int round, i;

	assert_non_null(set);
	assert_int_equal(bt_string_set_add(set, bt_span(""), &number), 0);
	assert_int_equal(number, 0);
	for (round = 0; round < 2; round++)
		for (i = 1; i < 5000; i++) {
			snprintf(name, sizeof(name), "label%d", i);
			assert_int_equal(
			    bt_string_set_add(set, bt_span(name), &number), 0);
			assert_int_equal(number, i);
		}
	assert_int_equal(bt_string_set_add(set, bt_span(""), NULL), 0);
	assert_int_equal(bt_string_set_count(set), 5000);
	v = bt_string_set_get(set, 4321);
	assert_true(bt_span_equal(v, bt_span("label4321")));
	assert_int_equal(bt_string_set_get(set, 0).n, 0);
	bt_string_set_free(set);
	bt_string_set_free(NULL);
}
