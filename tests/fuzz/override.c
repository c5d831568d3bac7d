/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any text as what an option of a configuration is given: it is refused with a
 * word, or gives a configuration that can be written and read back. */
#include "fuzz.h"

#include "base/mem.h"
#include "garden/config.h"

static void check_again(const struct bt_garden *c)
{
	struct bt_buf one = BT_BUF_INIT, two = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_garden *d;

	FUZZ_CHECK(bt_garden_write(c, true, &one, &err) == BT_OK);
	bt_buf_reset(&one);
	FUZZ_CHECK(bt_garden_write(c, false, &one, &err) == BT_OK);
	FUZZ_CHECK(bt_garden_new(bt_garden_name(c), &d, &err) == BT_OK);
	FUZZ_CHECK(bt_garden_apply(d, "config_file", bt_buf_str(&one), &err) ==
	           BT_OK);
	FUZZ_CHECK(bt_garden_write(d, false, &two, &err) == BT_OK);
	FUZZ_CHECK(strcmp(bt_buf_str(&one), bt_buf_str(&two)) == 0);
	bt_garden_free(d);
	bt_buf_clear(&one);
	bt_buf_clear(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"bert/sentence_prediction",
	                                    "bert/sentence_prediction_text",
	                                    "bert/squad", "bert/tagging"};
	const char *name = names[fuzz_byte(&data, &size) % 4];
	struct bt_error err = {0};
	struct bt_garden *c;
	char *text = bt_strndup((const char *)data, size);

	FUZZ_CHECK(text != NULL && bt_garden_new(name, &c, &err) == BT_OK);
	/* a path names no file of ours */
	if (strpbrk(text, "=:{") != NULL &&
	    fuzz_told(bt_garden_apply(c, "params_override", text, &err),
	              &err) == BT_OK &&
	    fuzz_told(bt_garden_check(c, &err), &err) == BT_OK)
		check_again(c);
	bt_garden_free(c);
	free(text);
	return 0;
}
