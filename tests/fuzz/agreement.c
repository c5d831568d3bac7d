/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as what is kept of a comparison with int8. */
#include "fuzz.h"

#include "finetune/agreement.h"
#include "format/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bt_error err = {0};
	struct bt_agreement a;
	json_t *o;

	if (fuzz_told(bt_json_parse("input", (const char *)data, size, false,
	                            &o, &err),
	              &err) != BT_OK)
		return 0;
	if (fuzz_told(bt_agreement_parse(o, &a, &err), &err) == BT_OK)
		FUZZ_CHECK(bt_agreement_share(&a) >= 0 &&
		           bt_agreement_share(&a) <= 1);
	json_decref(o);
	return 0;
}
