/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as a record in JSON: what is taken can be written and taken again,
 * and gives the same record. */
#include "fuzz.h"

#include "record/recjson.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bt_example_writer w = {.features = BT_BUF_INIT};
	struct bt_buf one = BT_BUF_INIT, two = BT_BUF_INIT, s = BT_BUF_INIT;
	struct bt_error err = {0};

	if (fuzz_told(bt_recjson_read((const char *)data, size, &w, &one, &err),
	              &err) == BT_OK) {
		FUZZ_CHECK(bt_recjson_write(one.data, one.len, &s, &err) ==
		           BT_OK);
		FUZZ_CHECK(bt_recjson_read(s.data, s.len, &w, &two, &err) ==
		           BT_OK);
		FUZZ_CHECK(
		    one.len == two.len &&
		    (one.len == 0 || memcmp(one.data, two.data, one.len) == 0));
	}
	bt_buf_clear(&one);
	bt_buf_clear(&two);
	bt_buf_clear(&s);
	bt_example_clear(&w);
	return 0;
}
