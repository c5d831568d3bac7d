/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Any bytes as a file of predictions, as CSV or tensors. */
#include "fuzz.h"

#include "evaluate/prediction_file.h"

static char a[] = "a", b[] = "b", c[] = "c";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct bt_task *const tasks[] = {
	    &bt_task_classification, &bt_task_multi_label, &bt_task_regression};
	unsigned how = fuzz_byte(&data, &size);
	const char *path = how & 1 ? "p.csv" : "p.tsv";
	char *const text[] = {a, b, c};
	struct bt_labels labels = {0};
	struct bt_prediction_file f = {.logits = (how & 32) != 0,
	                               .repeats = (how & 64) != 0};
	struct bt_error err = {0};
	int i, n = how & 2 ? 1 : 3;
	size_t k;

	for (i = 0; i < n; i++)
		FUZZ_CHECK(bt_labels_add(&labels, bt_span(text[i]), &err) == i);
	fuzz_put(path, data, size);
	if (fuzz_told(bt_prediction_file_read(path, tasks[(how >> 2) % 3],
	                                      &labels, &f, &err),
	              &err) == BT_OK) {
		FUZZ_CHECK(f.rows > 0);
		FUZZ_CHECK(f.labels.n > 0 || f.answers != NULL);
		FUZZ_CHECK(f.ids == NULL || f.again > 0 ||
		           bt_string_set_count(f.ids) == f.rows);
		FUZZ_CHECK(f.again == 0 || (f.repeats && f.again_of < f.again));
		for (k = 0; f.again > 0 && k < f.rows; k++)
			FUZZ_CHECK(f.id[k] < bt_string_set_count(f.ids));
		fuzz_read(f.value,
		          f.rows * (size_t)f.labels.n * sizeof(*f.value));
		for (k = 0; f.answers != NULL && k < f.rows; k++)
			FUZZ_CHECK(f.answer[k] <
			           bt_string_set_count(f.answers));
		bt_prediction_file_clear(&f);
	}
	bt_error_clear(&err);
	bt_labels_clear(&labels);
	return 0;
}
