/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Labels are found by name, and those without one by their number. */
#include "test.h"

#include "record/labels.h"

TEST(by_name)
{
	struct bt_error err = {0};
	struct bt_labels l = {0};

	assert_int_equal(bt_labels_find(&l, bt_span("0")), -1);
	assert_int_equal(bt_labels_add(&l, bt_span("yes"), &err), 0);
	assert_int_equal(bt_labels_add(&l, bt_span("no"), &err), 1);
	assert_int_equal(bt_labels_find(&l, bt_span("no")), 1);
	assert_int_equal(bt_labels_find(&l, bt_span("NO")), -1);
	assert_int_equal(bt_labels_find(&l, bt_span("1")), -1);
	assert_false(bt_labels_are_unnamed(&l));
	bt_labels_clear(&l);
}

TEST(by_number)
{
	static const char *const others[] = {"3",  "-1",       "01", "+1", " 1",
	                                     "1.", "LABEL_01", "",   "one"};
	struct bt_error err = {0};
	struct bt_labels l = {0};
	size_t i;

	assert_ok(bt_labels_numbered(&l, "LABEL_", 3, &err));
	assert_true(bt_labels_are_unnamed(&l));
	assert_int_equal(bt_labels_find(&l, bt_span("LABEL_2")), 2);
	assert_int_equal(bt_labels_find(&l, bt_span("2")), 2);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(bt_labels_find(&l, bt_span(others[i])), -1);
	/* it is a new label all the same */
	assert_int_equal(bt_labels_add(&l, bt_span("2"), &err), 3);
	assert_int_equal(bt_labels_find(&l, bt_span("2")), 3);
	assert_false(bt_labels_are_unnamed(&l));
	bt_labels_clear(&l);
}
