/* SPDX-License-Identifier: MIT */
/* Features that only their user knows travel along with records. */
#include "record/record_int.h"

bool bt_record_owns(struct bt_span name)
{
	static const char *const all[] = {
	    "choices",     "end_position",   "example_id",      "id",
	    "input_ids",   "input_mask",     "is_real_example", "label",
	    "label_all",   "label_ids",      "label_names",     "max_context",
	    "segment_ids", "start_position", "text_a",          "text_b",
	    "text_number", "token_ends",     "token_starts",    "tokenizer",
	    "weight",      "window",         "word_ids"};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (bt_span_equal(name, bt_span(all[i])))
			return true;
	return false;
}

void bt_record_add_passthrough(struct bt_example_writer *w,
                               struct bt_span payload)
{
	struct bt_example x;
	struct bt_feature f;

	if (payload.p == NULL)
		return;
	bt_example_open(&x, payload.p, payload.n);
	while (bt_example_next(&x, &f, NULL) == 1)
		if (!bt_record_owns((struct bt_span){f.name, f.name_len}))
			bt_example_add_feature(w, &f);
}
