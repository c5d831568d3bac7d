/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as the calibration of a model with the labels a and b. */
#include "fuzz.h"

#include <math.h>

#include "finetune/calibration.h"
#include "format/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char a[] = "a", b[] = "b", *names[] = {a, b};
	const struct bt_labels labels = {.name = names, .n = 2};
	const float z[2] = {1, -2};
	struct bt_error err = {0};
	struct bt_calibration c;
	float out[2];
	json_t *o;

	if (fuzz_told(bt_json_parse("input", (const char *)data, size, false,
	                            &o, &err),
	              &err) != BT_OK)
		return 0;
	if (fuzz_told(bt_calibration_parse(o, &labels, &c, &err), &err) ==
	    BT_OK) {
		FUZZ_CHECK(c.n == 2);
		bt_calibration_apply(&c, z, out);
		FUZZ_CHECK(isfinite(out[0]) && isfinite(out[1]));
		bt_calibration_clear(&c);
	}
	json_decref(o);
	return 0;
}
