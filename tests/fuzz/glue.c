/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* A byte that says which test set, and a file of predictions for it. */
#include "fuzz.h"

#include "garden/glue.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct bt_glue_set *set =
	    &bt_glue_sets[fuzz_byte(&data, &size) % 11];
	struct bt_error err = {0}, why = {0};
	struct bt_span text = {(const char *)data, size};
	size_t rows = 0, i;

	if (fuzz_told(bt_glue_check(set, text, SIZE_MAX, &err), &err) != BT_OK)
		return 0;
	for (i = 0; i < size; i++) /* the last line may lack its end */
		rows += data[i] == '\n' || i + 1 == size;
	FUZZ_CHECK(bt_glue_check(set, text, rows - 1, &err) == BT_OK);
	FUZZ_CHECK(fuzz_told(bt_glue_check(set, text, rows, &why), &why) !=
	           BT_OK);
	return 0;
}
