/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as YAML: what is taken is written in both styles, and reads back as
 * the same. */
#include "fuzz.h"

#include "garden/yaml.h"

/* Written values have no anchors, so they may be more or deeper than a text of
 * their size may say. */
static void check_same(const struct bt_yaml *v, struct bt_buf *b)
{
	struct bt_error err = {0};
	struct bt_yaml *w;
	int r;

	FUZZ_CHECK(bt_buf_str(b) != NULL);
	r = fuzz_told(bt_yaml_parse("written", b->data, b->len, &w, &err),
	              &err);
	if (r == BT_ELIMIT)
		return;
	FUZZ_CHECK(r == BT_OK);
	FUZZ_CHECK(bt_yaml_equal(v, w));
	bt_yaml_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_error err = {0};
	struct bt_yaml *v;

	if (fuzz_told(
	        bt_yaml_parse("input", (const char *)data, size, &v, &err),
	        &err) != BT_OK)
		return 0;
	bt_yaml_put_flow(v, &b);
	check_same(v, &b);
	bt_buf_clear(&b);
	bt_yaml_free(v);
	return 0;
}
