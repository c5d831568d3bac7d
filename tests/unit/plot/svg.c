/* SPDX-License-Identifier: MIT */
/* Names in pictures: how wide they are, and that none is lost unnoticed. */
/* Not under thread: starts no threads */
#include "test.h"

#include "base/buf.h"
#include "plot/svg.h"

TEST(long_names_are_shortened)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_svg_shorten(&b, "library", 7);
	assert_string_equal(bt_buf_str(&b), "library");
	bt_buf_reset(&b);
	bt_svg_shorten(&b, "libraries", 7);
	assert_string_equal(bt_buf_str(&b), "librar\u2026");
	assert_true(bt_svg_letters(bt_buf_str(&b)) == 7);
	bt_buf_reset(&b);
	bt_svg_shorten(&b, "\u56fe\u4e66\u9986", 4); /* each as wide as two */
	assert_string_equal(bt_buf_str(&b), "\u56fe\u2026");
	assert_false(b.oom);
	bt_buf_clear(&b);
}

TEST(a_name_for_which_there_was_no_memory)
{
	struct bt_buf a = BT_BUF_INIT, b = BT_BUF_INIT;

	assert_true(bt_svg_letters(NULL) == 0);
	bt_svg_shorten(&a, NULL, 7);
	bt_svg_escape(&b, NULL);
	assert_true(a.oom);
	assert_true(b.oom);
	bt_buf_clear(&a);
	bt_buf_clear(&b);
}
